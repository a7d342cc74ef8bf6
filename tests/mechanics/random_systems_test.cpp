// Laws that hold for every system, on random trees: d'Alembert's principle computed from plain numbers, invariance under
// the choice of speeds, power, momentum, and the structure of the mass matrix.

#include <gtest/gtest.h>

#include "random_system.hpp"

namespace kane::test {
namespace {

constexpr unsigned kSystems = 20;

void expect_equal(const std::vector<Number>& a, const std::vector<Number>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  Number size = 1;
  for (const Number x : b) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-14L * size) << what << " " << i;
}

std::vector<Number> list(const Vec<Number>& a) { return {a.begin(), a.end()}; }

/// W_kr = dq_k'/du_r.
std::vector<Number> speeds_to_rates(const EquationsOfMotion& e, const NumberMap& v) {
  std::vector<Number> W;
  for (const Expr& rate : e.qdot) {
    for (const Expr& u : e.u) W.push_back(calc(derivative(rate, u), v));
  }
  return W;
}

/// F_r of other speeds from those of the rates: sum_k F_k W_kr.
std::vector<Number> for_speeds(const std::vector<Number>& F, const std::vector<Number>& W) {
  std::vector<Number> r(F.size());
  for (std::size_t k = 0; k < F.size(); ++k) {
    for (std::size_t j = 0; j < F.size(); ++j) r[j] += F[k] * W[k * F.size() + j];
  }
  return r;
}

/// Along the motion: t, q by q', u by u'.
Number rate_of(const Expr& e, const EquationsOfMotion& m, const NumberMap& v) {
  Number rate = calc(derivative(e, m.t), v);
  for (const Expr& q : m.q) rate += calc(derivative(e, q), v) * v.at(q.name() + "'");
  for (std::size_t r = 0; r < m.u.size(); ++r) rate += calc(derivative(e, m.u[r]), v) * v.at(m.udot[r].name());
  return rate;
}

TEST(RandomSystems, KanesEquationsAreNewtonAndEulers) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    for (const bool mixed : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (mixed ? ", mixed speeds" : ", rates"));
      RandomSystem random(seed, seed % 3 == 0, mixed);
      KaneDerivation d(random.s);
      const EquationsOfMotion& e = d.equations();
      const NumberMap v = random.state();
      std::vector<Number> rates;
      for (const Expr& q : random.q) rates.push_back(v.at(q.name() + "'"));
      expect_equal(calc(e.qdot, v), rates, "q'");
      const std::vector<Number> W = speeds_to_rates(e, v);
      const std::vector<Number> active = for_speeds(random.loads(v).active, W);
      const std::vector<Number> inertia = for_speeds(random.inertia_forces(v), W);
      expect_equal(calc(d.active_forces(), v), active, "F");
      expect_equal(calc(d.inertia_forces(), v), inertia, "F*");
      // M u' - rhs = -(F + F*), for all u', whichever motion it is.
      std::vector<Number> residual = calc(e.M, v), rhs = calc(e.rhs, v), product(e.u.size()), expected;
      for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = 0; j < e.u.size(); ++j)
          product[i] += residual[i * e.u.size() + j] * v.at(e.udot[j].name());
        product[i] -= rhs[i];
        expected.push_back(-active[i] - inertia[i]);
      }
      expect_equal(product, expected, "M u' - rhs");
      expect_equal(calc(e.inverse, v), expected, "inverse dynamics");
    }
  }
}

TEST(RandomSystems, VelocitiesAndAccelerationsByTheTheorems) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSystem random(seed, seed % 3 == 0, true);
    const System& s = random.s;
    KaneDerivation d(s);
    const NumberMap v = random.state();
    const auto now = random.move(v);
    const auto in_N = [&](const Vector& a) { return calc(s.frames().express(a, s.inertial()), v); };
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto& b = random.bodies()[i];
      const std::vector<Number> velocity = list(rates_of(now[i].centre)), w = list(spin(now[i].R, &Taylor::d));
      const std::vector<Number> a = list(second_rates_of(now[i].centre)), alpha = list(spin(now[i].R, &Taylor::dd));
      expect_equal(in_N(s.position(b.mass_centre)), list(values_of(now[i].centre)), "position");
      // In terms of q', q'' ...
      expect_equal(in_N(s.velocity(b.mass_centre)), velocity, "velocity");
      expect_equal(in_N(s.acceleration(b.mass_centre)), a, "acceleration");
      expect_equal(in_N(s.angular_velocity(b.frame)), w, "angular velocity");
      expect_equal(in_N(s.angular_acceleration(b.frame)), alpha, "angular acceleration");
      // ... and of u, u'.
      expect_equal(in_N(d.velocity(b.mass_centre)), velocity, "velocity by speeds");
      expect_equal(in_N(d.acceleration(b.mass_centre)), a, "acceleration by speeds");
      expect_equal(in_N(d.angular_velocity(b.frame)), w, "angular velocity by speeds");
      expect_equal(in_N(d.angular_acceleration(b.frame)), alpha, "angular acceleration by speeds");
    }
  }
}

