// Mechanisms described in C++ against the model files of the same systems: all their equations are the same expressions.

#include <gtest/gtest.h>

#include <filesystem>

#include "kane/expr/substitution.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {
namespace {

/// Everything in the equations that is an expression, with a name for messages.
std::vector<std::pair<std::string, Expr>> expressions_of(const EquationsOfMotion& e) {
  std::vector<std::pair<std::string, Expr>> all;
  const auto add = [&](const std::string& name, const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) all.emplace_back(fmt::format("{}[{}]", name, i), list[i]);
  };
  add("q", e.q), add("u", e.u), add("qdot", e.qdot), add("M", e.M.entries), add("rhs", e.rhs);
  add("udot_explicit", e.udot_explicit), add("inverse", e.inverse);
  for (const auto& c : e.constraints) {
    add(c.name + ".A", c.a);
    if (c.phi) all.emplace_back(c.name + ".phi", *c.phi);
    all.emplace_back(c.name + ".b", c.b), all.emplace_back(c.name + ".gamma", c.gamma);
    all.emplace_back(c.name + (c.active ? ".active" : ".inactive"), Expr(1));
  }
  for (const auto& c : e.contacts) {
    all.emplace_back("contact " + c.name + ".restitution", c.restitution);
    all.emplace_back("contact " + c.name + ".normal", c.normal);
  }
  for (const auto& f : e.frictions) {
    all.emplace_back("friction " + f.name + ".kinetic", f.kinetic);
    all.emplace_back("friction " + f.name + ".stiction", f.stiction);
  }
  for (const auto& s : e.switches) {
    all.emplace_back("event " + s.name + ".guard", s.guard);
    all.emplace_back("event " + s.name + ".direction", s.direction);
    all.emplace_back(fmt::format("event {} imposes {} releases {} stops {}", s.name, fmt::join(s.impose, ","),
                                 fmt::join(s.release, ","), s.stop),
                     Expr(1));
    for (const auto& r : s.resets) all.emplace_back(fmt::format("event {} resets {}", s.name, r.index), r.value);
  }
  for (const auto& m : e.modes) all.emplace_back(fmt::format("mode {}: {}", m.name, fmt::join(m.active, ",")), Expr(1));
  for (const auto& h : e.handles) {
    all.emplace_back("handle " + h.name + ".stiffness", h.stiffness);
    all.emplace_back("handle " + h.name + ".damping", h.damping);
  }
  for (const auto& p : e.parameters) all.emplace_back("parameter " + p.symbol.name(), p.value);
  for (const auto& i : e.inputs) all.emplace_back("input " + i.symbol.name(), i.value);
  for (const auto& o : e.outputs) all.emplace_back("output " + o.name, o.value);
  for (const auto& p : e.points) add(p.name + ".position", p.position), add(p.name + ".velocity", p.velocity);
  for (const auto& b : e.bodies) add(b.name + ".omega", b.angular_velocity);
  for (const auto& r : e.reactions) add(r.name + ".force", r.force), add(r.name + ".torque", r.torque);
  for (const auto& a : e.auxiliary_forces) all.emplace_back("auxiliary " + a.name, a.value);
  all.emplace_back("kinetic", e.kinetic);
  all.emplace_back("potential", e.potential.value_or(0));
  return all;
}

void expect_same(const Mechanism& described, const std::string& file) {
  const Mechanism read = read_yaml_model(std::filesystem::path(KANE_SOURCE_DIR) / "models" / (file + ".yaml"));
  const EquationsOfMotion ours = form_equations(described), theirs = form_equations(read);
  const auto a = expressions_of(ours), b = expressions_of(theirs);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(ours.graph->bind(a[i].second) == copy_to(*ours.graph, theirs.graph->bind(b[i].second)))
        << a[i].first << ": " << a[i].second.to_string() << " instead of " << b[i].second.to_string();
  }
  EXPECT_EQ(described.initial, read.initial);
  EXPECT_EQ(described.simulation.until, read.simulation.until);
  EXPECT_EQ(described.sampled_inputs.size(), read.sampled_inputs.size());
}

