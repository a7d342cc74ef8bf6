#pragma once
// Equilibria and steady motions of a model, from a state to begin at (the search itself: equilibrium.hpp).
//
//     EquilibriaReport at = find_equilibria(model, {}, {.search = {.all = true}});
//     at.found[0].state, at.found[0].stability() ...

#include "kane/analysis/equilibrium.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// Options of a search for equilibria of a model.
struct EquilibriaOptions {
  EquilibriumOptions search{};  ///< options of the solver
  /// Leave out the laws of inputs: inputs keep the values their laws give at the start.
  bool open_loop = false;
};

/// The equilibria found, with the names and the start they belong to.
struct EquilibriaReport : EquilibriumReport {
  bool steady = false;                   ///< steady motions instead of equilibria
  StartState start;                      ///< the state to begin at, as given
  PointSummary summary;                  ///< summary of the start; its warnings are in `warnings`
  std::vector<std::string> constraints;  ///< names of all constraints
};

/// Searches for equilibria or steady motions from `start`. Throws ModelError for unknown names.
[[nodiscard]] EquilibriaReport find_equilibria(const Model& model, const StartState& start = {},
                                               const EquilibriaOptions& options = {});

}  // namespace kane
