#include "kane/solve/contact_lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;
using testing::RowMajor;

Matrix delassus(const RowMajor& j, const RowMajor& mass) {
  return testing::to_matrix(j * mass.inverse() * j.transpose());
}

TEST(ContactLcp, BlockOnAnInclineSticksBelowTheFrictionAngle) {
  // Unit mass on a plane; one contact through the mass centre: W = 1, v0 = (-g cos a, g sin a).
  Matrix w(2, 2);
  w(0, 0) = w(1, 1) = 1;
  ContactLcpSolver solver(1, 2);
  const double g = 9.81, mu = 0.5;
  for (const double angle : {0.0, 0.2, 0.4, 0.46, 0.47, 0.6, 1.0}) {
    const std::vector<double> v0 = {-g * std::cos(angle), g * std::sin(angle)};
    std::vector<double> p(2);
    const ContactReport report = solver.solve(w, v0, std::vector<FrictionContact>{{.mu = mu}}, p);
    ASSERT_EQ(report.status, ContactStatus::Solved);
    EXPECT_NEAR(p[0], g * std::cos(angle), 1e-13);
    const bool sticks = std::tan(angle) < mu;
    EXPECT_EQ(solver.mode(0), sticks ? ContactMode::Stick : ContactMode::Slide);
    EXPECT_NEAR(p[1], sticks ? -g * std::sin(angle) : -mu * p[0], 1e-13);
    EXPECT_NEAR(solver.v()[1], sticks ? 0 : g * (std::sin(angle) - mu * std::cos(angle)), 1e-13);
  }
}

