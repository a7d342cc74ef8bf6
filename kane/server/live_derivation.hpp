#pragma once
// The equations beside the motion, for pages: a part of the derivation, in the speeds that a user chooses.

#include <string>
#include <vector>

#include "kane/server/live_model.hpp"

namespace kane {

/// What a page wants to read.
struct DerivationRequest {
  std::string speeds = "model";            ///< "model", "rates" (of the joints), "auto" (the shortest), or "own"
  std::vector<std::string> definitions{};  ///< own speeds, as "u1 = q1' + q2'"
  std::vector<int> steps{8};               ///< of the eight; empty: all; 9: the table of degrees of freedom
};

/// A message of the type "equations" (docs/protocol.md). Errors of the user are a sentence in it.
[[nodiscard]] std::string make_live_derivation(const LiveSource& source, std::uint32_t version,
                                               const DerivationRequest& request);

}  // namespace kane
