// The formulations agree with each other on random trees, and with the choice of speeds.

#include "kane/mechanism/formulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/random_tree.hpp"

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
// has no inertia about its axis) do not occur: every body has mass.
TEST_P(RandomTrees, FormulationsAgree) {
  for (int i = 0; i < 100; ++i) {
    const auto seed = static_cast<unsigned>(GetParam() * 100 + i);
    RandomTree random(seed);
    const Mechanism mechanism = random.mechanism(random.whole(1, 4));
    if (mechanism.joint_speeds().empty()) continue;  // welded to the ground
    const Numbers projection = numbers_of(form(mechanism, Formulation::Projection), seed);
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      for (const bool regroup : {true, false}) {
        const Numbers other = numbers_of(form(mechanism, formulation, regroup), seed);
        EXPECT_LT(distance(other.M, projection.M), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.rhs, projection.rhs), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.inverse, projection.inverse), 1e-11) << "seed " << seed;
        // Accelerations feel the condition of M; the trees here have condition numbers up to about 1e4.
        EXPECT_LT(distance(other.udot, projection.udot), 1e-10) << "seed " << seed << " " << to_string(formulation);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, RandomTrees, ::testing::Range(0, 10));

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