TEST(RandomSystems, PowerAndMomentum) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    for (const bool mixed : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (mixed ? ", mixed speeds" : ", rates"));
      const bool free = seed % 2 == 0;
      RandomSystem random(seed, free, mixed);
      KaneDerivation d(random.s);
      const EquationsOfMotion& e = d.equations();
      NumberMap v = random.state();
      const std::vector<Number> udot = solve(calc(e.M, v), calc(e.rhs, v));
      for (std::size_t r = 0; r < udot.size(); ++r) v[e.udot[r].name()] = udot[r];
      const RandomSystem::Loads loads = random.loads(v);
      Number power = 0;
      for (std::size_t k = 0; k < random.q.size(); ++k) power += loads.active[k] * v.at(random.q[k].name() + "'");
      // dT/dt is the power of all loads.
      const Number scale = 1 + std::abs(power);
      EXPECT_LT(std::abs(rate_of(e.kinetic, e, v) - power), 1e-13L * scale);
      if (!free) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_LT(std::abs(rate_of(e.linear_momentum[k], e, v) - loads.force[k]), 1e-12L) << k;
        EXPECT_LT(std::abs(rate_of(e.angular_momentum[k], e, v) - loads.moment[k]), 1e-12L) << k;
      }
    }
  }
}

// Parsa eq. (40): with C built from the partial velocities, dM/dt - 2 C is skew-symmetric and C u is what is left of
// -F* where u' = 0. Generalized momenta are M u.
TEST(RandomSystems, StructureOfTheMassMatrix) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSystem random(seed, seed % 3 == 0, false);
    KaneDerivation d(random.s);
    const EquationsOfMotion& e = d.equations();
    NumberMap v = random.state();
    for (const Expr& a : e.udot) v[a.name()] = 0;
    const std::size_t n = e.u.size();
    const std::vector<Number> M = calc(e.M, v), C = calc(d.parsa_matrix(), v), rate = calc(d.mass_matrix_rate(), v);
    const std::vector<Number> inertia = calc(d.inertia_forces(), v), momenta = calc(d.generalized_momenta(), v);
    std::vector<Number> Cu(n), Mu(n), twist, zero(n * n), difference, M_rate;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        Cu[i] -= C[i * n + j] * v.at(e.u[j].name());
        Mu[i] += M[i * n + j] * v.at(e.u[j].name());
        EXPECT_EQ(M[i * n + j], M[j * n + i]);
        twist.push_back(rate[i * n + j] - 2 * C[i * n + j] + rate[j * n + i] - 2 * C[j * n + i]);
        M_rate.push_back(rate_of(e.M(static_cast<int>(i), static_cast<int>(j)), e, v));
      }
    }
    expect_equal(twist, zero, "M' - 2 C");
    expect_equal(Cu, inertia, "C u");
    expect_equal(momenta, Mu, "momenta");
    expect_equal(rate, M_rate, "M'");
    Number twice = 0;
    for (std::size_t i = 0; i < n; ++i) twice += Mu[i] * v.at(e.u[i].name());
    EXPECT_LT(std::abs(2 * calc(e.kinetic, v) - twice), 1e-14L * (1 + twice));
  }
}

// A reaction is what keeps the body beyond the joint on its way: by Newton and Euler's equations of everything outboard.
TEST(RandomSystems, ReactionsBalanceWhatIsOutboard) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSystem random(seed, false, seed % 2 == 0);
    if (random.bodies().size() < 2) continue;   // the spring would end at the joint itself, on neither side
    const auto& last = random.bodies().back();  // nothing hangs on the last body
    random.s.add_reaction("joint",
                          {.point = last.hinge, .outboard = last.frame, .in = last.frame, .through = {"motor"}});
    KaneDerivation d(random.s);
    const EquationsOfMotion& e = d.equations();
    const NumberMap v = random.state();
    const auto now = random.move(v).back();
    // Everything but the reaction, on the last body alone: forces at its mass centre and at the tip.
    const auto r = random.load_on_last(v);
    const Vec<Number> w = spin(now.R, &Taylor::d), alpha = spin(now.R, &Taylor::dd);
    const Vec<Number> a = second_rates_of(now.centre), hinge = values_of(now.origin);
    const Vec<Number> inertia_force = plus({}, a, last.mass);
    const Vec<Number> inertia_torque =
        plus(plus(turned_inertia(now.R, last.I, alpha), outer(w, turned_inertia(now.R, last.I, w))),
             outer(plus(values_of(now.centre), hinge, -1), inertia_force));
    const Vec<Number> force = plus(inertia_force, r.force, -1);
    const Vec<Number> torque = plus(inertia_torque, plus(r.moment, outer(hinge, r.force), -1), -1);
    std::vector<Number> force_in_body(3), torque_in_body(3);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        force_in_body[i] += now.R[k][i].v * force[k];
        torque_in_body[i] += now.R[k][i].v * torque[k];
      }
    }
    ASSERT_EQ(e.reactions.size(), 1U);
    expect_equal(calc(e.reactions[0].force, v), force_in_body, "force");
    expect_equal(calc(e.reactions[0].torque, v), torque_in_body, "torque");
  }
}

