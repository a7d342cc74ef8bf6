// Sweeps over contacts: against the pivoting solver, and against the laws themselves.

#include "kane/solve/contact_sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/solve/friction_lcp.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;
using testing::RowMajor;

/// Contacts of three rows each, on one block of speeds.
struct Problem {
  std::size_t contacts, n;
  RowMajor mass, j;
  std::vector<double> w0, mu;
};

Problem random_problem(Generator& random, std::size_t contacts, std::size_t n) {
  Problem p{contacts,
            n,
            {},
            testing::to_eigen(testing::random_matrix(random, 3 * contacts, n)),
            testing::random_vector(random, n),
            {}};
  const RowMajor a = testing::to_eigen(testing::random_matrix(random, n, n));
  p.mass = a * a.transpose() + RowMajor::Identity(static_cast<long>(n), static_cast<long>(n));
  for (std::size_t i = 0; i < contacts; ++i) p.mu.push_back(testing::uniform(random, 0, 0.6));
  return p;
}

ContactSweep make_sweep(const Problem& p) {
  ContactSweep sweep;
  sweep.begin(std::vector<std::uint32_t>(p.n, 0));
  const RowMajor response = p.mass.inverse() * p.j.transpose();
  for (std::size_t c = 0; c < p.contacts; ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto row = static_cast<long>(3 * c + k);
      std::vector<double> own(p.n), answer(p.n);
      for (std::size_t i = 0; i < p.n; ++i)
        own[i] = p.j(row, static_cast<long>(i)), answer[i] = response(static_cast<long>(i), row);
      sweep.add_row(0);
      sweep.add_part(0, own, answer);
    }
    const SweepFriction friction{2, p.mu[c], 0};
    sweep.add_item(true, {&friction, 1});
  }
  sweep.finish();
  return sweep;
}

TEST(ContactSweep, ObeysTheLawsOfContactAndFriction) {
  Generator random(7);
  int pressed = 0, slid = 0, held = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t contacts = 1 + static_cast<std::size_t>(trial % 4);
    const Problem problem = random_problem(random, contacts, 3 * contacts + 2);
    ContactSweep sweep = make_sweep(problem);
    std::vector<double> w = problem.w0;
    double residual = 0;
    for (std::size_t k = 0; k < sweep.island_count(); ++k) {
      const SweepReport report = sweep.solve(k, w, {.tolerance = 1e-13, .most_sweeps = 20000});
      EXPECT_TRUE(report.converged);
      residual = std::max(residual, report.residual);
    }
    for (std::size_t c = 0; c < contacts; ++c) {
      const std::size_t row = 3 * c;
      const double pn = sweep.impulse(row), vn = sweep.speed(row, w);
      const double p1 = sweep.impulse(row + 1), p2 = sweep.impulse(row + 2);
      const double v1 = sweep.speed(row + 1, w), v2 = sweep.speed(row + 2, w);
      EXPECT_GE(pn, 0);
      EXPECT_GE(vn, -1e-10);
      EXPECT_NEAR(pn * vn, 0, 1e-9);
      const double limit = problem.mu[c] * pn, size = std::hypot(p1, p2), slip = std::hypot(v1, v2);
      EXPECT_LE(size, limit + 1e-10);
      if (pn > 1e-9) ++pressed;
      if (pn > 1e-9 && slip > 1e-7 && limit > 1e-9) {
        // It slides: on the cone, opposite to the sliding.
        EXPECT_NEAR(size, limit, 1e-8);
        EXPECT_NEAR(p1 * v1 + p2 * v2, -limit * slip, 1e-7);
        ++slid;
      } else if (pn > 1e-9) {
        ++held;
      }
    }
    // w is what the impulses make of it.
    Eigen::VectorXd p(static_cast<long>(3 * contacts));
    for (long i = 0; i < p.size(); ++i) p(i) = sweep.impulse(static_cast<std::size_t>(i));
    const Eigen::VectorXd jump = problem.mass.inverse() * problem.j.transpose() * p;
    for (std::size_t i = 0; i < problem.n; ++i) EXPECT_NEAR(w[i], problem.w0[i] + jump(static_cast<long>(i)), 1e-10);
  }
  EXPECT_GT(pressed, 100);
  EXPECT_GT(slid, 50);
  EXPECT_GT(held, 5);
}