TEST(Describe, TwoLinkRobot) {
  Mechanism m("planar2r");
  const Expr mass = m.parameter("m", 1.3), L = m.parameter("L", 0.7), g = m.parameter("g", 9.81);
  const Expr TA = m.input("TA"), TAB = m.input("TAB");
  m.set_gravity({0, -g, 0});
  const BodyRef A = m.add_body("A"), B = m.add_body("B");
  m.add_particle("P1", {.mass = mass, .on = A, .at = {L, 0, 0}});
  const PointRef tip = m.add_particle("P2", {.mass = mass, .on = B, .at = {L, 0, 0}});
  m.revolute("shoulder", m.ground, A, axis::z, {.coordinate = "q1"});
  m.revolute("elbow", A, B, axis::z, {.coordinate = "q2", .at = {L, 0, 0}});
  m.add_torque_about("motor1", A, TA, axis::z);
  m.add_torque_about("motor2", B, TAB, axis::z, A);
  m.set_speeds({{"u1", "q1'"}, {"u2", "q2'"}});
  m.add_output("tip_x", "dot(position(P2), N.x)");
  m.add_output("tip_y", "dot(position(" + tip.name() + "), N.y)");
  for (const auto& [name, value] : {std::pair{"q1", 0.4}, {"q2", -0.7}, {"u1", 0.5}, {"u2", -0.2}})
    m.set_initial(name, value);
  m.simulation = {.until = 3, .method = "dopri5", .tolerance = 1e-11};
  expect_same(m, "planar2r");
}

TEST(Describe, CartPoleWithFeedback) {
  Mechanism m("cartpole");
  const Expr M = m.parameter("M", 1, "kg"), mp = m.parameter("m", 0.2), l = m.parameter("l", 0.5);
  const Expr J = m.parameter("J", 0.02), g = m.parameter("g", 9.81), b = m.parameter("b", 0.1);
  const Expr k1 = m.parameter("k1", 4.53), k2 = m.parameter("k2", 6.36), k3 = m.parameter("k3", 48.24),
             k4 = m.parameter("k4", 12.52);
  const Expr F = m.input("F");
  m.set_gravity({0, -g, 0});
  const BodyRef cart = m.add_body("cart", {.mass = M, .geometry = {shape::box(0.3, 0.15, 0.2)}});
  const BodyRef pole = m.add_body("pole", {.mass = mp, .centre = {0, l, 0}, .inertia = {J, 0, J}});
  m.prismatic("rail", m.ground, cart, axis::x, {.coordinate = "x", .damping = b, .limits = {-2, 2}, .actuator = F});
  m.revolute("pivot", cart, pole, -axis::z, {.coordinate = "theta"});
  m.drive(F, k1 * m.coordinate("x") + k2 * m.speed("u_x") + k3 * m.coordinate("theta") + k4 * m.speed("u_theta"));
  m.set_initial("x", 0);
  m.set_initial("theta", m.degrees(5));
  m.simulation.until = 6;
  expect_same(m, "cartpole");
}

