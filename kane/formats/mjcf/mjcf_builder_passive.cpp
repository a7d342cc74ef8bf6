// Passive forces that are not of one axis: springs and limits of ball joints, springs by time constants, fluids.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/formats/mjcf/mjcf_builder.hpp"

namespace kane {

// ---- ball joints ----------------------------------------------------------------------------------------------------------

void MjcfBuilder::add_ball_spring(const MjcfElement& e, const MjcfJoint& j, const std::string& on,
                                  const std::string& reaction, const ElementaryMotion& motion) {
  const double stiffness = passive("spring") ? e.number("stiffness", 0) : 0;
  if (stiffness == 0) return;
  // The rotation vector by the shorter way: n theta = 2 atan2(|e| e4, e4^2) e/|e|, e the vector part of the Euler parameters.
  const auto e_of = [&](std::size_t k) { return motion.coordinates[k].name(); };
  const std::string size = expressions_.add("size_" + plain_name(j.name), "expression");
  const std::string turn = expressions_.add("turn_" + plain_name(j.name), "expression");
  m_.expressions.push_back(
      {size, Quantity(fmt::format("sqrt({0}^2 + {1}^2 + {2}^2 + 1e-30)", e_of(0), e_of(1), e_of(2)), e.where)});
  m_.expressions.push_back({turn, Quantity(fmt::format("2*atan2({0}*{1}, {1}^2)/{0}", size, e_of(3)), e.where)});
  Load torque;
  torque.name = loads_.add(fmt::format("{}_spring", j.name), "load");
  torque.where = e.where;
  torque.what = TorqueLoad{{fmt::format("{0}*{1}*({2}*{5}.x + {3}*{5}.y + {4}*{5}.z)", number_text(-stiffness), turn,
                                        e_of(0), e_of(1), e_of(2), on),
                            e.where},
                           {},
                           on,
                           reaction == m_.ground ? "" : reaction};
  m_.loads.push_back(std::move(torque));
}

/// The angle of the rotation may not exceed the second number of the range: |e4| >= cos(angle/2).
void MjcfBuilder::limit_ball(const MjcfElement& e, const MjcfJoint& j, const ElementaryMotion& motion) {
  const auto range = e.numbers("range", 2, 2);
  if (!range || !compiler_.limited(e, "limited", "range") || !enabled("constraint") || !enabled("limit") ||
      !options_.within_ranges)
    return;
  const double largest = (*range)[1] * compiler_.angle_unit;
  if (largest <= 0) e.fail(fmt::format("the range of {} must be '0 ANGLE'", e.describe()));
  if (largest >= std::numbers::pi) return;
  const double cosine = std::cos(largest / 2);
  ContactRule rule;
  rule.name = fmt::format("{}_range", plain_name(j.name));
  rule.kind = ContactRule::Kind::Gap;
  rule.gap = Quantity(fmt::format("{}^2 - {}", motion.coordinates[3].name(), number_text(cosine * cosine)), e.where);
  rule.where = e.where;
  m_.switching.contacts.push_back(std::move(rule));
}

// ---- the mass matrix in the described pose --------------------------------------------------------------------------------

namespace {

/// One degree of freedom: what a unit of speed does to the body that has it and to all that it carries.
struct MjcfFreedom {
  std::size_t body;
  const MjcfJoint* joint;
  Vec3 turn;         ///< angular velocity
  Vec3 move, point;  ///< velocity of the point at `point`
};

std::vector<MjcfFreedom> freedoms_of(const std::vector<MjcfBody>& bodies) {
  std::vector<MjcfFreedom> list;
  constexpr std::array<Vec3, 3> kAxes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  for (std::size_t i = 1; i < bodies.size(); ++i)
    for (const MjcfJoint& j : bodies[i].joints) {
      const MjcfPose& at = bodies[i].world;
      const Vec3 point = at.position + at.rotation * j.position;
      if (j.type == "hinge") list.push_back({i, &j, at.rotation * j.axis, {}, point});
      if (j.type == "slide") list.push_back({i, &j, {}, at.rotation * j.axis, point});
      if (j.type == "free")
        for (const Vec3& axis : kAxes) list.push_back({i, &j, {}, axis, at.position});
      if (j.type == "free" || j.type == "ball")
        for (const Vec3& axis : kAxes)
          list.push_back({i, &j, at.rotation * axis, {}, j.type == "free" ? at.position : point});
    }
  return list;
}

Eigen::MatrixXd mass_matrix(const std::vector<MjcfBody>& bodies, const std::vector<MjcfFreedom>& freedoms) {
  const auto n = static_cast<Eigen::Index>(freedoms.size());
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    M(k, k) = freedoms[static_cast<std::size_t>(k)].joint->element->number("armature", 0);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const MjcfMass mass = placed(bodies[i].mass, bodies[i].world);
    std::vector<std::pair<Eigen::Index, const MjcfFreedom*>> carrying;
    for (Eigen::Index k = 0; k < n; ++k) {
      const MjcfFreedom& f = freedoms[static_cast<std::size_t>(k)];
      std::size_t up = i;
      while (up > f.body) up = bodies[up].parent;  // parents stand before children
      if (up == f.body) carrying.emplace_back(k, &f);
    }
    for (const auto& [a, one] : carrying)
      for (const auto& [b, two] : carrying) {
        const auto velocity = [&](const MjcfFreedom& f) { return f.move + cross(f.turn, mass.centre - f.point); };
        M(a, b) += mass.mass * dot(velocity(*one), velocity(*two)) + dot(one->turn, mass.inertia * two->turn);
      }
  }
  return M;
}

}  // namespace

