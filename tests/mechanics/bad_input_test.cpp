// Wrong models get a sentence that names the objects and says what to do.

#include <gtest/gtest.h>

#include <functional>

#include "kane/base/error.hpp"
#include "oracle.hpp"

namespace kane::test {
namespace {

std::string message_of(const std::function<void()>& wrong) {
  try {
    wrong();
  } catch (const ModelError& e) {
    return e.message();
  }
  return "(no error)";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& w : words)
    EXPECT_NE(message.find(w), std::string::npos) << "'" << w << "' not in: " << message;
}

/// A particle in the plane with coordinates q1, q2.
struct Plane {
  System s{"plane"};
  FrameId N = s.inertial();
  Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2");
  PointId P = s.add_point("P", s.origin(), q1* x(N) + q2 * y(N));
  Expr m = s.add_parameter("m", 1);
  void add_mass() { s.add_particle("ball", P, m); }
  void add_rates() {
    s.add_speed("u1", s.rate(q1));
    s.add_speed("u2", s.rate(q2));
  }
  std::string derive() {
    return message_of([&] { (void)form_equations(s); });
  }
};

// ---- bodies -----------------------------------------------------------------------------------------------------------------

TEST(BadInput, MassMissing) {
  Plane p;
  p.s.add_particle("ball", p.P, std::nullopt);
  p.add_rates();
  expect_words(p.derive(), {"particle ball", "mass", "P moves"});
}

TEST(BadInput, MassMissingOnlyWhereNeeded) {
  System s("rotor");
  const Expr q = s.add_coordinate("q");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
  s.add_body("A", {.frame = A, .mass_centre = s.origin(), .inertia = inertia(A, 0, 0, s.add_parameter("J", 2))});
  s.add_speed("u", s.rate(q));
  EXPECT_EQ(form_equations(s).M(0, 0), sym(s, "J"));
}

TEST(BadInput, InertiaMissing) {
  System s("rotor");
  const Expr q = s.add_coordinate("q");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
  s.add_body("wheel", {.frame = A, .mass_centre = s.origin(), .mass = Expr(1)});
  s.add_speed("u", s.rate(q));
  expect_words(message_of([&] { (void)form_equations(s); }), {"body wheel", "inertia", "rotates"});
}

TEST(BadInput, SpeedThatMovesNoMass) {
  Plane p;
  p.s.add_particle("ball", p.s.add_point("Q", p.s.origin(), p.q1 * x(p.N)), p.m);
  p.add_rates();
  expect_words(p.derive(), {"mass", "u2"});
}

TEST(BadInput, TriangleInequalityIsAWarning) {
  System s("rotor");
  const Expr q = s.add_coordinate("q");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
  s.add_body("wheel", {.frame = A, .mass_centre = s.origin(), .mass = Expr(1), .inertia = inertia(A, 1, 1, 5)});
  s.add_speed("u", s.rate(q));
  const EquationsOfMotion e = form_equations(s);
  ASSERT_EQ(e.warnings.size(), 1U);
  expect_words(e.warnings[0], {"body wheel", "triangle inequality", "5"});
}

TEST(BadInput, InertiaMustBeConstantInTheBody) {
  System s("rotor");
  const Expr q = s.add_coordinate("q");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
  s.add_body("wheel", {.frame = A, .mass_centre = s.origin(), .mass = Expr(1), .inertia = inertia(A, 1, 1, 1 + q)});
  s.add_speed("u", s.rate(q));
  expect_words(message_of([&] { (void)form_equations(s); }), {"inertia of body wheel", "constant", "A"});
}

// ---- speeds -----------------------------------------------------------------------------------------------------------------

TEST(BadInput, SpeedNotLinear) {
  Plane p;
  p.add_mass();
  p.s.add_speed("u1", square(p.s.rate(p.q1)));
  p.s.add_speed("u2", p.s.rate(p.q2));
  expect_words(p.derive(), {"speed u1", "not linear", "q1'"});
}

TEST(BadInput, SpeedsDependOnEachOther) {
  Plane p;
  p.add_mass();
  p.s.add_speed("u1", p.s.rate(p.q1) + p.s.rate(p.q2));
  p.s.add_speed("u2", 2 * p.s.rate(p.q1) + 2 * p.s.rate(p.q2));
  expect_words(p.derive(), {"u1", "u2", "depend on each other"});
}

TEST(BadInput, OnlyTheDependentSpeedsAreNamed) {
  Plane p;
  p.add_mass();
  const Expr q3 = p.s.add_coordinate("q3");
  p.s.add_speed("good", p.s.rate(q3));
  p.s.add_speed("u1", cos(q3) * p.s.rate(p.q1));
  p.s.add_speed("u2", sin(q3) * p.s.rate(p.q1));
  const std::string m = p.derive();
  expect_words(m, {"u1", "u2", "depend on each other"});
  EXPECT_EQ(m.find("good"), std::string::npos) << m;
}

TEST(BadInput, TooFewAndTooManySpeeds) {
  Plane few;
  few.add_mass();
  few.s.add_speed("u1", few.s.rate(few.q1));
  expect_words(few.derive(), {"q1'", "q2'", "only 1 generalized speed"});
  Plane many;
  many.add_mass();
  many.add_rates();
  many.s.add_speed("u3", many.s.rate(many.q1));
  expect_words(many.derive(), {"only 2 rates", "3 generalized speeds"});
}

TEST(BadInput, SpeedWithoutRate) {
  Plane p;
  p.add_mass();
  p.s.add_speed("u1", p.s.rate(p.q1));
  p.s.add_speed("u2", p.q2);
  expect_words(p.derive(), {"speed u2", "no rate"});
}

TEST(BadInput, SpeedWrittenWithAnInput) {
  Plane p;
  p.add_mass();
  p.s.add_speed("u1", p.s.rate(p.q1) * p.s.add_input("F"));
  p.s.add_speed("u2", p.s.rate(p.q2));
  expect_words(p.derive(), {"speed u1", "'F'"});
}

// ---- frames and points ------------------------------------------------------------------------------------------------------

TEST(BadInput, OrientationStatedTwice) {
  System s("frames");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, s.add_coordinate("q")});
  expect_words(message_of([&] { s.orient(A, s.inertial(), SimpleRotation{Axis::X, 1}); }), {"A", "N", "known already"});
}