TEST(ContactSweep, FindsTheSpeedsThatPivotingFinds) {
  Generator random(11);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t contacts = 2;
    const Problem problem = random_problem(random, contacts, 8);
    ContactSweep sweep = make_sweep(problem);
    std::vector<double> w = problem.w0;
    ASSERT_TRUE(sweep.solve(0, w, {.tolerance = 1e-13, .most_sweeps = 20000}).converged);
    // Rows in the order of the other solver: normals, then frictions.
    const std::vector<long> order{0, 3, 1, 2, 4, 5};
    RowMajor j(6, 8);
    for (long i = 0; i < 6; ++i) j.row(i) = problem.j.row(order[static_cast<std::size_t>(i)]);
    const Matrix all = testing::to_matrix(j * problem.mass.inverse() * j.transpose());
    const Eigen::VectorXd free = j * Eigen::Map<const Eigen::VectorXd>(problem.w0.data(), 8);
    FrictionLcp lcp(2, 2);
    std::vector<double> p(6), v0(free.data(), free.data() + 6);
    const std::vector<FrictionTerm> terms{{.first = 2, .rows = 2, .contact = 0, .mu = problem.mu[0]},
                                          {.first = 4, .rows = 2, .contact = 1, .mu = problem.mu[1]}};
    const ContactReport report = lcp.solve(2, all, v0, terms, p);
    if (!report.ok()) continue;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(lcp.v()[i], sweep.speed(static_cast<std::size_t>(order[i]), w), 1e-6) << "trial " << trial;
  }
}

/// Newton's method alone (one sweep before, one after) obeys the same laws.
TEST(ContactNewton, ObeysTheLawsOfContactAndFriction) {
  Generator random(23);
  int slid = 0, held = 0, open = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t contacts = 1 + static_cast<std::size_t>(trial % 6);
    const Problem problem = random_problem(random, contacts, 3 * contacts + 2);
    ContactSweep sweep = make_sweep(problem);
    const std::vector<double> mass(problem.mass.data(), problem.mass.data() + problem.mass.size());
    const SweepInertia::Block block{0, static_cast<std::uint32_t>(problem.n), 0};
    sweep.set_inertia({{&block, 1}, mass});
    std::vector<double> w = problem.w0;
    const SweepReport report =
        sweep.solve(0, w, {.tolerance = 1e-10, .most_sweeps = 30, .first_sweeps = 1, .newton_steps = 200});
    EXPECT_TRUE(report.converged) << trial << ": " << report.residual;
    for (std::size_t c = 0; c < contacts; ++c) {
      const std::size_t row = 3 * c;
      const double pn = sweep.impulse(row), vn = sweep.speed(row, w), limit = problem.mu[c] * pn;
      const double size = std::hypot(sweep.impulse(row + 1), sweep.impulse(row + 2));
      const double slip = std::hypot(sweep.speed(row + 1, w), sweep.speed(row + 2, w));
      EXPECT_GE(pn, 0);
      EXPECT_GE(vn, -1e-8);
      EXPECT_NEAR(pn * vn, 0, 1e-7);
      EXPECT_LE(size, limit + 1e-9);
      if (pn > 1e-6 && slip > 1e-5) {
        EXPECT_NEAR(size, limit, 1e-6 * (1 + limit));
        ++slid;
      }
      if (pn > 1e-6 && slip < 1e-8) ++held;
      if (pn == 0) ++open;
    }
  }
  EXPECT_GT(slid, 30);
  EXPECT_GT(held, 10);
  EXPECT_GT(open, 30);
}

/// n unit masses on top of each other, each with its own block.
ContactSweep make_tower(std::size_t n, std::vector<double>& w, double kick) {
  ContactSweep sweep;
  std::vector<std::uint32_t> blocks(n);
  for (std::size_t i = 0; i < n; ++i) blocks[i] = static_cast<std::uint32_t>(i);
  sweep.begin(blocks);
  const double up = 1, down = -1;
  for (std::size_t i = 0; i < n; ++i) {
    sweep.add_row(0);
    sweep.add_part(i, {&up, 1}, {&up, 1});
    if (i > 0) sweep.add_part(i - 1, {&down, 1}, {&down, 1});
    sweep.add_item(true, {});
  }
  sweep.finish();
  w.assign(n, -kick);
  return sweep;
}

