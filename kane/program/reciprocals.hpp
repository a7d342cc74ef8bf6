#pragma once
// Pass: several divisions by the same value become one reciprocal and multiplications. (Divisions by a value of an
// earlier stage need no pass: that reciprocal is a factor of the earlier stage.)

#include "kane/program/draft.hpp"

namespace kane {

/// Marks the values whose reciprocal is the only division needed by at least two products of their stage.
void share_reciprocals(Draft& draft, std::span<const std::uint32_t> uses);

}  // namespace kane
