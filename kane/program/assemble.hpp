#pragma once
// From a draft to a list of instructions: every sum and product gets its order, every sign its place.

#include <string>
#include <vector>

#include "kane/program/draft.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// The names, which a draft does not carry.
struct ProgramNames {
  std::string program;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

struct AssembleOptions {
  /// Sums of products will be contracted: keep them as chains, each product feeding one addition.
  bool chains = true;
};

/// A complete program, ordered by stage and otherwise as the draft is. Factors and terms of earlier stages are combined
/// first, in their stage; those of one stage are combined as they become ready, so that the last one to be ready has
/// the shortest path to the result.
[[nodiscard]] Program assemble(const Draft& draft, ProgramNames names, const AssembleOptions& options = {});

}  // namespace kane