TEST(BadInput, OrientationInACircle) {
  System s("frames");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, 1});
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Z, 1});
  expect_words(message_of([&] { s.orient(B, s.inertial(), SimpleRotation{Axis::Z, 2}); }), {"B", "N", "known already"});
}

TEST(BadInput, OrientationMissing) {
  System s("frames");
  const FrameId A = s.add_frame("A");
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Z, 1});
  expect_words(message_of([&] { (void)s.dot(x(B), x(s.inertial())); }),
               {"B", "N", "not known", "orient A relative to N"});
}

TEST(BadInput, DirectionCosinesThatAreNoRotation) {
  System s("frames");
  Expr33 c{};
  c[0][0] = c[1][1] = c[2][2] = 2;
  expect_words(message_of([&] { (void)s.add_frame("A", s.inertial(), DirectionCosines{c}); }),
               {"A", "N", "not a rotation"});
  c[0][0] = c[1][1] = 1;
  c[2][2] = -1;
  expect_words(message_of([&] { (void)s.add_frame("B", s.inertial(), DirectionCosines{c}); }), {"left-handed"});
}

TEST(BadInput, SequenceThatIsNone) {
  for (const char* name : {"body 112", "body 12", "bodi 123", "space 124", ""}) {
    expect_words(message_of([&] { (void)rotation_sequence(name, {}); }), {"rotation sequence", "body 123"});
  }
}

TEST(BadInput, PositionStatedTwiceOrMissing) {
  Plane p;
  expect_words(message_of([&] { p.s.locate(p.P, p.s.origin(), x(p.N)); }), {"P", "O", "known already"});
  const PointId Q = p.s.add_point("Q");
  expect_words(message_of([&] { (void)p.s.velocity(Q); }), {"Q", "not known", "locate Q"});
}

TEST(BadInput, ForceAtAPointOfUnknownVelocity) {
  Plane p;
  p.add_mass();
  p.add_rates();
  const PointId Q = p.s.add_point("Q");
  p.s.add_force("push", Q, x(p.N));
  expect_words(p.derive(), {"force push", "point Q", "velocity is not known", "locate Q"});
}

TEST(BadInput, UnknownSymbolGetsASuggestion) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_parameter("stiffness", 3);
  p.s.add_force("spring", p.P, -p.s.graph().symbol("stifness") * p.q1 * x(p.N));
  expect_words(p.derive(), {"force spring", "'stifness'", "stiffness"});
}

TEST(BadInput, NameUsedTwice) {
  Plane p;
  expect_words(message_of([&] { (void)p.s.add_parameter("q1", 1); }), {"'q1'", "already used"});
  expect_words(message_of([&] { (void)p.s.add_point("P", p.s.origin(), x(p.N)); }), {"'P'"});
  expect_words(message_of([&] { (void)p.s.add_parameter("2x", 1); }), {"'2x'", "parameter"});
}

