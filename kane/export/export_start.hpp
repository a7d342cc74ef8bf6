#pragma once
// Where exported equations start, and which constraints they contain.

#include <vector>

#include "kane/model/model.hpp"

namespace kane {

struct ExportStart {
  Model model;  ///< inputs of the start driven; laws of controllers act at every instant: equations have no clock
  Start start;  ///< on the constraints
  AssemblyReport assembly;
  std::vector<bool> rows;     ///< the active constraints without those that repeat others at the start
  std::size_t redundant = 0;  ///< how many of those there are
  bool constrained = false;
};

/// Throws ModelError if the start cannot be assembled.
[[nodiscard]] ExportStart find_export_start(const Model& model, const StartState& start);

}  // namespace kane
