#pragma once
// Results of cases as bytes, for messages between the processes of one sweep (which run the same program on the same kind of
// machine).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/batch/sweep.hpp"

namespace kane {

[[nodiscard]] std::string pack_results(std::span<const CaseResult> results);
/// Throws InternalError for bytes that are none.
[[nodiscard]] std::vector<CaseResult> unpack_results(std::string_view bytes);

}  // namespace kane
