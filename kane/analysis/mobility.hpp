#pragma once
// How many degrees of freedom closed loops leave: speeds minus the rank of the constraints, found in numbers at the assembled
// configuration and at others that it can move to. Counting rows is not enough. The rows of overconstrained linkages
// (Bennett, Bricard, Sarrus) depend on each other wherever the linkage can be, though not for other dimensions; the rows of
// a parallelogram in line depend on each other there and nowhere else.
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
  std::size_t degrees_of_freedom = 0;  ///< of finite motions from the assembled configuration
  std::size_t at_start = 0;            ///< of small motions there; more than that in a singular configuration
  /// Rows of active constraints that follow from those before them, wherever the mechanism moves.
  std::vector<std::string> redundant;
  std::string failure;  ///< why it could not be assembled; the counts are then those of the symbolic equations
  /// The assembled configuration is a change point, or permits small motions that lead nowhere.
  [[nodiscard]] bool singular() const { return at_start != degrees_of_freedom; }
};

/// Assembles the model's start, or another one, and explores the configurations near it.
[[nodiscard]] MobilityReport find_mobility(const Model& model, const StartState& state = {});

}  // namespace kane