TEST(ContactSweep, CarriesTheWeightOfATallTower) {
  for (const std::size_t n : {10U, 30U, 100U}) {
    std::vector<double> w;
    ContactSweep sweep = make_tower(n, w, 0.01);
    ASSERT_EQ(sweep.island_count(), 1U);
    const SweepReport report = sweep.solve(0, w, {.tolerance = 1e-14});
    EXPECT_TRUE(report.converged);
    EXPECT_LT(report.sweeps, 200);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(sweep.impulse(i), 0.01 * static_cast<double>(n - i), 1e-10);
      EXPECT_NEAR(w[i], 0, 1e-12);
    }
  }
}

/// Bodies of six speeds, each touching the ground and the next one, as in a pile.
ContactSweep make_pile(Generator& random, std::size_t bodies, double mu) {
  ContactSweep sweep;
  std::vector<std::uint32_t> blocks;
  std::vector<RowMajor> inverse;
  for (std::size_t b = 0; b < bodies; ++b) {
    blocks.insert(blocks.end(), 6, static_cast<std::uint32_t>(b));
    const RowMajor a = testing::to_eigen(testing::random_matrix(random, 6, 6));
    inverse.push_back((a * a.transpose() + RowMajor::Identity(6, 6)).inverse());
  }
  sweep.begin(blocks);
  const auto add = [&](std::vector<std::size_t> own) {
    for (std::size_t k = 0; k < 3; ++k) {
      sweep.add_row(0);
      for (const std::size_t b : own) {
        const std::vector<double> j = testing::random_vector(random, 6);
        const Eigen::VectorXd r = inverse[b] * Eigen::Map<const Eigen::VectorXd>(j.data(), 6);
        sweep.add_part(6 * b, j, {r.data(), 6});
      }
    }
    const SweepFriction friction{2, mu, 0};
    sweep.add_item(true, {&friction, 1});
  };
  for (std::size_t b = 0; b < bodies; ++b) {
    add({b});
    if (b > 0) add({b - 1, b});
  }
  sweep.finish();
  return sweep;
}

/// Extrapolation leads to the speeds that plain sweeps lead to, in fewer of them.
TEST(ContactSweep, ExtrapolationFindsTheSameSpeedsSooner) {
  Generator random(31);
  long plain_sweeps = 0, sweeps = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const auto bodies = static_cast<std::size_t>(2 + trial % 5);
    ContactSweep sweep = make_pile(random, bodies, 0.1 * (trial % 4));
    const std::vector<double> w0 = testing::random_vector(random, 6 * bodies);
    std::vector<double> w = w0, plain = w0;
    ContactSweep::Options options{.tolerance = 1e-11, .most_sweeps = 20000, .first_sweeps = 20000};
    const SweepReport fast = sweep.solve(0, w, options);
    sweep.clear_impulses(0);
    options.accelerate = false;
    const SweepReport slow = sweep.solve(0, plain, options);
    ASSERT_TRUE(fast.converged && slow.converged) << trial;
    sweeps += fast.sweeps, plain_sweeps += slow.sweeps;
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], plain[i], 1e-8) << trial;
  }
  EXPECT_LT(2 * sweeps, plain_sweeps);
}

TEST(ContactSweep, KeepsApartWhatDoesNotTouch) {
  ContactSweep sweep;
  const std::vector<std::uint32_t> blocks{0, 1, 2, 3};
  sweep.begin(blocks);
  const double one = 1, back = -1;
  for (const std::size_t i : {0U, 1U, 3U}) {
    sweep.add_row(0);
    sweep.add_part(i, {&one, 1}, {&one, 1});
    if (i == 3) sweep.add_part(1, {&back, 1}, {&back, 1});
    sweep.add_item(true, {});
  }
  sweep.finish();
  ASSERT_EQ(sweep.island_count(), 2U);
  EXPECT_EQ(sweep.island(0).size(), 1U);
  EXPECT_EQ(sweep.island(1).size(), 2U);
  EXPECT_EQ(std::vector<std::uint32_t>(sweep.blocks_of_island(1).begin(), sweep.blocks_of_island(1).end()),
            (std::vector<std::uint32_t>{1, 3}));
}

}  // namespace
}  // namespace kane