TEST(Describe, FourBarLoop) {
  Mechanism m("fourbar");
  const Expr l1 = m.parameter("l1", 0.3), l2 = m.parameter("l2", 0.9), l3 = m.parameter("l3", 0.7);
  const Expr d = m.parameter("d", 0.8), m1 = m.parameter("m1", 0.8), m2 = m.parameter("m2", 1.6);
  const Expr m3 = m.parameter("m3", 1.1), I1 = m.parameter("I1", 0.006), I2 = m.parameter("I2", 0.108);
  const Expr I3 = m.parameter("I3", 0.045), g = m.parameter("g", 9.81);
  m.set_gravity("-g*N.y");
  (void)g;
  const BodyRef L1 = m.add_body("L1", {.mass = m1, .centre = {l1 / 2, 0, 0}, .inertia = {0, 0, I1}});
  const BodyRef L2 = m.add_body("L2", {.mass = m2, .centre = {l2 / 2, 0, 0}, .inertia = {0, 0, I2}});
  const BodyRef L3 = m.add_body("L3", {.mass = m3, .centre = {l3 / 2, 0, 0}, .inertia = {0, 0, I3}});
  const PointRef end2 = m.add_point("end", L2, {l2, 0, 0}), end3 = m.add_point("end", L3, {l3, 0, 0});
  const JointRef O = m.revolute("O", m.ground, L1, axis::z, {.coordinate = "q1"});
  m.revolute("A", L1, L2, axis::z, {.coordinate = "q2", .at = {l1, 0, 0}, .rotation_from = "N"});
  m.revolute("D", m.ground, L3, axis::z, {.coordinate = "q3", .at = {d, 0, 0}});
  m.add_motor("tau", O);
  m.hold_point("loop", end2, end3, {.directions = {axis::x, axis::y}});
  m.dependent_speeds = {"u2", "u3"};
  m.initial = {{"q1", 0.5}, {"q2", 0.629172116660668},   {"q3", 1.294526405121865},
               {"u1", 2},   {"u2", -0.7705470922927423}, {"u3", -0.17885070197728137}};
  m.simulation = {.until = 3, .tolerance = 1e-11};
  expect_same(m, "fourbar");
}

TEST(Describe, RollingDisk) {
  Mechanism m("rolling_disk_3d");
  const Expr mass = m.parameter("m", 1.5), r = m.parameter("r", 0.4), I = m.parameter("I", 0.06);
  const Expr J = m.parameter("J", 0.12), g = m.parameter("g", 9.81);
  m.set_gravity({0, 0, -g});
  const BodyRef Y = m.add_body("Y"), L = m.add_body("L");
  const BodyRef R =
      m.add_body("R", {.mass = mass,
                       .inertia = {I, J, I},
                       .geometry = {shape::disk(r, 0, {.orientation = SimpleRotation{Axis::X, m.degrees(90)}})}});
  m.general("yaw", m.ground, Y,
            {translate(axis::x, {.coordinate = "x"}), translate(axis::y, {.coordinate = "y"}),
             translate(axis::z, {.coordinate = "z"}), rotate(axis::z, {.coordinate = "q1"})});
  m.revolute("lean", Y, L, axis::x, {.coordinate = "q2"});
  m.revolute("spin", L, R, axis::y, {.coordinate = "q3"});
  m.coordinate_order = {"q1", "q2", "q3", "x", "y", "z"};
  m.set_speeds({{"u1", "dot(omega(R), L.x)"},
                {"u2", "dot(omega(R), L.y)"},
                {"u3", "dot(omega(R), L.z)"},
                {"u4", "dot(v(R), N.x)"},
                {"u5", "dot(v(R), N.y)"},
                {"u6", "dot(v(R), N.z)"}});
  m.roll("rolling", R, {.contact = {L, {0, 0, -r}}, .directions = {axis::x, axis::y, axis::z}});
  m.dependent_speeds = {"u4", "u5", "u6"};
  m.initial = {{"q1", 0.2},
               {"q2", 0.15},
               {"q3", 0},
               {"x", 0},
               {"y", 0},
               {"z", 0.3955084311744169},
               {"u1", 0.1},
               {"u2", 4},
               {"u3", 0.3},
               {"u4", 1.5759640640805093},
               {"u5", 0.27910846980725107},
               {"u6", -0.005977525298943969}};
  m.simulation.until = 2;
  expect_same(m, "rolling_disk_3d");
}

