// Reports are the same in every formulation, and the same as those of the derivation by projection.

#include "kane/mechanism/report.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "tests/mechanism/random_tree.hpp"

namespace kane {
namespace {

using testing::RandomTree;

void append(std::vector<Expr>& all, std::span<const Expr> more) { all.insert(all.end(), more.begin(), more.end()); }

/// Everything reported, by name.
std::map<std::string, std::vector<Expr>> reports_of(const EquationsOfMotion& e) {
  std::map<std::string, std::vector<Expr>> all;
  all["energy"] = {e.kinetic, e.potential.value_or(0)};
  append(all["momentum"], e.linear_momentum);
  append(all["momentum"], e.angular_momentum);
  for (const PointOutput& p : e.points)
    for (const Expr3& v : {p.position, p.velocity, p.acceleration}) append(all["point " + p.name], v);
  for (const BodyOutput& b : e.bodies) {
    for (const auto& row : b.rotation) append(all["body " + b.name], row);
    append(all["body " + b.name], b.angular_velocity);
    append(all["body " + b.name], b.angular_acceleration);
  }
  for (const ReactionOutput& r : e.reactions) {
    append(all["reaction " + r.name], r.force);
    append(all["reaction " + r.name], r.torque);
  }
  for (const ScalarOutput& o : e.outputs) all["output " + o.name] = {o.value};
  return all;
}

std::map<std::string, std::vector<double>> reported_numbers(const EquationsOfMotion& e, unsigned seed) {
  RandomTree random(seed);
  const Values values = testing::random_state(e, random);
  std::map<std::string, std::vector<double>> all;
  for (const auto& [name, what] : reports_of(e)) all[name] = evaluate(what, values);
  return all;
}

EquationsOfMotion form_with_reports(const Mechanism& m, Formulation formulation) {
  FormOptions options;
  options.formulation = formulation;
  return form_equations(copy_mechanism(m), options);
}

Mechanism random_mechanism(unsigned seed) {
  RandomTree random(seed);
  Mechanism m = random.mechanism(random.whole(1, 5));
  m.points.push_back({"P", "B0", {0.1, 0.2, -0.3}, {}});
  m.outputs = {{"E", {"energy", {}}},
               {"x", {"dot(position(P), N.x)", {}}},
               {"T", {"2*kinetic", {}}},
               {"a", {"a(P)", {}}},
               {"alpha", {"dot(alpha(B0), B0.y)", {}}}};
  return m;
}

TEST(Reports, AreTheSameInEveryFormulation) {
  for (unsigned seed = 900; seed < 940; ++seed) {
    SCOPED_TRACE(seed);
    const Mechanism m = random_mechanism(seed);
    if (m.joint_speeds().empty()) continue;
    const auto expected = reported_numbers(form_with_reports(m, Formulation::Projection), seed);
    EXPECT_TRUE(expected.contains("output E") && expected.contains("output a.z"));
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      const auto numbers = reported_numbers(form_with_reports(m, formulation), seed);
      ASSERT_EQ(numbers.size(), expected.size());
      for (const auto& [name, value] : expected)
        EXPECT_LT(testing::distance(numbers.at(name), value), 1e-12) << name << " by " << to_string(formulation);
    }
  }
}

TEST(Reports, AreThoseOfTheDerivation) {
  for (unsigned seed = 950; seed < 970; ++seed) {
    SCOPED_TRACE(seed);
    const Mechanism m = random_mechanism(seed);
    if (m.joint_speeds().empty()) continue;
    const EquationsOfMotion recursive = form_with_reports(m, Formulation::Projection);
    const auto numbers = reported_numbers(recursive, seed);
    const LoweredMechanism lowered = lower_mechanism(m);
    EquationsOfMotion derived = form_equations(lowered.system);
    derived.outputs.clear();
    const auto expected = reported_numbers(derived, seed);
    // Outputs and reactions are the mechanism's own; newton_euler_test.cpp checks the latter.
    for (const auto& [name, value] : numbers) {
      if (name.starts_with("reaction") || name.starts_with("output")) continue;
      ASSERT_TRUE(expected.contains(name)) << name;
      EXPECT_LT(testing::distance(value, expected.at(name)), 1e-12) << name;
    }
    const double energy = numbers.at("energy")[0] + numbers.at("energy")[1];
    EXPECT_NEAR(numbers.at("output E")[0], energy, 1e-12 * (1 + std::abs(energy)));
    EXPECT_NEAR(numbers.at("output T")[0], 2 * numbers.at("energy")[0], 1e-12 * (1 + std::abs(energy)));
    EXPECT_LT(testing::distance({numbers.at("output a.x")[0], numbers.at("output a.y")[0], numbers.at("output a.z")[0]},
                                {numbers.at("point P")[6], numbers.at("point P")[7], numbers.at("point P")[8]}),
              1e-12);
  }
}

TEST(Reports, KeepTheOrderOfTheOutputs) {
  const EquationsOfMotion e = form_with_reports(random_mechanism(901), Formulation::Composite);
  std::vector<std::string> names;
  for (const ScalarOutput& o : e.outputs) names.push_back(o.name);
  EXPECT_EQ(names, (std::vector<std::string>{"E", "x", "T", "a.x", "a.y", "a.z", "alpha"}));
}

TEST(Reports, CostOfAChainGrowsWithItsLength) {
  const auto operations = [](int n) {
    RandomTree random(3);
    Mechanism m = random.chain(n);
    m.outputs = {{"E", {"energy", {}}}};
    const EquationsOfMotion e = form_with_reports(m, Formulation::Articulated);
    std::vector<Expr> all;
    for (const auto& [name, what] : reports_of(e)) append(all, what);
    std::vector<Expr> state = e.q;
    append(state, e.u);
    append(state, e.udot);
    return count_operations(all, state).total();
  };
  const int short_chain = operations(20), long_chain = operations(40);
  EXPECT_LT(long_chain, 2.2 * short_chain);
}

}  // namespace
}  // namespace kane
