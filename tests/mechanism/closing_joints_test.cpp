// Closing joints of every kind against the same joint in a tree: a body that floats freely and is closed to another one
// moves, and loads its joint, like a body that the joint places.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/newton_euler.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;
using testing::Situation;

struct ClosingCase {
  std::string name;
  std::string kind;
  bool laws = false;
};

std::vector<ElementaryMotion> motions_of(const ClosingCase& c) {
  if (c.kind == "general") {  // locked axes on both sides of the free ones and between them
    auto motions = open_general_joint({"123", {2}}, {"321", {1, 3}}, {});
    motions[0].value = 0.1, motions[2].value = -0.2, motions[4].value = 0.3;
    return motions;
  }
  if (c.kind == "turned") {  // one free rotation between locked ones
    auto motions = open_general_joint({"312", {}}, {"213", {2}}, {});
    motions[0].value = 0.1, motions[1].value = 0.2, motions[3].value = 0.5, motions[5].value = -0.4;
    return motions;
  }
  if (c.kind == "behind") {  // translations behind the rotation, one of them locked
    std::vector<ElementaryMotion> motions(3);
    motions[0].axis = {0, 1, 0};
    motions[1].kind = MotionKind::Translation, motions[1].axis = {1, 0, 0};
    motions[2].kind = MotionKind::Translation, motions[2].axis = {0, 0, 1};
    motions[2].free = false, motions[2].value = 0.3;
    return motions;
  }
  if (c.kind == "around") {  // translations before and behind the rotation, askew to its axis
    std::vector<ElementaryMotion> motions(3);
    motions[0].kind = MotionKind::Translation, motions[0].axis = {1, 0, 1};
    motions[1].axis = {0, 1, 0};
    motions[2].kind = MotionKind::Translation, motions[2].axis = {1, 1, 0};
    return motions;
  }
  auto motions = open_joint(joint_kind(c.kind, {}));
  if (c.kind == "screw") motions[0].pitch = 0.07;
  if (c.kind == "revolute") motions[0].axis = {1, 2, -1};
  return motions;
}

MechanismBody body(const std::string& name, RandomTree& random) {
  MechanismBody b;
  b.name = name;
  b.mass = 1.3;
  b.mass_centre = {0.1, -0.2, 0.15};
  b.inertia = random.inertia();
  return b;
}

Joint joint(const std::string& name, const std::string& kind, const std::string& parent, const std::string& child) {
  Joint j;
  j.name = name, j.kind = kind, j.parent = parent, j.child = child;
  return j;
}

/// A on the ground by a universal joint; B on A by the joint in question, as a part of the tree or as a closing joint.
Mechanism pair(const ClosingCase& c, bool closing) {
  RandomTree random(21);
  Mechanism m(c.name);
  m.add_parameter("g", 9.81);
  m.gravity.text = "-g*N.z";
  m.add_body(body("A", random));
  m.add_body(body("B", random));
  Joint base = joint("base", "universal", "N", "A");
  base.on_child = random.placement();
  base.motions = open_joint(joint_kind("universal", {}));
  name_motions(*m.graph, base, {}, {});
  m.add_joint(base);
  Joint j = joint("J", c.kind, "A", "B");
  j.on_parent = random.placement();
  j.on_child = random.placement();
  j.motions = motions_of(c);
  for (ElementaryMotion& motion : j.motions) {
    if (!c.laws || !motion.free) continue;
    motion.law.damping = 0.7;
    if (motion.kind != MotionKind::Ball) motion.law.stiffness = 3, motion.law.rest = 0.1;
  }
  if (closing) {
    Joint floating = joint("float", "free", "N", "B");
    floating.motions = open_joint(joint_kind("free", {}));
    name_motions(*m.graph, floating, {"x", "y", "z", "e1", "e2", "e3", "e4"}, {"vx", "vy", "vz", "w1", "w2", "w3"});
    m.add_joint(floating);
    j.closing = true;
  } else {
    name_motions(*m.graph, j, {}, {});
  }
  m.add_joint(j);
  return m;
}

