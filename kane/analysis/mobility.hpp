#pragma once
// Degrees of freedom of mechanisms with closed loops: speeds minus the rank of the constraints, found numerically at the
// assembled configuration and at others it can move to. Counting rows is not enough. The rows of overconstrained linkages
// (Bennett, Bricard, Sarrus) depend on each other wherever the linkage can move, though not for other dimensions; the rows
// of a folded parallelogram depend on each other there and nowhere else.
//
//     MobilityReport m = find_mobility(model);
//     m.degrees_of_freedom, m.redundant ...

#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

/// Mobility of a model.
struct MobilityReport {
  std::size_t speeds = 0;              ///< generalized speeds
  std::size_t degrees_of_freedom = 0;  ///< for finite motions from the assembled configuration
  std::size_t at_start = 0;            ///< for small motions there; larger in a singular configuration
  /// Rows of active constraints that follow from those before them wherever the mechanism moves.
  std::vector<std::string> redundant;
  std::string failure;  ///< why it could not be assembled; the counts are then those of the symbolic equations
  /// The assembled configuration is a change point, or permits small motions that lead nowhere.
  [[nodiscard]] bool singular() const { return at_start != degrees_of_freedom; }
};

/// Assembles the model's start, or another one, and explores the configurations near it.
[[nodiscard]] MobilityReport find_mobility(const Model& model, const StartState& state = {});

}  // namespace kane
