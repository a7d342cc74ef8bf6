// The formulations agree with each other on random trees, and with the choice of speeds.

#include "kane/mechanism/formulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::distance;
using testing::RandomTree;

struct Numbers {
  std::vector<double> udot, M, rhs, inverse;
};

/// Everything at one random state; the same state for every formulation.
Numbers numbers_of(const EquationsOfMotion& e, unsigned seed) {
  RandomTree random(seed);
  const Values values = testing::random_state(e, random);
  return {evaluate(e.udot_explicit, values), evaluate(e.M.entries, values), evaluate(e.rhs, values),
          evaluate(e.inverse, values)};
}

EquationsOfMotion form(const Mechanism& mechanism, Formulation formulation, bool regroup = true) {
  FormOptions options;
  options.formulation = formulation;
  options.regroup = regroup;
  options.outputs = false;
  return form_equations(copy_mechanism(mechanism), options);
}

class RandomTrees : public ::testing::TestWithParam<int> {};

// 1,000 trees in ten parts, so that they run side by side. Trees that nobody could solve for accelerations (a leaf that
// has no inertia about its axis) do not occur. Accelerations by projection come from its M and rhs, solved in numbers.
TEST_P(RandomTrees, FormulationsAgree) {
  for (int i = 0; i < 100; ++i) {
    const auto seed = static_cast<unsigned>(GetParam() * 100 + i);
    RandomTree random(seed);
    const Mechanism mechanism = random.mechanism(i % 20 == 0 ? 6 : random.whole(1, 4));
    if (mechanism.joint_speeds().empty()) continue;  // welded to the ground
    const Numbers projection = numbers_of(form(mechanism, Formulation::Projection), seed);
    const std::vector<double> udot = testing::solve(projection.M, projection.rhs);
    // Its elimination in symbols feels the condition of M more; the trees here have condition numbers up to about 1e4.
    EXPECT_LT(distance(projection.udot, udot), 1e-10) << "seed " << seed;
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      for (const bool regroup : {true, false}) {
        const Numbers other = numbers_of(form(mechanism, formulation, regroup), seed);
        EXPECT_LT(distance(other.M, projection.M), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.rhs, projection.rhs), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.inverse, projection.inverse), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.udot, udot), 1e-11) << "seed " << seed << " " << to_string(formulation);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, RandomTrees, ::testing::Range(0, 10));

// Robot files write 1.5708 for a right angle, so axes that are meant to be parallel meet a thousand kilometres away.
TEST(Formulation, AxesThatAreAlmostParallelCostNoDigits) {
  for (const double off : {1e-3, 3.7e-6, 1e-8, 1e-11}) {
    RandomTree random(6);
    Mechanism m = random.chain(4);
    for (Joint& joint : m.joints) {
      joint.on_parent.rotation = {{{1, 0, 0}, {0, std::cos(off), -std::sin(off)}, {0, std::sin(off), std::cos(off)}}};
      joint.on_parent.position = {0.3, 0.2, 0.4};
    }
    const Numbers projection = numbers_of(form(m, Formulation::Projection), 6);
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      const Numbers other = numbers_of(form(m, formulation), 6);
      EXPECT_LT(distance(other.M, projection.M), 1e-12) << off;
      EXPECT_LT(distance(other.udot, testing::solve(projection.M, projection.rhs)), 1e-11) << off;
    }
  }
}

/// Symbols of the dynamical equations that the equations do not list.
std::string unlisted(const EquationsOfMotion& e) {
  std::set<std::string> listed{e.t.name()};
  for (const auto& p : e.parameters) listed.insert(p.symbol.name());
  for (const auto& p : e.inputs) listed.insert(p.symbol.name());
  for (const auto* symbols : {&e.q, &e.u, &e.udot})
    for (const Expr& s : *symbols) listed.insert(s.name());
  std::vector<Expr> all = e.rhs;
  for (const auto* more : {&e.M.entries, &e.udot_explicit, &e.inverse, &e.qdot})
    all.insert(all.end(), more->begin(), more->end());
  for (const auto& p : e.parameters) all.push_back(p.value);
  std::string names;
  for (const Expr& s : symbols_of(all))
    if (!listed.contains(s.name())) names += s.name() + " ";
  return names;
}

std::vector<std::string> names_of_parameters(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const auto& p : e.parameters) names.push_back(p.symbol.name());
  return names;
}

// One graph holds them all: what has been formed before must not change what is formed next.
TEST(Formulation, EquationsFormedAgainAreTheSame) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomTree random(seed);
    const Mechanism mechanism = random.mechanism(random.whole(2, 4));
    if (mechanism.joint_speeds().empty()) continue;
    for (int round = 0; round < 2; ++round) {
      for (const Formulation formulation :
           {Formulation::Articulated, Formulation::Projection, Formulation::Automatic, Formulation::Composite}) {
        FormOptions options;
        options.formulation = formulation;
        const EquationsOfMotion fresh = form_equations(copy_mechanism(mechanism), options);
        const EquationsOfMotion again = form_equations(mechanism, options);
        EXPECT_EQ(unlisted(again), "") << "seed " << seed;
        EXPECT_EQ(names_of_parameters(again), names_of_parameters(fresh)) << "seed " << seed;
        const Numbers one = numbers_of(fresh, seed), two = numbers_of(again, seed);
        EXPECT_LT(distance(one.M, two.M), 1e-13) << "seed " << seed;
        EXPECT_LT(distance(one.rhs, two.rhs), 1e-13) << "seed " << seed;
        EXPECT_LT(distance(one.udot, two.udot), 1e-10) << "seed " << seed;
        EXPECT_LT(distance(one.inverse, two.inverse), 1e-13) << "seed " << seed;
      }
    }
  }
}

TEST(Formulation, NamesAreChecked) {
  EXPECT_EQ(formulation_from("composite"), Formulation::Composite);
  try {
    (void)formulation_from("compostie");
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'composite'"), std::string::npos) << error.what();
  }
}

TEST(Formulation, LongChainsAreArticulatedAndShortOnesAreNot) {
  const auto chain = [](int n) {
    RandomTree random(5);
    const Mechanism m = random.chain(n);
    FormOptions options;
    options.outputs = false;
    options.mass_matrix = false;
    return form_equations(m, options).formulation;
  };
  EXPECT_EQ(chain(4), "composite");
  EXPECT_EQ(chain(30), "articulated");
}

}  // namespace
}  // namespace kane