TEST(Describe, BouncingBall) {
  Mechanism m("bouncing_ball");
  const Expr mass = m.parameter("m", 0.2), r = m.parameter("r", 0.05);
  m.parameter("h", 1);
  const Expr e = m.parameter("e", 0.7), g = m.parameter("g", 9.81);
  m.set_gravity({0, -g, 0});
  const BodyRef ball = m.add_body("ball", {.mass = mass, .geometry = {shape::sphere(r)}});
  m.prismatic("fall", m.ground, ball, axis::y, {.coordinate = "y", .speed = "v"});
  m.add_contact("floor", SphereContact{.body = ball, .radius = r, .plane = axis::y}, {.restitution = e});
  m.add_output("gap", m.coordinate("y") - r);
  m.add_output("E", "energy");
  m.set_initial("y", 1.05);
  m.set_initial("v", 0);
  m.simulation.until = 3;
  expect_same(m, "bouncing_ball");
}

TEST(Describe, SpinningTop) {
  Mechanism m("spinning_top");
  const Expr mass = m.parameter("m", 0.3), l = m.parameter("l", 0.06), A = m.parameter("A", 2e-3);
  const Expr C = m.parameter("C", 4e-4), g = m.parameter("g", 9.81);
  m.set_gravity({0, 0, -g});
  m.add_body("P");
  m.add_body("L");
  // About the fixed point, as the parameters are meant; the file subtracts m l^2 by hand.
  m.add_body("T", {.mass = mass, .centre = {0, 0, l}, .inertia = Inertia(A, A, C).about({0, 0, 0})});
  m.revolute("precession", "N", "P", axis::z, {.coordinate = "heading"});
  m.revolute("nutation", "P", "L", axis::x, {.coordinate = "tilt"});
  m.revolute("spin", "L", "T", axis::z, {.coordinate = "spin"});
  m.initial = {{"tilt", 0.5}, {"u_spin", 200}, {"u_heading", 2}};
  m.simulation.until = 5;
  expect_same(m, "spinning_top");
}

TEST(Describe, LatchWithEvents) {
  Mechanism m("latch");
  const Expr J = m.parameter("J", 0.8), k = m.parameter("k", 3), c = m.parameter("c", 0.2),
             hold = m.parameter("hold", 4);
  const Expr pull = m.input("pull");
  m.drive(pull, 8 * max(0, m.time() - 2));
  const BodyRef door = m.add_body("door", {.mass = 5, .inertia = {0, 0, J}});
  m.revolute("hinge", m.ground, door, axis::z, {.coordinate = "q", .speed = "u", .stiffness = k, .damping = c});
  m.add_torque("hand", door, {0, 0, pull});
  const ConstraintRef latched = m.hold_motion("latched", {m.speed("u")}, false);
  m.add_event("catch", {.when = m.coordinate("q"), .sense = Sense::Falling, .impose = {latched}});
  m.add_event("tear", {.force = latched, .exceeds = hold, .release = {latched}});
  m.add_output("E", "energy");
  m.initial = {{"q", 1.2}, {"u", 0}};
  m.simulation.until = 4;
  expect_same(m, "latch");
}

TEST(Describe, SampledArm) {
  Mechanism m("pd_arm");
  const Expr m1 = m.parameter("m1", 2), m2 = m.parameter("m2", 1), l = m.parameter("l", 0.4),
             g = m.parameter("g", 9.81);
  m.parameter("kp", 60), m.parameter("kd", 12), m.parameter("q1d", 1), m.parameter("q2d", -0.5);
  const Expr T1 = m.input("T1"), T2 = m.input("T2");
  m.set_gravity({0, -g, 0});
  const Position middle{l / 2, 0, 0};
  const BodyRef upper = m.add_body("upper", {.mass = m1, .centre = middle, .inertia = {0, 0, m1 * l * l / 12}});
  const BodyRef fore = m.add_body("fore", {.mass = m2, .centre = middle, .inertia = {0, 0, m2 * l * l / 12}});
  m.add_point("tip", fore, {l, 0, 0});
  m.add_point("elbow", upper, {l, 0, 0});
  m.revolute("shoulder", m.ground, upper, axis::z, {.coordinate = "q1", .actuator = T1});
  m.revolute("elbow", upper, fore, axis::z, {.coordinate = "q2", .at = "elbow", .actuator = T2});
  m.points.pop_back();  // the file has no such point
  m.drive(T1, "kp*(q1d - q1) - kd*u1 + (m1/2 + m2)*g*l*cos(q1) + m2*g*l/2*cos(q1 + q2)",
          {.period = 4e-3, .delay = 2e-3});
  m.drive(T2, m.expression("kp/4*(q2d - q2) - kd/4*u2 + m2*g*l/2*cos(q1 + q2)"), {.period = 4e-3, .delay = 2e-3});
  m.add_output("tip_x", "dot(position(tip), N.x)");
  m.add_output("tip_y", "dot(position(tip), N.y)");
  m.set_initial("q1", m.degrees(-90));
  m.set_initial("q2", 0);
  m.simulation.until = 3;
  expect_same(m, "pd_arm");
}