// Constraints embedded with dependent speeds that were chosen automatically, against M u' = rhs + A^T lambda, A u' = gamma
// solved as it stands.
TEST(RandomSystems, EmbeddedConstraintsAreThoseOfMultipliers) {
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomSystem random(seed, seed % 3 == 0, seed % 2 == 0);
    const System& s = random.s;
    const std::size_t n = random.q.size(), m = std::min<std::size_t>(n - 1, 1 + seed % 3);
    for (std::size_t i = 0; i < m; ++i) {  // depend on time, coordinates and rates, in any mixture
      Expr row = sin(s.time()) / static_cast<int>(i + 2);
      for (std::size_t k = i; k < n; k += 1 + i)
        row += (static_cast<int>(k + i) + cos(random.q[(k + 1) % n])) * s.rate(random.q[k]);
      random.s.add_motion_constraint("c" + std::to_string(i + 1), row, i == 2 ? "last" : "first");
    }
    for (const EmbeddingMethod method : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
      DeriveOptions options;
      options.embedding = method;
      const EquationsOfMotion e = form_equations(s, options);
      if (m == 0) continue;
      ASSERT_TRUE(e.embedded);
      const EmbeddedEquations& c = *e.embedded;
      NumberMap v = random.state();
      const auto dependent_of = [&](const std::vector<Number>& rest, const auto& independent) {
        const std::vector<Number> D = calc(c.D, v);
        std::vector<Number> r = rest;
        for (std::size_t i = 0; i < r.size(); ++i) {
          for (std::size_t j = 0; j < c.independent.size(); ++j)
            r[i] += D[i * c.independent.size() + j] * independent(j);
        }
        return r;
      };
      const auto u = [&](int i) { return e.u[static_cast<std::size_t>(i)].name(); };
      const std::vector<Number> slow =
          dependent_of(calc(c.E, v), [&](std::size_t j) { return v.at(u(c.independent[j])); });
      for (std::size_t i = 0; i < m; ++i) v[u(c.dependent[i])] = slow[i];
      const std::vector<Number> rates = calc(e.qdot, v);
      for (std::size_t k = 0; k < n; ++k) v[random.q[k].name() + "'"] = rates[k];

      std::vector<Number> kkt((n + m) * (n + m)), right = calc(e.rhs, v), M = calc(e.M, v);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) kkt[i * (n + m) + j] = M[i * n + j];
      }
      for (std::size_t i = 0; i < m; ++i) {
        const std::vector<Number> a = calc(e.constraints[i].a, v);
        for (std::size_t j = 0; j < n; ++j) kkt[(n + i) * (n + m) + j] = a[j], kkt[j * (n + m) + n + i] = -a[j];
        right.push_back(calc(e.constraints[i].gamma, v));
      }
      const std::vector<Number> expected = solve(kkt, right);
      for (std::size_t j = 0; j < n; ++j) v[e.udot[j].name()] = expected[j];
      // The constraints hold, and stay so.
      for (const ConstraintEquation& row : e.constraints) {
        Expr value = row.b;
        for (std::size_t j = 0; j < n; ++j) value += row.a[j] * e.u[j];
        EXPECT_LT(std::abs(calc(value, v)), 1e-14L) << row.name;
        EXPECT_LT(std::abs(rate_of(value, e, v)), 1e-11L) << row.name;
      }
      const std::vector<Number> udot = solve(calc(c.M, v), calc(c.rhs, v));
      const std::vector<Number> rest = dependent_of(calc(c.g, v), [&](std::size_t j) { return udot[j]; });
      std::vector<Number> found(n);
      for (std::size_t j = 0; j < udot.size(); ++j) found[static_cast<std::size_t>(c.independent[j])] = udot[j];
      for (std::size_t i = 0; i < m; ++i) found[static_cast<std::size_t>(c.dependent[i])] = rest[i];
      const std::vector<Number> multipliers = calc(c.multipliers, v);
      found.insert(found.end(), multipliers.begin(), multipliers.end());
      Number size = 1;
      for (const Number x : expected) size = std::max(size, std::abs(x));
      for (std::size_t i = 0; i < n + m; ++i) EXPECT_LT(std::abs(found[i] - expected[i]), 1e-11L * size) << i;
    }
  }
}

}  // namespace
}  // namespace kane::test
