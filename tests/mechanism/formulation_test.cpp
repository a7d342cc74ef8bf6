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

using testing::RandomTree;

struct Numbers {
  std::vector<double> udot, M, rhs, inverse;
};

/// Everything at one random state; the same state for every formulation.
Numbers numbers_of(const EquationsOfMotion& e, unsigned seed) {
  RandomTree random(seed);
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  for (const auto& i : e.inputs) values[i.symbol.name()] = random.uniform(-1, 1);
  values[e.t.name()] = 0.3;
  for (const auto& q : e.q) values[q.name()] = random.uniform(-1.5, 1.5);
  for (const int first : e.quaternions) {
    double length = 0;
    for (int k = 0; k < 4; ++k) length += std::pow(values[e.q[static_cast<std::size_t>(first + k)].name()], 2);
    for (int k = 0; k < 4; ++k) values[e.q[static_cast<std::size_t>(first + k)].name()] /= std::sqrt(length);
  }
  for (const auto& u : e.u) values[u.name()] = random.uniform(-1, 1);
  for (const auto& a : e.udot) values[a.name()] = random.uniform(-1, 1);
  return {evaluate(e.udot_explicit, values), evaluate(e.M.entries, values), evaluate(e.rhs, values),
          evaluate(e.inverse, values)};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double size = 1, worst = 0;  // the systems are of order one; a force may vanish altogether
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max({size, std::abs(a[i]), std::abs(b[i])});
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / size);
  return worst;
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
    const Numbers composite = numbers_of(form(mechanism, Formulation::Composite), seed);
    for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
      for (const bool regroup : {true, false}) {
        const Numbers other = numbers_of(form(mechanism, formulation, regroup), seed);
        EXPECT_LT(distance(other.M, projection.M), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.rhs, projection.rhs), 1e-11) << "seed " << seed;
        EXPECT_LT(distance(other.inverse, projection.inverse), 1e-11) << "seed " << seed;
        // Accelerations feel the condition of M; the trees here have condition numbers up to about 1e4.
        EXPECT_LT(distance(other.udot, composite.udot), 1e-10) << "seed " << seed << " " << to_string(formulation);
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
    Mechanism m("chain");
    for (int i = 0; i < n; ++i) {
      Joint joint;
      joint.name = "j" + std::to_string(i);
      joint.parent = i == 0 ? "N" : "B" + std::to_string(i - 1);
      joint.child = "B" + std::to_string(i);
      joint.on_parent = random.placement();
      joint.motions = open_joint(joint_kind("revolute", {}));
      name_motions(*m.graph, joint, {}, {});
      MechanismBody body;
      body.name = joint.child;
      body.mass = 1;
      body.inertia = random.inertia();
      m.add_body(std::move(body));
      m.add_joint(std::move(joint));
    }
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