TEST(Describe, ShoppingCart) {
  Mechanism m("shopping_cart");
  const Expr mB = m.parameter("mB", 18), IB = m.parameter("IB", 2.2), mC = m.parameter("mC", 1.5);
  const Expr L1 = m.parameter("L1", 0.35), L2 = m.parameter("L2", 0.8), L3 = m.parameter("L3", 0.09);
  const Expr F = m.input("F", 4), tau = m.input("tau", -1);
  const BodyRef B = m.add_body("B", {.mass = mB, .centre = {L1, 0, 0}, .inertia = {0, 0, IB}});
  const BodyRef C = m.add_body("C");
  const PointRef P1 = m.add_point("P1", B, {0, 0, 0});
  m.add_point("P2", B, {L2, 0, 0});
  m.add_particle("P3", {.mass = mC, .on = C, .at = {-L3, 0, 0}});
  m.planar("floor", m.ground, B, {.coordinates = {"q1", "q2", "q3"}});
  m.revolute("caster", B, C, axis::z, {.coordinate = "q4", .at = "P2"});
  m.add_force("push", P1, {B, {F, 0, 0}});
  m.add_torque("turn", B, {0, 0, tau});
  m.set_speeds({{"u1", "dot(v(P1), B.x)"}, {"u2", "dot(omega(B), N.z)"}, {"u3", "dot(omega(C), N.z)"}});
  m.add_auxiliary("rear_lateral_force", {.definition = "dot(v(P1), B.y)"});
  m.hold_motion("rolling", {"dot(v(P3), C.y)"});
  m.hold_motion("stuck", {"u3 - u2"}, false);
  m.add_friction("bearing", {.slip = {"u3 - u2"}, .limit = 0.02, .stiction = 0.03});
  m.add_handle("x", {.position = "dot(position(P1), N.x)", .stiffness = 400, .damping = 0.2});
  m.add_handle("y", {.position = "dot(position(P1), N.y)", .stiffness = 400, .damping = 0.2});
  m.add_handle("theta", {.position = "q3", .stiffness = 20, .damping = 0.05});
  m.initial = {{"q1", 0}, {"q2", 0}, {"q3", 0.2}, {"q4", 0.8}, {"u1", 0.6}, {"u2", 0.3}, {"u3", -2.924489381071044}};
  m.simulation.until = 1.5;
  expect_same(m, "shopping_cart");
}