TEST(ContactLcp, SeparatingContactCarriesNothing) {
  Matrix w(3, 3);
  w(0, 0) = w(1, 1) = w(2, 2) = 1;
  ContactLcpSolver solver(1, 3);
  std::vector<double> p(3);
  ASSERT_TRUE(solver.solve(w, std::vector<double>{1, 2, 3}, std::vector<FrictionContact>{{.mu = 1}}, p).ok());
  EXPECT_EQ(p, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(solver.mode(0), ContactMode::Separate);
}

TEST(ContactLcp, SlidingInSpaceIsOpposedWithinThePyramid) {
  Matrix w(3, 3);
  w(0, 0) = w(1, 1) = w(2, 2) = 1;
  ContactLcpSolver solver(1, 3, {.directions = 16});
  for (int k = 0; k < 40; ++k) {
    const double angle = 0.157 * k;
    const std::vector<double> v0 = {-1, 2 * std::cos(angle), 2 * std::sin(angle)};
    std::vector<double> p(3);
    ASSERT_TRUE(solver.solve(w, v0, std::vector<FrictionContact>{{.mu = 0.4}}, p).ok());
    EXPECT_NEAR(p[0], 1, 1e-12);
    EXPECT_EQ(solver.mode(0), ContactMode::Slide);
    const double friction = std::hypot(p[1], p[2]);
    EXPECT_LE(friction, 0.4 + 1e-12);
    EXPECT_GE(friction, 0.4 * std::cos(M_PI / 16) - 1e-12);
    const double cosine = -(p[1] * std::cos(angle) + p[2] * std::sin(angle)) / friction;
    EXPECT_GT(cosine, std::cos(M_PI / 16) - 1e-12);
  }
}

TEST(ContactLcp, EnergyNeverRises) {
  // Random systems, random contacts, impulses: T+ <= T- for restitution zero.
  Generator random(1);
  for (const std::size_t dimension : {1u, 2u, 3u}) {
    for (int round = 0; round < 200; ++round) {
      const std::size_t contacts = 1 + random() % 4, n = 3 + random() % 4;
      const RowMajor j = testing::to_eigen(testing::random_matrix(random, dimension * contacts, n));
      const RowMajor mass = testing::to_eigen(testing::random_mass(random, n));
      const Eigen::VectorXd u = testing::to_eigen(testing::random_vector(random, n));
      const Eigen::VectorXd v = j * u;
      const Matrix w = delassus(j, mass);
      std::vector<FrictionContact> list(contacts);
      for (FrictionContact& c : list) c.mu = testing::uniform(random, 0, 1.5);
      ContactLcpSolver solver(contacts, dimension, {.directions = 6, .check_unique = false});
      std::vector<double> p(dimension * contacts);
      const ContactReport report = solver.solve(w, std::vector<double>(v.begin(), v.end()), list, p);
      ASSERT_TRUE(report.ok());
      const Eigen::VectorXd after = u + mass.inverse() * j.transpose() * testing::to_eigen(p);
      EXPECT_LE(after.dot(mass * after), u.dot(mass * u) * (1 + 1e-10));
      for (std::size_t k = 0; k < contacts; ++k) {
        const double normal = p[dimension * k];
        double friction = 0;
        for (std::size_t t = 1; t < dimension; ++t) friction = std::hypot(friction, p[dimension * k + t]);
        EXPECT_GE(normal, 0);
        EXPECT_LE(friction, list[k].mu * normal * (1 + 1e-9) + 1e-12);
        EXPECT_GE(solver.v()[dimension * k], -1e-9);
      }
    }
  }
}

TEST(ContactLcp, TableOnFourLegsHasForcesThatAreNotUnique) {
  // Vertical motion and two rotations, four legs: the motion is determined, the loads are not.
  RowMajor j(4, 3);
  j << 1, 1, 1, 1, 1, -1, 1, -1, -1, 1, -1, 1;
  const Matrix w = delassus(j, RowMajor::Identity(3, 3));
  ContactLcpSolver solver(4, 1);
  std::vector<double> p(4);
  const ContactReport report = solver.solve(w, std::vector<double>(4, -1.0), std::vector<FrictionContact>(4), p);
  EXPECT_EQ(report.status, ContactStatus::ForcesNotUnique);
  EXPECT_TRUE(report.ok());
  EXPECT_NEAR(p[0] + p[1] + p[2] + p[3], 1, 1e-12);
  for (const double v : solver.v()) EXPECT_NEAR(v, 0, 1e-12);
}

/// Painleve's rod: length 2, unit mass, end in contact, angle th above the ground, sliding to the right. On the level of
/// accelerations: normal n = (0, 1), tangent t = (1, 0) at the end r = (-cos th, -sin th) from the centre.
struct Rod {
  double theta, mu, spin;
  [[nodiscard]] ContactReport solve(std::vector<double>& p) const {
    const double g = 9.81, inertia = 1.0 / 3;
    const double x = -std::cos(theta), y = -std::sin(theta);
    Matrix w(2, 2);
    w(0, 0) = 1 + x * x / inertia;  // normal: (0, 1), moment x
    w(1, 1) = 1 + y * y / inertia;  // tangent: (1, 0), moment -y
    w(0, 1) = w(1, 0) = -x * y / inertia;
    // Free acceleration of the end: gravity and -spin^2 r.
    const std::vector<double> v0 = {-g - spin * spin * y, -spin * spin * x};
    ContactLcpSolver solver(1, 2);
    p.assign(2, 0.0);
    return solver.solve(w, v0, std::vector<FrictionContact>{{.mu = mu, .sliding = true, .direction = {1, 0}}}, p);
  }
};

TEST(ContactLcp, PainlevesRod) {
  // The end slides to the right and the rod leans back over it: p_t = -mu p_n, and
  // a_n = (W_nn - mu W_nt) p_n + v0_n with W_nt = -3 sin cos: the friction torque presses the end down if the end leads.
  std::vector<double> p;
  // Leaning the other way (the end trails): regular.
  const Rod regular{.theta = 1.0, .mu = 0.3, .spin = 0};
  EXPECT_EQ(regular.solve(p).status, ContactStatus::Solved);
  EXPECT_GT(p[0], 0);
  // W_nn - mu W_nt < 0 needs W_nt > 0: th in (pi/2, pi). With mu = 2: 1 + 3 cos^2 - 6 |sin cos| < 0 at th = 2.
  const double theta = 2.0, c = std::cos(theta), s = std::sin(theta);
  ASSERT_LT(1 + 3 * c * c - 2 * (-3 * s * c), 0);
  // No spin: v0_n = -g < 0 and the coefficient is negative: no finite force will do.
  const Rod jammed{.theta = theta, .mu = 2, .spin = 0};
  EXPECT_EQ(jammed.solve(p).status, ContactStatus::NoSolution);
  // Spinning fast: v0_n = -g + spin^2 sin th > 0: it may lift off (p = 0), and it may also be pressed.
  const Rod ambiguous{.theta = theta, .mu = 2, .spin = 6};
  EXPECT_EQ(ambiguous.solve(p).status, ContactStatus::MotionNotUnique);
}

TEST(ContactLcp, PainlevesJamIsResolvedByAnImpulse) {
  // The same rod on the level of impulses: always solvable, the end stops sliding.
  const double theta = 2.0, x = -std::cos(theta), y = -std::sin(theta), inertia = 1.0 / 3;
  Matrix w(2, 2);
  w(0, 0) = 1 + x * x / inertia, w(1, 1) = 1 + y * y / inertia, w(0, 1) = w(1, 0) = -x * y / inertia;
  ContactLcpSolver solver(1, 2);
  std::vector<double> p(2);
  const ContactReport report =
      solver.solve(w, std::vector<double>{-1e-3, 1}, std::vector<FrictionContact>{{.mu = 2}}, p);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(p[0], 0);
  EXPECT_NEAR(solver.v()[0], 0, 1e-12);
  EXPECT_EQ(solver.mode(0), ContactMode::Stick);
}

/// A point of unit mass in a groove whose walls stand at +-half from the vertical, falling into it.
ContactReport solve_groove(double half, double mu) {
  RowMajor j(4, 2);  // normal and tangent of both walls; the normals point inwards and up
  j << std::cos(half), std::sin(half), -std::sin(half), std::cos(half),  //
      -std::cos(half), std::sin(half), std::sin(half), std::cos(half);
  const Matrix w = delassus(j, RowMajor::Identity(2, 2));
  const Eigen::VectorXd v0 = j * Eigen::Vector2d(0, -1);
  ContactLcpSolver solver(2, 2);
  std::vector<double> p(4);
  return solver.solve(w, std::vector<double>(v0.begin(), v0.end()), std::vector<FrictionContact>(2, {.mu = mu}), p);
}

TEST(ContactLcp, SelfStressIsFoundBelowTheAngleOfWedging) {
  // The forces of the walls can be opposite to each other if the friction angle is larger than half the groove angle.
  for (const double half : {0.0, 0.1, 0.3, 0.6}) {
    for (const double mu : {0.0, 0.05, 0.2, 0.4, 1.0}) {
      const ContactReport report = solve_groove(half, mu);
      EXPECT_TRUE(report.ok());
      EXPECT_EQ(report.self_stress, half == 0 || mu > std::tan(half)) << half << ' ' << mu;
      if (report.self_stress) {
        EXPECT_NE(report.status, ContactStatus::Solved);
      }
    }
  }
}

}  // namespace
}  // namespace kane
