#pragma once
// Equilibria and steady motions of a model, from a state to begin at (the search itself: equilibrium.hpp).
//
//     EquilibriaReport at = find_equilibria(model, {}, {.search = {.all = true}});
//     at.found[0].state, at.found[0].stability() ...

#include "kane/analysis/equilibrium.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// What is looked for, and in which system.
struct EquilibriaOptions {
  EquilibriumOptions search{};  ///< of the solver
  /// Leave the laws of inputs out: the inputs keep the values that the laws have at the start.
  bool open_loop = false;
};

/// Everything that was found, with names.
struct EquilibriaReport : EquilibriumReport {
  bool steady = false;                   ///< steady motions instead of equilibria
  StartState start;                      ///< the state to begin at, as given
  PointSummary summary;                  ///< of the start; its warnings are in `warnings`
  std::vector<std::string> constraints;  ///< names of all
};

/// Throws ModelError for unknown names.
[[nodiscard]] EquilibriaReport find_equilibria(const Model& model, const StartState& start = {},
                                               const EquilibriaOptions& options = {});

}  // namespace kane
