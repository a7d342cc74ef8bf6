#pragma once
// The table of potential degrees of freedom at a state, with constraint forces and reactions.

#include <string>

#include "apps/kane/model_source.hpp"
#include "kane/mechanism/report.hpp"

namespace kane {

struct ForcesTableOptions {
  ReactionView view;
  std::string joint;  ///< only this one; "" = all
};

/// `state`: file of a state or an array of states; "" = the initial state.
void run_forces_table(const ModelSource& source, const std::string& state, const ForcesTableOptions& options,
                      bool json);

}  // namespace kane