/// k = I/(T^2 r^2) and d = 2 I/T, I the inverse of what a unit of force accelerates in the described pose.
void MjcfBuilder::find_spring_dampers() {
  const auto wants = [](const MjcfJoint& j) {
    const auto given = j.element->numbers("springdamper", 2, 2);
    return given && (*given)[0] > 0 && (*given)[1] > 0;
  };
  const bool any = std::any_of(bodies_.begin(), bodies_.end(),
                               [&](const MjcfBody& b) { return std::any_of(b.joints.begin(), b.joints.end(), wants); });
  if (!any) return;
  const auto freedoms = freedoms_of(bodies_);
  if (freedoms.size() > 1000)
    throw LimitError(file_.where, "'springdamper' in a model of more than 1000 degrees of freedom; this is the limit");
  const Eigen::MatrixXd inverse = mass_matrix(bodies_, freedoms)
                                      .ldlt()
                                      .solve(Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(freedoms.size()),
                                                                       static_cast<Eigen::Index>(freedoms.size())));
  for (MjcfBody& b : bodies_)
    for (const MjcfJoint& j : b.joints) {
      if (!wants(j)) continue;
      double sum = 0;
      int count = 0;
      for (std::size_t k = 0; k < freedoms.size(); ++k)
        if (freedoms[k].joint == &j)
          sum += inverse(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)), ++count;
      const double inertia = count / std::max(sum, kMjcfSmall);
      const std::vector<double> given = *j.element->numbers("springdamper", 2, 2);
      spring_dampers_[&j] = {inertia / (given[0] * given[0] * given[1] * given[1]), 2 * inertia / given[0]};
    }
}

double MjcfBuilder::stiffness_of(const MjcfJoint& j) const {
  if (const auto found = spring_dampers_.find(&j); found != spring_dampers_.end()) return found->second.first;
  return j.element->number("stiffness", 0);
}

double MjcfBuilder::damping_of(const MjcfJoint& j) const {
  if (const auto found = spring_dampers_.find(&j); found != spring_dampers_.end()) return found->second.second;
  return j.element->number("damping", 0);
}

// ---- fluids ---------------------------------------------------------------------------------------------------------------

