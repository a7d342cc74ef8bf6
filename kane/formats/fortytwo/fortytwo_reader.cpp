#include "kane/formats/fortytwo/fortytwo_reader.hpp"

#include <cmath>
#include <numbers>

#include "kane/formats/import_names.hpp"
#include "kane/formats/text_check.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

/// Exact for quarter turns, so that joints along the axes stay along them.
std::pair<double, double> sine_and_cosine(double degrees) {
  const double quarters = degrees / 90;
  if (quarters == std::floor(quarters) && std::abs(quarters) < 1e6) {
    const int k = ((static_cast<int>(quarters) % 4) + 4) % 4;
    return {k == 1 ? 1 : k == 3 ? -1 : 0, k == 0 ? 1 : k == 2 ? -1 : 0};
  }
  return {std::sin(degrees * kRadiansPerDegree), std::cos(degrees * kRadiansPerDegree)};
}

Mat3 turn(char digit, double degrees) {
  const auto [s, c] = sine_and_cosine(degrees);
  switch (digit) {
    case '1': return {{Vec3{1, 0, 0}, Vec3{0, c, -s}, Vec3{0, s, c}}};
    case '2': return {{Vec3{c, 0, s}, Vec3{0, 1, 0}, Vec3{-s, 0, c}}};
    default: return {{Vec3{c, -s, 0}, Vec3{s, c, 0}, Vec3{0, 0, 1}}};
  }
}

/// R_i(a1) R_j(a2) R_k(a3): from the turned frame to the first one.
Mat3 rotation_of(const std::array<double, 3>& degrees, const std::string& sequence) {
  Mat3 r;
  for (std::size_t i = 0; i < sequence.size(); ++i) r = r * turn(sequence[i], degrees[i]);
  return r;
}
Mat3 rotation_of(const FortyTwoAngles& a) { return rotation_of(a.degrees, a.sequence); }

using FortyTwoQuaternion = std::array<double, 4>;  // scalar last

FortyTwoQuaternion quaternion_of(const std::array<double, 3>& degrees, const std::string& sequence) {
  FortyTwoQuaternion q{0, 0, 0, 1};
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const auto [s, c] = sine_and_cosine(degrees[i] / 2);
    Vec3 e;
    e[static_cast<std::size_t>(sequence[i] - '1')] = s;
    const Vec3 a{q[0], q[1], q[2]};
    const Vec3 v = q[3] * e + c * a + cross(a, e);
    q = {v.x, v.y, v.z, q[3] * c - dot(a, e)};
  }
  return q;
}

