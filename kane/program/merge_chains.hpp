#pragma once
// Pass: additions that a chain of fused multiply-adds can take over.

#include "kane/program/program.hpp"

namespace kane {

/// x + (a b + c d), where nothing else uses the chain in parentheses and x comes before it, becomes a b + (c d + x):
/// the product at its end gets something to be added to, and an addition is saved. That pays off where additions wait
/// for the same units as products (AVX-512 vectors), since all links of the chain now wait for x. Only in the state
/// stage. Sums are formed in another order, so results may differ in the last places.
void merge_chains(Program& program);

}  // namespace kane