namespace {

/// Axes and moments as MuJoCo has them: those of the file where it states them, or of the only shape.
struct PrincipalAxes {
  Mat3 axes;  ///< columns, in the body
  Vec3 moments;
};

PrincipalAxes principal_axes(const MjcfBody& b, const MjcfCompiler& compiler) {
  const auto along = [&](const Mat3& r) {
    const Mat3 turned = transposed(r) * b.mass.inertia * r;
    return PrincipalAxes{r, {turned[0].x, turned[1].y, turned[2].z}};
  };
  const bool by_hand = b.inertial != nullptr && compiler.inertia_from_geoms != MjcfCompiler::FromGeoms::Always;
  if (by_hand && b.inertial->find("diaginertia") != nullptr) return along(compiler.orientation(*b.inertial));
  if (!by_hand && b.geoms.size() == 1 && b.geoms.front().element->text("type") != "mesh") {
    const MjcfPart& part = b.geoms.front();
    return along(compose(part.pose, read_geom(*part.element, compiler).pose).rotation);
  }
  Eigen::Matrix3d inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      inertia(i, j) = b.mass.inertia[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia);
  Eigen::Matrix3d v = solver.eigenvectors();
  if (v.determinant() < 0) v.col(2) = -v.col(2);
  Mat3 axes;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) axes[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = v(i, j);
  return along(axes);
}

}  // namespace

/// Each body is resisted as the box with its mass and moments of inertia would be. Along axis i of the box, with sides a and
/// the mean side d: F_i = -3 pi d viscosity v_i - density/2 a_j a_k |v_i| v_i, and about it
/// T_i = -pi d^3 viscosity w_i - density/64 a_i (a_j^4 + a_k^4) |w_i| w_i.
void MjcfBuilder::add_fluid() {
  const double density = file_.option.number("density", 0), viscosity = file_.option.number("viscosity", 0);
  if ((density == 0 && viscosity == 0) || !enabled("passive")) return;
  const Vec3 wind = mjcf_vector(file_.option, "wind");
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const MjcfBody& b = bodies_[i];
    if (b.owner == 0 || b.mass.mass < kMjcfSmall) continue;
    for (const MjcfPart& part : b.geoms)
      if (part.element->text("fluidshape", "none") != "none")
        refusals_.refuse(*part.element, "'fluidshape' is not supported; the resistance is that of the body's inertia");
    const PrincipalAxes principal = principal_axes(b, compiler_);
    const Vec3& I = principal.moments;
    std::array<double, 3> a{};
    for (std::size_t k = 0; k < 3; ++k)
      a[k] = std::sqrt(std::max(1e-15, I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) / b.mass.mass * 6);
    const double d = (a[0] + a[1] + a[2]) / 3;
    const std::string& owner = owner_of(i);
    const MjcfPose pose = compose(b.in_owner, {b.mass.centre, principal.axes});
    const std::string point = add_point(name_of(i) + "_in_fluid", b.owner, pose.position, b.element->where);
    const std::string frame = body_names_.add(name_of(i) + "_fluid_axes", "frame");
    m_.frames.push_back({frame, owner, mjcf_placement(pose), b.element->where});
    const std::string flow = norm(wind) == 0 ? fmt::format("v({})", point)
                                             : fmt::format("(v({}) - ({}))", point, mjcf_vector_text(wind, m_.ground));
    std::string force, torque;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto component = [&](const char* what, const std::string& vector) {
        const std::string name = expressions_.add(fmt::format("{}_{}_{}", what, name_of(i), "xyz"[k]), "expression");
        m_.expressions.push_back(
            {name, Quantity(fmt::format("dot({}, {}.{})", vector, frame, "xyz"[k]), b.element->where)});
        return name;
      };
      const std::string v = component("flow", flow), w = component("turn", fmt::format("omega({})", owner));
      const double j = a[(k + 1) % 3], l = a[(k + 2) % 3];
      const auto term = [&](double linear, double square, const std::string& x) {
        return fmt::format("{}({} + {}*abs({}))*{}*{}.{}", k == 0 ? "" : " + ", number_text(-linear),
                           number_text(-square), x, x, frame, "xyz"[k]);
      };
      force += term(3 * std::numbers::pi * d * viscosity, density / 2 * j * l, v);
      torque +=
          term(std::numbers::pi * d * d * d * viscosity, density / 64 * a[k] * (j * j * j * j + l * l * l * l), w);
    }
    Load drag{loads_.add("drag_" + name_of(i), "load"), {}, b.element->where};
    drag.what = ForceLoad{{force, b.element->where}, {}, point, ""};
    m_.loads.push_back(std::move(drag));
    Load turning{loads_.add("turning_drag_" + name_of(i), "load"), {}, b.element->where};
    turning.what = TorqueLoad{{torque, b.element->where}, {}, owner, ""};
    m_.loads.push_back(std::move(turning));
  }
}

}  // namespace kane