const BodyOutput& body_of(const EquationsOfMotion& e, const std::string& name) {
  for (const BodyOutput& b : e.bodies)
    if (b.name == name) return b;
  throw std::logic_error("no body " + name);
}
const PointOutput& point_of(const EquationsOfMotion& e, const std::string& name) {
  for (const PointOutput& p : e.points)
    if (p.name == name) return p;
  throw std::logic_error("no point " + name);
}
const ReactionOutput& reaction_of(const EquationsOfMotion& e, const std::string& name) {
  for (const ReactionOutput& r : e.reactions)
    if (r.name == name) return r;
  throw std::logic_error("no reaction " + name);
}

/// Euler parameters (scalar last) of a rotation matrix by rows, with a positive scalar.
std::array<double, 4> euler_parameters(const std::vector<double>& R) {
  const auto at = [&](std::size_t i, std::size_t j) { return R[3 * i + j]; };
  // The largest component first, for accuracy (Shepperd 1978).
  const double trace = at(0, 0) + at(1, 1) + at(2, 2);
  std::array<double, 4> e{};
  std::size_t k = 3;
  double largest = trace;
  for (std::size_t i = 0; i < 3; ++i)
    if (at(i, i) > largest) largest = at(i, i), k = i;
  if (k == 3) {
    e[3] = std::sqrt(1 + trace) / 2;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
      e[i] = (at(b, a) - at(a, b)) / (4 * e[3]);
    }
    return e;
  }
  const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
  e[k] = std::sqrt(1 + 2 * at(k, k) - trace) / 2;
  e[a] = (at(k, a) + at(a, k)) / (4 * e[k]);
  e[b] = (at(k, b) + at(b, k)) / (4 * e[k]);
  e[3] = (at(b, a) - at(a, b)) / (4 * e[k]);
  return e;
}

/// Puts the floating body where the other mechanism's one is, with its velocity.
void place_like(const Situation& tree, Situation& loop) {
  for (const Expr& s : loop.e.q)
    if (s.name().starts_with("q_base")) loop.value(s) = tree.values.at(s.name());
  for (const Expr& s : loop.e.u)
    if (s.name().starts_with("u_base")) loop.value(s) = tree.values.at(s.name());
  const BodyOutput& b = body_of(tree.e, "B");
  std::vector<double> R;
  for (const auto& row : b.rotation)
    for (const double x : tree.numbers(row)) R.push_back(x);
  const auto e = euler_parameters(R);
  const std::vector<double> w = tree.numbers(b.angular_velocity);
  const PointOutput& p = point_of(tree.e, "B");
  const std::vector<double> r = tree.numbers(p.position), v = tree.numbers(p.velocity);
  for (std::size_t k = 0; k < 3; ++k) {
    loop.values[std::string(1, "xyz"[k])] = r[k];
    loop.values[fmt::format("v{}", "xyz"[k])] = v[k];
    loop.values[fmt::format("w{}", k + 1)] = R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2];
  }
  for (std::size_t k = 0; k < 4; ++k) loop.values[fmt::format("e{}", k + 1)] = e[k];
}

class ClosingJoints : public ::testing::TestWithParam<ClosingCase> {};

