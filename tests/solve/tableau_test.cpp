// The order conditions of the explicit methods, read off the running code: a right-hand side that answers the j-th call
// with the j-th unit vector sees the tableau in the states it is called with.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/fixed_step.hpp"
#include "problems.hpp"

namespace kane {
namespace {

/// A rooted tree: its subtrees are indices into the list of all trees.
struct Tree {
  int order = 1;
  double gamma = 1;
  std::vector<std::size_t> children;
};

/// All rooted trees up to an order, smaller ones first (1, 1, 2, 4, 9, 20, 48, 115 of them).
std::vector<Tree> all_trees(int largest) {
  std::vector<Tree> trees{Tree{}};
  for (int order = 2; order <= largest; ++order) {
    const std::size_t known = trees.size();
    std::vector<std::size_t> chosen;
    const std::function<void(int, std::size_t)> add_children = [&](int left, std::size_t first) {
      if (left == 0) {
        Tree tree{.order = order, .gamma = static_cast<double>(order), .children = chosen};
        for (const std::size_t child : chosen) tree.gamma *= trees[child].gamma;
        trees.push_back(tree);
        return;
      }
      for (std::size_t i = first; i < known; ++i) {
        if (trees[i].order > left) break;
        chosen.push_back(i);
        add_children(left - trees[i].order, i);
        chosen.pop_back();
      }
    };
    add_children(order - 1, 0);
  }
  return trees;
}

struct Recorded {
  std::vector<double> c;
  std::vector<std::vector<double>> a;  ///< row i: state at call i
};

/// One step of length 1 from zero, then one interpolation so that all stages are called.
std::unique_ptr<Recorded> record(const std::function<std::unique_ptr<Integrator>(Rhs)>& make,
                                 std::unique_ptr<Integrator>& integrator) {
  auto recorded = std::make_unique<Recorded>();
  integrator = make([log = recorded.get()](double t, std::span<const double> y, std::span<double> f) {
    log->c.push_back(t);
    log->a.emplace_back(y.begin(), y.end());
    std::ranges::fill(f, 0.0);
    f[log->c.size() - 1] = 1;
    return RhsStatus::Ok;
  });
  integrator->start(0, std::vector<double>(integrator->size()));
  EXPECT_EQ(integrator->step().status, StepStatus::Ok);
  EXPECT_EQ(integrator->time(), 1);
  std::vector<double> y(integrator->size());
  EXPECT_EQ(integrator->interpolate(0.5, y), StepStatus::Ok);
  return recorded;
}

/// Largest violation of sum_j b_j phi_j(tree) = theta^order / gamma over all trees up to the order.
double violation(const Recorded& method, const std::vector<double>& b, double theta, int order) {
  const std::vector<Tree> trees = all_trees(order);
  const std::size_t stages = method.c.size();
  std::vector<std::vector<long double>> phi(trees.size(), std::vector<long double>(stages, 1));
  double worst = 0;
  for (std::size_t n = 0; n < trees.size(); ++n) {
    long double weight = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      for (const std::size_t child : trees[n].children) {
        long double sum = 0;
        for (std::size_t j = 0; j < stages; ++j) sum += method.a[i][j] * phi[child][j];
        phi[n][i] *= sum;
      }
      weight += b[i] * phi[n][i];
    }
    worst = std::max(worst, std::abs(static_cast<double>(weight) - std::pow(theta, trees[n].order) / trees[n].gamma));
  }
  return worst;
}

void check_method(const std::function<std::unique_ptr<Integrator>(Rhs)>& make, int order, int dense_order,
                  double tolerance) {
  std::unique_ptr<Integrator> integrator;
  const auto recorded = record(make, integrator);
  for (std::size_t i = 0; i < recorded->c.size(); ++i) {  // c_i = sum_j a_ij
    double sum = 0;
    for (const double a : recorded->a[i]) sum += a;
    EXPECT_NEAR(sum, recorded->c[i], 1e-14) << "stage " << i;
  }
  const std::vector<double> b(integrator->state().begin(), integrator->state().end());
  EXPECT_LT(violation(*recorded, b, 1, order), tolerance);
  EXPECT_GT(violation(*recorded, b, 1, order + 1), 1e-6) << "no higher order than it says";
  std::vector<double> y(integrator->size());
  for (const double theta : {0.1, 0.37, 0.5, 0.81, 0.99}) {
    EXPECT_EQ(integrator->interpolate(theta, y), StepStatus::Ok);
    EXPECT_LT(violation(*recorded, y, theta, dense_order), tolerance) << theta;
  }
}

TEST(Tableau, ThereAreAsManyTreesAsThereShould) { EXPECT_EQ(all_trees(8).size(), 1u + 1 + 2 + 4 + 9 + 20 + 48 + 115); }

TEST(Tableau, RungeKutta4) {
  check_method([](Rhs rhs) { return std::make_unique<RungeKutta4>(5, std::move(rhs), 1.0); }, 4, 3, 1e-15);
}

TEST(Tableau, DormandPrince54) {
  check_method([](Rhs rhs) { return std::make_unique<DormandPrince54>(7, std::move(rhs), testing::constant_step(1)); },
               5, 4, 1e-14);
}

TEST(Tableau, DormandPrince853) {
  check_method(
      [](Rhs rhs) { return std::make_unique<DormandPrince853>(16, std::move(rhs), testing::constant_step(1)); }, 8, 7,
      1e-13);
}

}  // namespace
}  // namespace kane
