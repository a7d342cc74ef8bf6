#pragma once
// Chooses whether to compute a value or its negative, so that no instruction is spent on negating.

#include <vector>

#include "kane/program/draft.hpp"

namespace kane {

/// Sums and products take their operands with any sign, and so have no preference; outputs and functions need a
/// particular sign.
enum class WantedSign : std::uint8_t { Dead, Any, Positive, Negative, Both };

/// One for each node of the draft.
[[nodiscard]] std::vector<WantedSign> choose_signs(const Draft& draft);

/// Whether a value that comes out with this sign would have to be negated.
[[nodiscard]] inline bool is_unwanted(bool negative, WantedSign wanted) {
  return wanted == (negative ? WantedSign::Positive : WantedSign::Negative);
}

}  // namespace kane