TEST_P(ClosingJoints, MoveAndBearLikeTheirTree) {
  const ClosingCase& c = GetParam();
  for (const Formulation formulation : {Formulation::Projection, Formulation::Composite}) {
    Situation tree(pair(c, false), 22);
    tree.solve_motion();
    Situation loop(pair(c, true), 23, formulation);
    place_like(tree, loop);
    std::size_t rows = 0;
    for (const ConstraintEquation& row : loop.e.constraints) {
      if (row.phi) {
        EXPECT_NEAR(loop.number(*row.phi), 0, 1e-14) << row.name;
      }
      double rate = loop.number(row.b);
      const std::vector<double> a = loop.numbers(row.a);
      for (std::size_t i = 0; i < a.size(); ++i) rate += a[i] * loop.value(loop.e.u[i]);
      EXPECT_NEAR(rate, 0, 1e-13) << row.name;
      rows += row.redundant ? 0 : 1;
    }
    EXPECT_EQ(loop.e.u.size() - rows, tree.e.u.size());
    loop.solve_motion();
    for (const char* name : {"A", "B", "B.com"}) {
      const PointOutput &p = point_of(tree.e, name), &q = point_of(loop.e, name);
      EXPECT_LT(testing::distance(loop.numbers(q.acceleration), tree.numbers(p.acceleration)), 1e-11) << name;
    }
    EXPECT_LT(testing::distance(loop.numbers(body_of(loop.e, "B").angular_acceleration),
                                tree.numbers(body_of(tree.e, "B").angular_acceleration)),
              1e-11);
    for (const char* name : {"base", "J"}) {
      const ReactionOutput &r = reaction_of(tree.e, name), &s = reaction_of(loop.e, name);
      EXPECT_LT(testing::distance(loop.numbers(s.force), tree.numbers(r.force)), 1e-11) << "force of " << name;
      EXPECT_LT(testing::distance(loop.numbers(s.torque), tree.numbers(r.torque)), 1e-11) << "torque of " << name;
    }
    // The joint that only names where the body is transmits nothing.
    const ReactionOutput& none = reaction_of(loop.e, "float");
    EXPECT_LT(testing::distance(loop.numbers(none.force), {0, 0, 0}), 1e-11);
    EXPECT_LT(testing::distance(loop.numbers(none.torque), {0, 0, 0}), 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ClosingJoints,
    ::testing::Values(ClosingCase{"weld", "weld"}, ClosingCase{"revolute", "revolute"},
                      ClosingCase{"prismatic", "prismatic"}, ClosingCase{"screw", "screw"},
                      ClosingCase{"cylindrical", "cylindrical"}, ClosingCase{"universal", "universal"},
                      ClosingCase{"gimbal", "gimbal"}, ClosingCase{"spherical", "spherical"},
                      ClosingCase{"planar", "planar"}, ClosingCase{"general", "general"},
                      ClosingCase{"turned", "turned"}, ClosingCase{"behind", "behind"},
                      ClosingCase{"revolute_laws", "revolute", true}, ClosingCase{"prismatic_laws", "prismatic", true},
                      ClosingCase{"cylindrical_laws", "cylindrical", true}, ClosingCase{"planar_laws", "planar", true},
                      ClosingCase{"screw_laws", "screw", true}, ClosingCase{"spherical_laws", "spherical", true},
                      ClosingCase{"behind_laws", "behind", true}, ClosingCase{"around", "around"}),
    [](const auto& test) { return test.param.name; });

// A loop may be cut anywhere: the joints bear the same.
TEST(ClosingJoints, ALoopMayBeCutAnywhere) {
  // A four-bar linkage: N-A-B-C-N, each joint a revolute about z, closed at one of the four joints.
  const double lengths[] = {0.3, 0.9, 0.7, 1.0};
  const auto linkage = [&](std::size_t cut) {
    RandomTree random(31);
    Mechanism m("linkage");
    m.gravity.text = "-9.81*N.y";
    const std::vector<std::string> bodies{"A", "B", "C"};
    for (const std::string& name : bodies) m.add_body(body(name, random));
    // Around the loop: joint k leads from bodies[k - 1] (or the ground) to bodies[k] (or the ground again).
    std::vector<Joint> joints;
    for (std::size_t k = 0; k < 4; ++k) {
      Joint j = joint(fmt::format("J{}", k), "revolute", k == 0 ? "N" : bodies[k - 1], k == 3 ? "N" : bodies[k]);
      if (k > 0) j.on_parent.position = {lengths[k - 1], 0, 0};
      if (k == 3) j.on_child.position = {lengths[3], 0, 0};
      j.motions = open_joint(joint_kind("revolute", {}));
      j.closing = k == cut;
      if (k > cut) {  // now placed from the other side: the angle counts backwards
        std::swap(j.parent, j.child);
        std::swap(j.on_parent, j.on_child);
      }
      joints.push_back(j);
    }
    for (Joint& j : joints) {
      if (!j.closing) name_motions(*m.graph, j, {}, {});
      m.add_joint(j);
    }
    return m;
  };
  // Angles of the bars from the ground's x axis, A given, closed by the law of cosines.
  const double a = 1.1, x = lengths[3] - lengths[0] * std::cos(a), y = -lengths[0] * std::sin(a);
  const double d = std::hypot(x, y);
  const double at_end = std::acos((d * d + lengths[1] * lengths[1] - lengths[2] * lengths[2]) / (2 * d * lengths[1]));
  const double b = std::atan2(y, x) + at_end;
  const double c = std::atan2(y - lengths[1] * std::sin(b), x - lengths[1] * std::cos(b));
  // Rates for a' = 1: a' (cross a) + b' (cross b) + c' (cross c) = 0 along x and y.
  const double determinant = lengths[1] * lengths[2] * std::sin(c - b);
  const double db = lengths[0] * lengths[2] * std::sin(a - c) / determinant;
  const double dc = lengths[0] * lengths[1] * std::sin(b - a) / determinant;
  const std::map<std::string, std::pair<double, double>> bars{
      {"N", {0, 0}}, {"A", {a, 1}}, {"B", {b, db}}, {"C", {c, dc}}};
  std::map<std::string, std::vector<double>> expected;
  for (std::size_t cut = 0; cut < 4; ++cut) {
    SCOPED_TRACE(cut);
    const Mechanism m = linkage(cut);
    Situation s(m, 32);
    for (const Joint& j : m.joints) {
      if (j.closing) continue;
      s.value(j.motions[0].coordinates[0]) = bars.at(j.child).first - bars.at(j.parent).first;
      s.value(j.motions[0].speeds[0]) = bars.at(j.child).second - bars.at(j.parent).second;
    }
    for (const ConstraintEquation& row : s.e.constraints) EXPECT_NEAR(s.number(*row.phi), 0, 1e-14) << row.name;
    EXPECT_EQ(s.e.constraints.size(), 2U);  // the plane's three conditions hold by themselves
    s.solve_motion();
    for (const BodyOutput& body_output : s.e.bodies)
      expected.try_emplace("alpha " + body_output.name, s.numbers(body_output.angular_acceleration));
    for (const BodyOutput& body_output : s.e.bodies)
      EXPECT_LT(
          testing::distance(s.numbers(body_output.angular_acceleration), expected.at("alpha " + body_output.name)),
          1e-11);
    for (const Joint& j : m.joints) {
      // On the body further along the loop, in the plane and in the axes of the ground. (The closing joint of a planar
      // loop cannot tell how it shares the forces out of the plane with the others.)
      const ReactionOutput& r = reaction_of(s.e, j.name);
      const std::vector<double> f = s.numbers(r.force);
      const double angle = bars.at(r.frame).first;
      const bool turned = j.name[1] - '0' > static_cast<int>(cut);
      const double sign = turned ? -1 : 1;
      const std::vector<double> in_ground{sign * (std::cos(angle) * f[0] - std::sin(angle) * f[1]),
                                          sign * (std::sin(angle) * f[0] + std::cos(angle) * f[1])};
      expected.try_emplace(j.name, in_ground);
      EXPECT_LT(testing::distance(in_ground, expected.at(j.name)), 1e-11) << j.name;
      EXPECT_NEAR(s.numbers(r.torque)[2], 0, 1e-11 * (1 + std::abs(f[0])));
    }
  }
}

}  // namespace
}  // namespace kane