Mat3 rotation_of(const FortyTwoQuaternion& q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           Vec3{2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           Vec3{2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

Vec3 basis(char digit) {
  Vec3 e;
  e[static_cast<std::size_t>(digit - '1')] = 1;
  return e;
}

Expr3 expr_vector(const Vec3& v) { return {Expr(v.x), Expr(v.y), Expr(v.z)}; }
Expr33 expr_matrix(const Mat3& m) { return {expr_vector(m[0]), expr_vector(m[1]), expr_vector(m[2])}; }

class FortyTwoBuilder {
 public:
  FortyTwoBuilder(FortyTwoSpacecraft spacecraft, const std::string& file_name)
      : s_(std::move(spacecraft)),
        m_(plain_name(s_.label.empty() ? std::filesystem::path(file_name).stem().string() : s_.label)) {
    m_.where = {file_name, 1, 1};
    m_.notes = s_.notes;
  }

  Mechanism build() {
    for (std::size_t i = 0; i < s_.bodies.size(); ++i) add_body(i);
    add_root();
    for (std::size_t i = 0; i < s_.joints.size(); ++i) add_joint(i);
    for (std::size_t i = 0; i < s_.wheels.size(); ++i) add_wheel(i);
    order_state();
    set_start();
    m_.description = fmt::format("'{}', imported from 42", s_.label);
    (void)check_mechanism(m_);
    return std::move(m_);
  }

 private:
  static std::string body_name(std::size_t i) { return fmt::format("B{}", i); }
  static std::string axis_name(std::size_t joint, bool rotation, std::size_t i) {
    return fmt::format("J{}_{}{}", joint, rotation ? "Rot" : "Trn", i + 1);
  }

  void add_body(std::size_t i) {
    const FortyTwoBody& b = s_.bodies[i];
    MechanismBody body;
    body.name = body_name(i);
    body.where = b.where;
    body.mass = Expr(b.mass);
    body.mass_centre = expr_vector(b.mass_centre);
    // Products of inertia are positive integrals; the elements of the matrix are their negatives.
    Mat3 inertia{{Vec3{b.moments.x, -b.products.x, -b.products.y}, Vec3{-b.products.x, b.moments.y, -b.products.z},
                  Vec3{-b.products.y, -b.products.z, b.moments.z}}};
    if (s_.about_origin)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c)
          inertia[r][c] -=
              b.mass * ((r == c ? dot(b.mass_centre, b.mass_centre) : 0) - b.mass_centre[r] * b.mass_centre[c]);
    body.inertia = expr_matrix(inertia);
    m_.add_body(std::move(body));
    // Momentum h of spinning parts: I alpha + w x (I w + h) = T.
    if (norm(b.momentum) != 0)
      add_torque(fmt::format("momentum{}", i), i,
                 fmt::format("cross({}, omega({}))", in_axes(b.momentum, i), body_name(i)), b.where);
  }

  [[nodiscard]] static std::string in_axes(const Vec3& v, std::size_t body) {
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
      if (v[k] != 0) text += fmt::format("{}({})*{}.{}", text.empty() ? "" : " + ", v[k], body_name(body), "xyz"[k]);
    return "(" + (text.empty() ? fmt::format("0*{}.x", body_name(body)) : text) + ")";
  }

  void add_torque(const std::string& name, std::size_t body, const std::string& torque, const Where& where,
                  const std::string& reaction = "") {
    Load load;
    load.name = name;
    load.where = where;
    load.what = TorqueLoad{{torque, where}, {}, body_name(body), reaction};
    m_.loads.push_back(std::move(load));
  }

  /// Body 0: its mass centre in N, then its attitude.
  void add_root() {
    Joint joint;
    joint.name = "root";
    joint.kind = "free";
    joint.parent = m_.ground;
    joint.child = body_name(0);
    joint.where = s_.bodies[0].where;
    joint.motions = open_joint(joint_kind("free", joint.where));
    joint.on_child.position = expr_vector(s_.bodies[0].mass_centre);
    name_motions(*m_.graph, joint, {"p1", "p2", "p3", "q1", "q2", "q3", "q4"}, {"v1", "v2", "v3", "w1", "w2", "w3"});
    m_.add_joint(std::move(joint));
  }

  void add_joint(std::size_t i) {
    const FortyTwoJoint& j = s_.joints[i];
    Joint joint;
    joint.name = fmt::format("J{}", i);
    joint.kind = "general";
    joint.where = j.where;
    joint.parent = body_name(j.inner);
    joint.child = body_name(j.outer);
    joint.on_parent = {expr_vector(j.on_inner), expr_matrix(rotation_of(j.inner_to_joint))};
    joint.on_child = {expr_vector(j.on_outer), expr_matrix(transposed(rotation_of(j.joint_to_outer)))};
    std::vector<std::string> q, u;
    append(joint, i, j.translation, false, q, u);
    if (j.spherical)
      append_ball(joint, i, q, u);
    else
      append(joint, i, j.rotation, true, q, u);
    name_motions(*m_.graph, joint, q, u);
    m_.add_joint(std::move(joint));
  }

  void append(Joint& joint, std::size_t number, const FortyTwoAxes& axes, bool rotation, std::vector<std::string>& q,
              std::vector<std::string>& u) {
    const FortyTwoJoint& j = s_.joints[number];
    for (std::size_t i = 0; i < 3; ++i) {
      ElementaryMotion motion;
      motion.kind = rotation ? MotionKind::Rotation : MotionKind::Translation;
      motion.axis = expr_vector(basis(axes.sequence[i]));
      motion.free = static_cast<int>(i) < axes.free && !axes.locked[i];
      if (motion.free) {
        const std::string name = axis_name(number, rotation, i);
        q.push_back(name);
        u.push_back("u_" + name);
        motion.law.stiffness = Expr(axes.stiffness[i]);
        motion.law.damping = Expr(axes.damping[i]);
        if (j.type == FortyTwoJointType::Actuated) motion.law.actuator = add_actuator(j, name, rotation);
      } else {
        motion.value = Expr(rotation ? axes.value[i] * kRadiansPerDegree : axes.value[i]);
      }
      joint.motions.push_back(std::move(motion));
    }
    double stiff = 0;
    for (std::size_t i = 0; i < 3; ++i) stiff += std::abs(axes.stiffness[i]) + std::abs(axes.damping[i]);
    if (rotation && axes.free == 3 && stiff != 0)
      m_.notes.push_back(fmt::format(
          "{}: springs and dampers of joint {} act on the angles; 42 adds their torques as vectors along three axes, "
          "which does not conserve energy",
          j.where.to_string(), number));
  }

  Expr add_actuator(const FortyTwoJoint& j, const std::string& axis, bool rotation) {
    const std::string input = (rotation ? "tau_" : "f_") + axis;
    m_.units[input] = rotation ? "N*m" : "N";
    m_.notes.push_back(fmt::format(
        "{}: the rate loop of the ACTUATED joint is not part of the file; its torque or force is the input {}",
        j.where.to_string(), input));
    return m_.add_input(input);
  }

  /// The rotation vector of Go in Gi and the rate of Go in Gi, both along axes of Go, have springs and dampers of their own.
  void append_ball(Joint& joint, std::size_t number, std::vector<std::string>& q, std::vector<std::string>& u) {
    const FortyTwoJoint& j = s_.joints[number];
    const auto locked = std::count(j.rotation.locked.begin(), j.rotation.locked.end(), true);
    if (locked != 0)
      throw ModelError(
          j.rotation.where,
          "the axes of a SPHERICAL joint cannot be locked; write a GIMBAL joint with the axes to be locked");
    ElementaryMotion motion;
    motion.kind = MotionKind::Ball;
    joint.motions.push_back(std::move(motion));
    std::vector<std::string> e;
    for (int k = 1; k <= 4; ++k) e.push_back(fmt::format("J{}_q{}", number, k));
    q.insert(q.end(), e.begin(), e.end());
    for (std::size_t k = 0; k < 3; ++k) u.push_back("u_" + axis_name(number, true, k));
    const Mat3 to_body = transposed(rotation_of(j.joint_to_outer));
    std::array<std::string, 3> torque;  // about axes of Go
    bool any = false;
    // phi = 2 atan2(|e|, |e4|) sign(e4) e/|e|; the bound keeps the quotient 1 where there is no rotation.
    const std::string size = fmt::format("sqrt(max({0}^2 + {1}^2 + {2}^2, 1e-20))", e[0], e[1], e[2]);
    const std::string factor = fmt::format("2*sign({1})*atan2({0}, abs({1}))/{0}", size, e[3]);
    for (std::size_t k = 0; k < 3; ++k) {
      std::string& t = torque[k];
      if (j.rotation.stiffness[k] != 0) t += fmt::format(" - ({})*{}*{}", j.rotation.stiffness[k], factor, e[k]);
      if (j.rotation.damping[k] != 0)
        t += fmt::format(" - ({})*u_{}", j.rotation.damping[k], axis_name(number, true, k));
      if (j.type == FortyTwoJointType::Actuated) t += " + " + add_actuator(j, axis_name(number, true, k), true).name();
      any = any || !t.empty();
    }
    if (!any) return;
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
      if (!torque[k].empty())
        text += fmt::format("{}(0{})*{}", text.empty() ? "" : " + ", torque[k], in_axes(to_body.column(k), j.outer));
    add_torque(fmt::format("J{}_torque", number), j.outer, text, j.where, body_name(j.inner));
  }

  /// I alpha + w x (I w + H a) = T - tau a, H' = tau.
  void add_wheel(std::size_t i) {
    const FortyTwoWheel& w = s_.wheels[i];
    const std::string H = fmt::format("H{}", i), tau = fmt::format("tau_wheel{}", i), B = body_name(w.body);
    m_.units[tau] = "N*m";
    (void)m_.add_input(tau);
    (void)m_.add_state(H, Quantity(tau, w.where), Expr(w.momentum), "N*m*s");
    const std::string axis = in_axes(unit(w.axis), w.body);
    add_torque(fmt::format("wheel{}", i), w.body, fmt::format("{}*cross({}, omega({})) - {}*{}", H, axis, B, tau, axis),
               w.where);
  }

  /// u: rate of body 0, joints in the order of the file, velocity of body 0; x likewise.
  void order_state() {
    std::vector<std::string> q{"q1", "q2", "q3", "q4"}, u{"w1", "w2", "w3"};
    for (std::size_t i = 1; i < m_.joints.size(); ++i)
      for (const bool rotation : {true, false})
        for (const ElementaryMotion& motion : m_.joints[i].motions) {
          if ((motion.kind == MotionKind::Translation) == rotation) continue;
          for (const Expr& x : motion.coordinates) q.push_back(x.name());
          for (const Expr& x : motion.speeds) u.push_back(x.name());
        }
    for (const char* p : {"p1", "p2", "p3"}) q.emplace_back(p);
    for (const char* v : {"v1", "v2", "v3"}) u.emplace_back(v);
    m_.coordinate_order = q;
    m_.speed_order = u;
  }

  // ---- start --------------------------------------------------------------------------------------------------------------
  /// Where a body is while the mass centre of body 0 is at the origin and at rest.
  struct BodyStart {
    Mat3 r;
    Vec3 origin, velocity, w;  ///< in N
    bool known = false;
  };

  /// The mass centre of the whole rests at the origin.
  void set_start() {
    std::vector<BodyStart> at(s_.bodies.size());
    start_root(at[0]);
    // Each pass places at least one body: inner bodies have lower indices, and each is the outer body of one joint.
    for (std::size_t pass = 0; pass < s_.joints.size(); ++pass)
      for (std::size_t i = 0; i < s_.joints.size(); ++i)
        if (at[s_.joints[i].inner].known && !at[s_.joints[i].outer].known) start_joint(i, at);
    Vec3 position, velocity;
    double mass = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const FortyTwoBody& b = s_.bodies[i];
      const Vec3 arm = at[i].r * b.mass_centre;
      position += b.mass * (at[i].origin + arm);
      velocity += b.mass * (at[i].velocity + cross(at[i].w, arm));
      mass += b.mass;
    }
    for (std::size_t k = 0; k < 3 && mass > 0; ++k) {
      m_.initial[fmt::format("p{}", k + 1)] = -position[k] / mass;
      m_.initial[fmt::format("v{}", k + 1)] = -velocity[k] / mass;
    }
  }

  void start_root(BodyStart& root) {
    FortyTwoQuaternion q =
        s_.attitude_code[1] == 'Q' ? s_.quaternion : quaternion_of(s_.angles.degrees, s_.angles.sequence);
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (double& x : q) x /= size;
    for (std::size_t k = 0; k < 4; ++k) m_.initial[fmt::format("q{}", k + 1)] = q[k];
    const Vec3 w = kRadiansPerDegree * s_.rate;
    for (std::size_t k = 0; k < 3; ++k) m_.initial[fmt::format("w{}", k + 1)] = w[k];
    root.r = rotation_of(q);
    root.w = root.r * w;
    root.origin = -(root.r * s_.bodies[0].mass_centre);
    root.velocity = cross(root.w, root.origin);
    root.known = true;
  }

  void start_joint(std::size_t number, std::vector<BodyStart>& at) {
    const FortyTwoJoint& j = s_.joints[number];
    const BodyStart& inner = at[j.inner];
    BodyStart& outer = at[j.outer];
    const Mat3 to_n = inner.r * rotation_of(j.inner_to_joint);  // Gi to N
    Vec3 shift, shift_rate, rate;
    Mat3 turned;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 slide = basis(j.translation.sequence[i]);
      shift += j.translation.value[i] * slide;
      const bool slides = static_cast<int>(i) < j.translation.free && !j.translation.locked[i];
      if (slides) shift_rate += j.translation.rate[i] * slide;
      const double turning = j.rotation.locked[i] ? 0 : j.rotation.rate[i] * kRadiansPerDegree;
      if (!j.spherical) rate += turning * (turned * basis(j.rotation.sequence[i]));
      turned = turned * turn(j.rotation.sequence[i], j.rotation.value[i]);
    }
    if (j.spherical)
      for (std::size_t k = 0; k < 3; ++k) rate += kRadiansPerDegree * j.rotation.rate[k] * turned.column(k);
    outer.r = to_n * turned * rotation_of(j.joint_to_outer);
    outer.w = inner.w + to_n * rate;
    const Vec3 arm = inner.r * j.on_inner + to_n * shift, back = outer.r * j.on_outer;
    outer.origin = inner.origin + arm - back;
    outer.velocity = inner.velocity + cross(inner.w, arm) + to_n * shift_rate - cross(outer.w, back);
    outer.known = true;
    start_coordinates(number);
  }

  void start_coordinates(std::size_t number) {
    const FortyTwoJoint& j = s_.joints[number];
    for (const bool rotation : {true, false}) {
      const FortyTwoAxes& axes = rotation ? j.rotation : j.translation;
      const double scale = rotation ? kRadiansPerDegree : 1;
      for (std::size_t i = 0; i < static_cast<std::size_t>(axes.free); ++i) {
        if (axes.locked[i]) continue;
        const std::string name = axis_name(number, rotation, i);
        if (!(rotation && j.spherical)) m_.initial[name] = axes.value[i] * scale;
        m_.initial["u_" + name] = axes.rate[i] * scale;
      }
    }
    if (!j.spherical) return;
    const FortyTwoQuaternion q = quaternion_of(j.rotation.value, j.rotation.sequence);
    for (std::size_t k = 0; k < 4; ++k) m_.initial[fmt::format("J{}_q{}", number, k + 1)] = q[k];
  }

  FortyTwoSpacecraft s_;
  Mechanism m_;
};

Mechanism read_fortytwo_in(std::string_view text, const std::string& file_name,
                           const std::optional<std::filesystem::path>& folder, const FortyTwoOptions& options) {
  check_text(text, file_name);
  return FortyTwoBuilder(parse_fortytwo(text, file_name, folder, options.lenient, options.limits), file_name).build();
}

}  // namespace

Mechanism read_fortytwo(const std::filesystem::path& file, const FortyTwoOptions& options) {
  const std::string text = read_file_bytes(file, file.string(), options.limits.max_bytes);
  const std::filesystem::path folder = file.parent_path();
  return read_fortytwo_in(text, file.string(), folder.empty() ? "." : folder, options);
}

Mechanism read_fortytwo_text(std::string_view text, const std::string& file_name, const FortyTwoOptions& options) {
  return read_fortytwo_in(text, file_name, std::nullopt, options);
}

}  // namespace kane
