#include "oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "kane/expr/evaluate_in.hpp"

namespace kane::test {

using nlohmann::json;

std::vector<Number> calc(std::span<const Expr> es, const NumberMap& values) {
  return evaluate_in<Number>(
      es,
      [&](const std::string& name) {
        const auto at = values.find(name);
        if (at == values.end()) throw ModelError("no value for " + name);
        return at->second;
      },
      [](const Rational& r) {
        // Numerators and denominators of the models here are exact in extended precision.
        return static_cast<Number>(std::stold(r.get_num().get_str())) /
               static_cast<Number>(std::stold(r.get_den().get_str()));
      },
      [](const std::string& name, std::span<const Number>) -> Number { throw ModelError("no function " + name); });
}

Number calc(const Expr& e, const NumberMap& values) { return calc(std::span(&e, 1), values)[0]; }
std::vector<Number> calc(const Expr3& e, const NumberMap& values) { return calc(std::span<const Expr>(e), values); }
std::vector<Number> calc(const ExprMatrix& m, const NumberMap& values) {
  return calc(std::span<const Expr>(m.entries), values);
}

std::vector<Number> solve(std::vector<Number> a, std::vector<Number> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t p = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(a[r * n + c]) > std::abs(a[p * n + c])) p = r;
    }
    for (std::size_t j = 0; j < n; ++j) std::swap(a[p * n + j], a[c * n + j]);
    std::swap(b[p], b[c]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const Number f = a[r * n + c] / a[c * n + c];
      for (std::size_t j = c; j < n; ++j) a[r * n + j] -= f * a[c * n + j];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t j = c + 1; j < n; ++j) b[c] -= a[c * n + j] * b[j];
    b[c] /= a[c * n + c];
  }
  return b;
}

Oracle::Oracle(const std::string& id) {
  std::ifstream in(std::string(KANE_SOURCE_DIR) + "/tests/oracles/" + id + ".json");
  if (!in) throw std::runtime_error("no oracle " + id);
  file_ = json::parse(in);
}

void Oracle::declare(System& s) const {
  for (const auto& [name, value] : file_.at("parameters").items()) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        s.add_parameter(name + std::to_string(i + 1), Expr(value[i].get<double>()));
      }
    } else {
      s.add_parameter(name, Expr(value.get<double>()));
    }
  }
  for (const json& name : file_.at("inputs")) s.add_input(name.get<std::string>());
  for (const json& name : file_.at("coordinates")) s.add_coordinate(name.get<std::string>());
}

NumberMap Oracle::values(const json& state) const {
  NumberMap r;
  for (const auto& [name, value] : file_.at("parameters").items()) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) r[name + std::to_string(i + 1)] = value[i].get<double>();
    } else {
      r[name] = value.get<double>();
    }
  }
  r["t"] = state.at("t").get<double>();
  for (const char* group : {"q", "u", "inputs"}) {
    if (!state.contains(group)) continue;
    for (const auto& [name, value] : state.at(group).items()) r[name] = value.get<double>();
  }
  return r;
}

