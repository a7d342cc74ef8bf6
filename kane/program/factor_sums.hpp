#pragma once
// Pass: common factors of the terms of a sum are taken out, a b + a c = a (b + c), where the products have no other
// use. The factor that occurs in most terms goes first (a common divisor counts more, as it saves a division), then
// the same again within the bracket and among the remaining terms.

#include "kane/program/draft.hpp"

namespace kane {

/// Always true: `to` is the result.
bool factor_sums(const Draft& from, Draft& to);

}  // namespace kane
