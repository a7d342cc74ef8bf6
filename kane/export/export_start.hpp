#pragma once
// Where exported equations start, and which constraints they contain.

#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

struct ExportStart {
  Model model;  ///< inputs of the start driven; laws of controllers act at every instant: equations have no clock
  Start start;  ///< on the constraints
  AssemblyReport assembly;
  std::vector<bool> rows;           ///< the active constraints without those that repeat others at the start
  std::vector<bool> configuration;  ///< the same for the equations of configuration: which phi count
  std::size_t redundant = 0;        ///< how many of those there are
  bool constrained = false;
};

/// `opened`: further inputs to be left to the user of the code. Throws ModelError if the start cannot be assembled.
[[nodiscard]] ExportStart find_export_start(const Model& model, const StartState& start,
                                            const std::vector<std::string>& opened = {});

}  // namespace kane