namespace {

void flatten(const json& j, std::vector<Number>& out) {
  if (j.is_array()) {
    for (const json& e : j) flatten(e, out);
  } else {
    out.push_back(j.get<double>());
  }
}

void check_partials(KaneDerivation& d, const json& state, const NumberMap& values, const CompareOptions& options) {
  const System& s = d.system();
  const int n = d.equations().speed_count();
  for (const auto& [name, reference] : state.at("partial_velocities").items()) {
    FrameId frame;
    PointId point;
    const auto given = options.partials.find(name);
    if (given != options.partials.end()) {
      if (!given->second.first.empty()) frame = s.frame(given->second.first);
      if (!given->second.second.empty()) point = s.point(given->second.second);
    } else {
      for (const BodyRecord& b : s.bodies()) {
        if (b.name != name) continue;
        frame = b.frame;
        point = b.mass_centre;
      }
      for (std::size_t i = 0; i < s.points().size(); ++i) {
        if (!point.valid() && s.points()[i].name == name) point = PointId(i);
      }
    }
    for (const auto& [kind, table] : reference.items()) {
      if (table.empty()) continue;
      const bool angular = kind == "omega_r_in_N";
      if (angular && !frame.valid()) continue;
      if (!angular && !point.valid()) {
        ADD_FAILURE() << "no point for " << name;
        continue;
      }
      std::vector<Expr> all;
      for (int r = 0; r < n; ++r) {
        const Vector v = angular ? d.partial_angular_velocity(frame, r) : d.partial_velocity(point, r);
        for (const Expr& c : s.frames().express(v, s.inertial())) all.push_back(c);
      }
      expect_close(calc(all, values), table, "partial velocities of " + name + " " + kind);
    }
  }
}

/// udot of all speeds: from M udot = rhs, or from the embedded equations.
std::vector<Number> calc_accelerations(const EquationsOfMotion& e, const NumberMap& values) {
  if (!e.embedded) return solve(calc(e.M, values), calc(e.rhs, values));
  const EmbeddedEquations& m = *e.embedded;
  const std::vector<Number> independent = solve(calc(m.M, values), calc(m.rhs, values));
  const std::vector<Number> D = calc(m.D, values), g = calc(m.g, values);
  std::vector<Number> udot(e.u.size());
  for (std::size_t j = 0; j < independent.size(); ++j)
    udot[static_cast<std::size_t>(m.independent[j])] = independent[j];
  for (std::size_t i = 0; i < g.size(); ++i) {
    Number sum = g[i];
    for (std::size_t j = 0; j < independent.size(); ++j) sum += D[i * independent.size() + j] * independent[j];
    udot[static_cast<std::size_t>(m.dependent[i])] = sum;
  }
  return udot;
}

void check_constraints(const EquationsOfMotion& e, const json& state, const NumberMap& values, bool multipliers) {
  std::vector<Expr> jacobian;
  for (const ConstraintEquation& c : e.constraints) jacobian.insert(jacobian.end(), c.a.begin(), c.a.end());
  expect_close(calc(jacobian, values), state.at("constraint_jacobian"), "constraint_jacobian");
  ASSERT_TRUE(e.embedded.has_value());
  for (const char* key : {"M_embedded", "rhs_embedded"}) ASSERT_TRUE(state.contains(key));
  expect_close(calc(e.embedded->M, values), state.at("M_embedded"), "M_embedded");
  expect_close(calc(e.embedded->rhs, values), state.at("rhs_embedded"), "rhs_embedded");
  if (multipliers) {
    expect_close(calc(e.embedded->multipliers, values), state.at("constraint_multipliers"), "constraint_multipliers");
  }
  // u_dep = D u_ind + E on consistent states.
  const EmbeddedEquations& m = *e.embedded;
  for (std::size_t i = 0; i < m.dependent.size(); ++i) {
    Expr sum = m.E[i] - e.u[static_cast<std::size_t>(m.dependent[i])];
    for (std::size_t j = 0; j < m.independent.size(); ++j) {
      sum += m.D(static_cast<int>(i), static_cast<int>(j)) * e.u[static_cast<std::size_t>(m.independent[j])];
    }
    EXPECT_NEAR(static_cast<double>(calc(sum, values)), 0, 1e-12) << "dependent speed " << i;
  }
}

}  // namespace

void expect_close(const std::vector<Number>& computed, const json& reference, const std::string& what,
                  Number tolerance) {
  std::vector<Number> expected;
  flatten(reference, expected);
  ASSERT_EQ(computed.size(), expected.size()) << what;
  Number scale = 0;
  for (const Number e : expected) scale = std::max(scale, std::abs(e));
  if (scale == 0) scale = 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(computed[i]), static_cast<double>(expected[i]),
                static_cast<double>(tolerance * scale))
        << what << "[" << i << "]";
  }
}

std::vector<NumberMap> compare(KaneDerivation& d, const Oracle& oracle, const CompareOptions& options) {
  const EquationsOfMotion& e = d.equations();
  const std::vector<Expr> active = d.active_forces();
  const std::vector<Expr> inertia = d.inertia_forces();
  std::vector<NumberMap> all;
  for (const json& state : oracle.states()) {
    SCOPED_TRACE("state " + std::to_string(all.size()));
    NumberMap values = oracle.values(state);
    expect_close(calc(e.qdot, values), state.at("qdot"), "qdot");
    expect_close(calc(e.M, values), state.at("M"), "M");
    expect_close(calc(e.rhs, values), state.at("rhs"), "rhs");
    if (state.contains("generalized_active_forces")) {
      expect_close(calc(active, values), state.at("generalized_active_forces"), "F_r");
    }
    if (state.contains("T")) expect_close(calc(std::span(&e.kinetic, 1), values), state.at("T"), "T");
    if (state.contains("V")) {
      EXPECT_TRUE(e.potential.has_value());
      if (e.potential) expect_close(calc(std::span(&*e.potential, 1), values), state.at("V"), "V");
    }
    if (state.contains("partial_velocities")) check_partials(d, state, values, options);
    const std::vector<Number> udot = calc_accelerations(e, values);
    expect_close(udot, state.at("udot"), "udot");
    for (std::size_t i = 0; i < udot.size(); ++i) values[e.udot[i].name()] = udot[i];
    if (!e.constraints.empty()) {
      check_constraints(e, state, values, options.multipliers);
      const std::vector<Number> lambda = calc(e.embedded->multipliers, values);
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        values[e.constraints[static_cast<std::size_t>(e.embedded->rows[i])].multiplier.name()] = lambda[i];
      }
    }
    // F_r + F*_r and the inverse dynamics are the same residual.
    const std::vector<Number> f = calc(active, values), fs = calc(inertia, values), inverse = calc(e.inverse, values);
    for (std::size_t i = 0; i < f.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(f[i] + fs[i] + inverse[i]), 0,
                  1e-11 * (1 + std::abs(static_cast<double>(fs[i]))));
    }
    all.push_back(std::move(values));
  }
  return all;
}

}  // namespace kane::test
