#pragma once
// Pass: several divisions by the same value become one reciprocal and multiplications. (Divisions by a value of an
// earlier stage need no pass: that reciprocal is a factor of the earlier stage.)

#include "kane/program/draft.hpp"

namespace kane {

/// False if there is nothing to do; `to` is then left alone.
bool share_reciprocals(const Draft& from, Draft& to);

}  // namespace kane
