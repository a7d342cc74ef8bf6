// Quantities (expressions that involve the motion) against the motion that is reported, and against differences.

#include "kane/mechanism/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/mechanism/newton_euler.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::Real3;
using testing::Situation;

Mechanism arm() {
  testing::RandomTree random(81);
  Mechanism m = random.chain(2);
  m.add_parameter("L", 0.7);
  m.points.push_back({"P", "B1", {0.2, 0.1, -0.1}, {}});
  m.points.push_back({"Q", "B0", {-0.1, 0.3, 0.2}, {}});
  return m;
}

/// The values of outputs with these texts, at one state.
class Outputs {
 public:
  explicit Outputs(const std::vector<std::string>& texts) : s_(mechanism(texts), 82) { s_.solve_motion(); }

  [[nodiscard]] double operator[](std::size_t i) const { return number(fmt::format("o{}", i)); }
  [[nodiscard]] Real3 vector(std::size_t i) const {
    return {number(fmt::format("o{}.x", i)), number(fmt::format("o{}.y", i)), number(fmt::format("o{}.z", i))};
  }
  [[nodiscard]] Real3 point(const std::string& name, int what) const {
    for (const PointOutput& p : s_.e.points) {
      if (p.name != name) continue;
      const Expr3& v = what == 0 ? p.position : what == 1 ? p.velocity : p.acceleration;
      return {s_.number(v[0]), s_.number(v[1]), s_.number(v[2])};
    }
    throw std::logic_error("no point " + name);
  }
  [[nodiscard]] Real3 omega(const std::string& name) const {
    for (const BodyOutput& b : s_.e.bodies)
      if (b.name == name)
        return {s_.number(b.angular_velocity[0]), s_.number(b.angular_velocity[1]), s_.number(b.angular_velocity[2])};
    throw std::logic_error("no body " + name);
  }
  [[nodiscard]] double rate(std::size_t i) const {
    for (const ScalarOutput& o : s_.e.outputs)
      if (o.name == fmt::format("o{}", i)) return s_.rate(o.value);
    throw std::logic_error("no output");
  }
  [[nodiscard]] const Values& values() const { return s_.values; }

 private:
  static Mechanism mechanism(const std::vector<std::string>& texts) {
    Mechanism m = arm();
    for (std::size_t i = 0; i < texts.size(); ++i) m.outputs.push_back({fmt::format("o{}", i), {texts[i], {}}});
    return m;
  }
  [[nodiscard]] double number(const std::string& name) const {
    for (const ScalarOutput& o : s_.e.outputs)
      if (o.name == name) return s_.number(o.value);
    throw std::logic_error("no output " + name);
  }

  Situation s_;
};

void expect_same(const Real3& a, const Real3& b) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

TEST(Quantities, SpeakOfTheMotion) {
  const Outputs o({"position(P)", "velocity(P)", "acceleration(P)", "omega(B1)", "position(P, Q)", "v(P)", "a(P)"});
  expect_same(o.vector(0), o.point("P", 0));
  expect_same(o.vector(1), o.point("P", 1));
  expect_same(o.vector(2), o.point("P", 2));
  expect_same(o.vector(3), o.omega("B1"));
  expect_same(o.vector(4), testing::operator-(o.point("P", 0), o.point("Q", 0)));
  expect_same(o.vector(5), o.vector(1));
  expect_same(o.vector(6), o.vector(2));
}

TEST(Quantities, VectorAlgebra) {
  const Outputs o({"dot(v(P), v(Q))", "cross(v(P), v(Q))", "magnitude(v(P))", "unit(v(P))", "distance(P, Q)",
                   "2*v(P) - v(Q)/L", "-v(P)", "norm(position(P, Q))"});
  const Real3 p = o.point("P", 1), q = o.point("Q", 1);
  const double size = std::sqrt(testing::dot(p, p));
  EXPECT_NEAR(o[0], testing::dot(p, q), 1e-12);
  expect_same(o.vector(1), testing::cross(p, q));
  EXPECT_NEAR(o[2], size, 1e-12);
  expect_same(o.vector(3), testing::operator*(1 / size, p));
  expect_same(o.vector(5), testing::operator-(testing::operator*(2, p), testing::operator*(1 / 0.7, q)));
  expect_same(o.vector(6), testing::operator*(-1, p));
  EXPECT_NEAR(o[4], o[7], 1e-15);
}

TEST(Quantities, DerivativesAreDerivatives) {
  const Outputs o({"distance(P, Q)^2*sin(q_j0)", "dt(distance(P, Q)^2*sin(q_j0))", "dot(omega(B1), B0.x)",
                   "dt(dot(omega(B1), B0.x))", "q_j1'", "q_j1''"});
  EXPECT_NEAR(o[1], o.rate(0), 1e-12);
  EXPECT_NEAR(o[3], o.rate(2), 1e-12);
  EXPECT_NEAR(o[4], o.values().at("u_j1"), 1e-15);
  EXPECT_NEAR(o[5], o.values().at("u_j1'"), 1e-15);
}

TEST(Quantities, SeenFromOtherFrames) {
  // The velocity of P in B0 is what is left after B0 has carried P along.
  const Outputs o({"velocity(P, B0)", "omega(B1, B0)", "dt(position(P, Q), B0)"});
  const Real3 r = testing::operator-(o.point("P", 0), o.point("Q", 0));
  const Real3 carried = testing::operator+(o.point("Q", 1), testing::cross(o.omega("B0"), r));
  expect_same(o.vector(0), testing::operator-(o.point("P", 1), carried));
  expect_same(o.vector(1), testing::operator-(o.omega("B1"), o.omega("B0")));
  expect_same(o.vector(2), o.vector(0));
}

TEST(Quantities, MassesAndDyadics) {
  const Outputs o({"mass(B0)", "dot(inertia(B0), omega(B0))", "dot(omega(B0), dot(inertia(B0), omega(B0)))/2"});
  EXPECT_EQ(o[0], 1);
  EXPECT_NEAR(o[2], testing::dot(o.omega("B0"), o.vector(1)) / 2, 1e-13);
}

}  // namespace
}  // namespace kane
