#include "same_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane::test {

namespace {

std::vector<std::string> names(const std::vector<Expr>& symbols) {
  std::vector<std::string> all;
  for (const Expr& s : symbols) all.push_back(s.name());
  return all;
}

std::vector<std::string> names(const std::vector<SymbolWithDefault>& symbols) {
  std::vector<std::string> all;
  for (const auto& s : symbols) all.push_back(s.symbol.name());
  return all;
}

/// Everything that the equations say, in one list.
std::vector<Expr> everything(const EquationsOfMotion& e) {
  std::vector<Expr> all = e.qdot;
  all.insert(all.end(), e.M.entries.begin(), e.M.entries.end());
  all.insert(all.end(), e.rhs.begin(), e.rhs.end());
  for (const auto& c : e.constraints) {
    all.insert(all.end(), c.a.begin(), c.a.end());
    all.push_back(c.b);
    all.push_back(c.gamma);
    if (c.phi) all.push_back(*c.phi);
  }
  all.push_back(e.kinetic);
  if (e.potential) all.push_back(*e.potential);
  for (const auto& o : e.outputs) all.push_back(o.value);
  for (const auto& p : e.points) all.insert(all.end(), p.position.begin(), p.position.end());
  return all;
}

EquationsOfMotion equations(const Mechanism& m) {
  const LoweredMechanism lowered = lower_mechanism(m);
  DeriveOptions options;
  options.embedding = EmbeddingMethod::None;
  return form_equations(lowered.system, options);
}

Values random_state(const Mechanism& m, const EquationsOfMotion& e, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1.2, 1.2);
  Values values = parameter_values(m);
  values["t"] = any(random);
  for (const auto& list : {e.q, e.u, e.udot})
    for (const Expr& s : list) values[s.name()] = any(random);
  for (const auto& i : e.inputs) values[i.symbol.name()] = any(random);
  for (const auto& c : e.constraints) values[c.multiplier.name()] = any(random);
  for (const Expr& s : symbols_of(everything(e)))  // forces that loads depend on
    if (!values.contains(s.name())) values[s.name()] = any(random);
  return values;
}

}  // namespace

void expect_same_equations(const Mechanism& a, const Mechanism& b, double tolerance) {
  const EquationsOfMotion ea = equations(a), eb = equations(b);
  EXPECT_EQ(names(ea.q), names(eb.q));
  EXPECT_EQ(names(ea.u), names(eb.u));
  EXPECT_EQ(names(ea.parameters), names(eb.parameters));
  EXPECT_EQ(names(ea.inputs), names(eb.inputs));
  EXPECT_EQ(ea.dependent_speeds, eb.dependent_speeds);
  EXPECT_EQ(a.initial, b.initial);
  EXPECT_EQ(a.guess, b.guess);
  ASSERT_EQ(ea.constraints.size(), eb.constraints.size());
  for (std::size_t i = 0; i < ea.constraints.size(); ++i) {
    EXPECT_EQ(ea.constraints[i].name, eb.constraints[i].name);
    EXPECT_EQ(ea.constraints[i].active, eb.constraints[i].active);
  }
  const auto all_a = everything(ea), all_b = everything(eb);
  ASSERT_EQ(all_a.size(), all_b.size());
  std::mt19937 random(7);
  for (int state = 0; state < 3; ++state) {
    const Values values = random_state(a, ea, random);
    const auto x = evaluate(all_a, values, table_functions(a));
    const auto y = evaluate(all_b, values, table_functions(b));
    double scale = 1e-300;
    for (const double v : x)
      if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
    // A random state may be out of reach (a beam bent by more than its length): the same entries have no value then.
    std::size_t compared = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i]) && std::isnan(y[i])) continue;
      ASSERT_NEAR(x[i], y[i], tolerance * scale) << "entry " << i;
      ++compared;
    }
    EXPECT_GT(2 * compared, x.size());
  }
}

}  // namespace kane::test
