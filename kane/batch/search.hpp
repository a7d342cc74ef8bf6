#pragma once
// Design studies: the values of the variables, each in a range, for which expressions of measures are smallest or largest, subject to
// conditions. Algorithms of NLopt (S. G. Johnson, The NLopt nonlinear-optimization package):
//
//   local     COBYLA, linear models without derivatives (Powell 1994)
//   gradient  SLSQP, sequential quadratic programming (Kraft 1994); derivatives from the variational equations where the motion is
//             smooth (measure_gradient.hpp), else by central differences of runs
//   global    ISRES, an evolution strategy that ranks conditions (Runarsson and Yao 2005)
//   auto      global for two thirds of the runs, then from the best: gradient where the motion is smooth, else local
//   pareto    several goals: Tchebycheff's weighted distance from the best of each, for several weights, each by local search
//
// Every evaluation is a run with a number, so that it can be kept in a store like the cases of a study.

#include <functional>
#include <string>
#include <vector>

#include "kane/batch/sweep.hpp"

namespace kane {

struct SearchText {
  std::string text;
  bool larger = false;  ///< of a goal: to be large
  Where where{};
};

struct SearchOptions {
  std::vector<SearchText> goals{};
  std::vector<SearchText> conditions{};  ///< a <= b
  std::string method = "auto";
  std::uint64_t evaluations = 500;
  std::uint64_t seed = 1;
};

struct SearchReport {
  std::uint64_t runs = 0;
  std::vector<CaseResult> best{};            ///< one, or the front of several goals
  std::vector<std::vector<double>> goals{};  ///< values of the goals
  bool feasible = false;                     ///< the conditions hold in the best
  std::string stopped{};                     ///< why it ended
  std::uint64_t gradients = 0;               ///< derivatives that came from variational equations, not from runs
  std::string no_gradients{};                ///< why there were none, if some were wanted
};

/// Runs `k` with these values.
using SearchEvaluation = std::function<CaseResult(std::uint64_t k, const std::vector<double>& values)>;

/// Throws ModelError for goals and conditions that are none, and for an unknown method.
[[nodiscard]] SearchReport search(const Sweep& sweep, const SearchOptions& options, const SearchEvaluation& evaluate);

}  // namespace kane