TEST(Describe, ScaraByDenavitHartenberg) {
  Mechanism m("scara_dh");
  const Expr a1 = m.parameter("a1", 0.325), a2 = m.parameter("a2", 0.225), g = m.parameter("g", 9.81);
  const Expr T1 = m.input("T1"), T2 = m.input("T2"), F3 = m.input("F3"), T4 = m.input("T4");
  m.set_gravity({0, 0, -g});
  m.add_body("arm1", {.mass = 6, .shape = shape::box(0.325, 0.08, 0.06, {.at = {a1 / 2, 0, 0}})});
  m.add_body("arm2", {.mass = 4, .shape = shape::box(0.225, 0.07, 0.06, {.at = {a2 / 2, 0, 0}})});
  m.add_body("quill", {.mass = 1, .shape = shape::cylinder(0.01, 0.3)});
  m.add_body("tool", {.mass = 0.3, .shape = shape::cylinder(0.02, 0.04)});
  constexpr auto kTurn = MotionKind::Rotation, kSlide = MotionKind::Translation;
  m.by_denavit_hartenberg("shoulder", m.ground, "arm1", kTurn, {},
                          {.coordinate = "q1", .at = {0, 0, 0.4}, .actuator = T1});
  m.by_denavit_hartenberg("elbow", "arm1", "arm2", kTurn, {.a = a1}, {.coordinate = "q2", .actuator = T2});
  m.by_denavit_hartenberg("slide", "arm2", "quill", kSlide, {.a = a2, .alpha = m.degrees(180)},
                          {.coordinate = "q3", .actuator = F3});
  m.by_denavit_hartenberg("wrist", "quill", "tool", kTurn, {}, {.coordinate = "q4", .actuator = T4});
  m.set_initial("q1", m.degrees(20));
  m.set_initial("q2", m.degrees(40));
  m.set_initial("q3", 0.05);
  m.simulation.until = 1;
  expect_same(m, "scara_dh");
}

// ---- joints against each other ------------------------------------------------------------------------------------------

/// Kinetic energy and rates of a heavy body on a joint, by any description of it.
template <class Add>
EquationsOfMotion on_joint(Add add) {
  Mechanism m("one");
  m.set_gravity({0, 0, -9.81});
  const BodyRef body =
      m.add_body("body", {.mass = 2, .centre = {0.1, 0.2, 0.3}, .inertia = {1, 2, 2.5, 0.1, 0.2, 0.3}});
  add(m, body);
  return form_equations(m);
}

void expect_same_motion(const EquationsOfMotion& a, const EquationsOfMotion& b) {
  ASSERT_EQ(a.u.size(), b.u.size());
  EXPECT_TRUE(a.kinetic == copy_to(*a.graph, b.kinetic));
  EXPECT_TRUE(*a.potential == copy_to(*a.graph, *b.potential));
  for (std::size_t i = 0; i < a.qdot.size(); ++i)
    EXPECT_TRUE(a.graph->bind(a.qdot[i]) == copy_to(*a.graph, b.graph->bind(b.qdot[i])));
}

TEST(Describe, JointsAreTheirWrittenOutMotions) {
  using Axes = std::vector<JointMotion>;
  const auto written = [](Axes motions) {
    return on_joint([&](Mechanism& m, const BodyRef& b) { m.general("j", m.ground, b, motions); });
  };
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.cylindrical("j", m.ground, b, axis::y); }),
                     written({translate(axis::y), rotate(axis::y)}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.universal("j", m.ground, b, axis::x, axis::z); }),
                     written({rotate(axis::x), rotate(axis::z)}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.gimbal("j", m.ground, b, "zxz"); }),
                     written({rotate(axis::z), rotate(axis::x), rotate(axis::z)}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) {
                       m.gimbal("j", m.ground, b, "space 123", {.coordinates = {"roll", "pitch", "yaw"}});
                     }),
                     written({rotate(axis::z, {.coordinate = "yaw"}), rotate(axis::y, {.coordinate = "pitch"}),
                              rotate(axis::x, {.coordinate = "roll"})}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.screw("j", m.ground, b, axis::z, 0.01); }),
                     written({twist(axis::z, 0.01)}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.spherical("j", m.ground, b); }),
                     written({ball()}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.planar("j", m.ground, b); }),
                     written({translate(axis::x), translate(axis::y), rotate(axis::z)}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.free("j", m.ground, b); }),
                     written({translate(axis::x), translate(axis::y), translate(axis::z), ball()}));
  expect_same_motion(on_joint([](Mechanism& m, const BodyRef& b) { m.bushing("j", m.ground, b); }),
                     written({translate(axis::x), translate(axis::y), translate(axis::z), rotate(axis::x),
                              rotate(axis::y), rotate(axis::z)}));
}