TEST(BadInput, MotionOfAnInputIsNotKnown) {
  System s("table");
  const Expr h = s.add_input("h"), q = s.add_coordinate("q");
  s.add_particle("P", s.add_point("P", s.origin(), h * x(s.inertial()) + q * y(s.inertial())), Expr(1));
  s.add_speed("u", s.rate(q));
  expect_words(message_of([&] { (void)form_equations(s); }), {"'h'", "specified motion"});
}

// ---- constraints ------------------------------------------------------------------------------------------------------------

TEST(BadInput, ConstraintThatCanNeverHold) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_configuration_constraint("never", p.q1 - p.q1 + 2);
  expect_words(p.derive(), {"constraint never", "can never hold"});
}

TEST(BadInput, ConstraintOutOfReach) {
  Plane p;
  p.add_mass();
  p.add_rates();
  const Expr L = p.s.add_parameter("L", 1), d = p.s.add_parameter("d", 3);
  p.s.add_configuration_constraint("reach", L * cos(p.q1) + L * cos(p.q2) - d);
  expect_words(p.derive(), {"constraint reach", "can never hold", "-5", "-1"});
}

TEST(BadInput, MotionConstraintThatCanNeverHold) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_motion_constraint("never", p.s.add_parameter("v", 1));
  expect_words(p.derive(), {"constraint never", "can never hold"});
}

TEST(BadInput, RedundantConstraintIsReportedAndLeftOut) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_motion_constraint("first", sym(p.s, "u1") - sym(p.s, "u2"));
  p.s.add_motion_constraint("second", 3 * sym(p.s, "u2") - 3 * sym(p.s, "u1"));
  const EquationsOfMotion e = form_equations(p.s);
  ASSERT_EQ(e.warnings.size(), 1U);
  expect_words(e.warnings[0], {"constraint second is redundant", "first"});
  EXPECT_FALSE(e.constraints[0].redundant);
  EXPECT_TRUE(e.constraints[1].redundant);
  ASSERT_TRUE(e.embedded.has_value());
  EXPECT_EQ(e.embedded->rows, std::vector<int>{0});
  EXPECT_EQ(e.embedded->M(0, 0), 2 * p.m);
}

TEST(BadInput, ContradictoryMotionConstraints) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_motion_constraint("first", sym(p.s, "u1") - 1);
  p.s.add_motion_constraint("second", 2 * sym(p.s, "u1") - 3);
  expect_words(p.derive(), {"second", "contradicts first"});
}

TEST(BadInput, ContradictoryConfigurationConstraints) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_configuration_constraint("here", p.q1 - 1);
  p.s.add_configuration_constraint("there", p.q1 - 2);
  expect_words(p.derive(), {"there", "here", "contradict"});
}

TEST(BadInput, DependentSpeedsThatCannotBeSolvedFor) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_motion_constraint("rail", sym(p.s, "u1"));
  p.s.set_dependent_speeds({sym(p.s, "u2")});
  expect_words(p.derive(), {"dependent speeds u2", "cannot be solved for", "rail"});
}

TEST(BadInput, WrongNumberOfDependentSpeeds) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_motion_constraint("rail", sym(p.s, "u1") - sym(p.s, "u2"));
  p.s.set_dependent_speeds({sym(p.s, "u1"), sym(p.s, "u2")});
  expect_words(p.derive(), {"2 dependent speeds", "1 independent constraint"});
}

TEST(BadInput, ContactStatedWrongly) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_contact("floor", 2 * p.q2, p.P, p.s.origin(), y(p.N));
  expect_words(p.derive(), {"contact floor", "phi"});
}

// ---- auxiliary speeds -------------------------------------------------------------------------------------------------------

TEST(BadInput, UnknownThatDoesWork) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_auxiliary_speed("lift", p.P, z(p.N));
  p.s.add_force("guess", p.P, p.s.add_unknown("X") * x(p.N));
  expect_words(p.derive(), {"unknown X", "does work", "u1"});
}

TEST(BadInput, UnknownWithoutAuxiliarySpeed) {
  Plane p;
  p.add_mass();
  p.add_rates();
  p.s.add_force("normal", p.P, p.s.add_unknown("X") * z(p.N));
  expect_words(p.derive(), {"1 unknown force", "auxiliary speed"});
}

TEST(BadInput, ReactionWithNothingBeyond) {
  Plane p;
  p.add_mass();
  p.add_rates();
  const FrameId A = p.s.add_frame("A", p.N, SimpleRotation{Axis::Z, 1});
  p.s.add_reaction("pin", {.point = p.P, .outboard = A, .in = p.N});
  expect_words(p.derive(), {"reaction pin", "P", "A"});
}

}  // namespace
}  // namespace kane::test