TEST(Describe, WhatIsWrittenAsYamlReadsBack) {
  Mechanism m("gearbox");
  const Expr r = m.parameter("r", 0.1);
  const BodyRef a = m.add_body("a", {.mass = 1, .inertia = {1, 1, 2}}),
                b = m.add_body("b", {.mass = 1, .inertia = {1, 1, 2}});
  m.revolute("ja", m.ground, a, axis::z, {.coordinate = "qa", .speed = "ua"});
  m.revolute("jb", m.ground, b, axis::z, {.coordinate = "qb", .speed = "ub", .at = {3 * r, 0, 0}});
  m.gear("mesh", m.coordinate("qa"), m.coordinate("qb"), Expr(-1) / 2, {.offset = 0.1});
  m.prescribe("drive", m.coordinate("qa"), "0.1*sin(2*t)");
  m.rope("rope", {a, b}, 3 * r, false);
  m.add_mode("both", {"mesh", "drive"});
  m.add_mode("loose", {});
  const Mechanism back = read_yaml_text(write_yaml(m));
  const auto x = expressions_of(form_equations(m));
  const EquationsOfMotion e = form_equations(back);
  const auto y = expressions_of(e);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].first, y[i].first);
  EXPECT_EQ(back.switching.initial_mode, "both");
}

// ---- errors -------------------------------------------------------------------------------------------------------------

std::string error_of(const std::function<void(Mechanism&)>& describe, int* line = nullptr) {
  Mechanism m("wrong");
  try {
    describe(m);
    (void)form_equations(m);
  } catch (const ModelError& error) {
    EXPECT_TRUE(error.where().file.ends_with("describe_test.cpp")) << error.what();
    EXPECT_EQ(error.where().column, 0);
    if (line != nullptr) *line = error.where().line;
    return error.message();
  }
  return "no error";
}

TEST(DescribeErrors, PointToTheLineOfTheCall) {
  int line = 0;
  const std::string message = error_of(
      [&](Mechanism& m) {
        m.add_body("link");
        m.revolute("pin", m.ground, "lnik");
        line = -__LINE__;
      },
      &line);
  EXPECT_EQ(line, __LINE__ - 4);
  EXPECT_EQ(message, "the joint 'pin' names the body 'lnik', which does not exist; did you mean 'link'?");
}

TEST(DescribeErrors, NameWhatIsWrong) {
  const auto with_link = [](auto describe) {
    return error_of([&](Mechanism& m) {
      const BodyRef link = m.add_body("link", {.mass = 1});
      m.add_point("tip", link, {1, 0, 0});
      m.revolute("pin", m.ground, link, axis::z, {.coordinate = "q"});
      describe(m, link);
    });
  };
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef& link) { m.add_point("far", link, "tpi"); }),
            "the point 'far' names the point 'tpi', which 'link' does not have; did you mean 'tip'?");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { m.add_motor("T", "pn"); }),
            "the motor 'T' names the joint 'pn', which does not exist; did you mean 'pin'?");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { m.add_body("link"); }),
            "there are two things named 'link': a body and a body");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef& link) { m.add_body("b", {.density = 3}), (void)link; }),
            "the body 'b' has a density but no shape");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { m.drive(m.coordinate("q"), 1); }), "'q' is not an input");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { m.add_output("x", "dot(v(tpi), N.x)"); }),
            "unknown name 'tpi'; did you mean 'tip'?");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { (void)m.expression("2*qq"); }),
            "unknown name 'qq'; did you mean 'q'?");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef&) { m.add_event("e", {.when = "q"}); }),
            "the event 'e' changes nothing: give one of impose, release, reset, to, stop");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef& link) {
              m.revolute("loop", m.ground, link, axis::z, {.coordinate = "p", .closing = true});
            }),
            "the joint 'loop' closes a loop and has no coordinates of its own, so it takes no names and values");
  EXPECT_EQ(with_link([](Mechanism& m, const BodyRef& link) {
              m.revolute("flat", m.ground, link, {0, 0, 0});
            }),
            "an axis of the joint 'flat' has length zero");
}

}  // namespace
}  // namespace kane
