#pragma once
// Pass: work moves to the stage where it can be done once.
//
// Products: the factors of earlier stages become one value, computed there: a (x b) = (a b) x.
// Shared products: if every user of p x multiplies it by a value of an earlier stage anyway, p moves to the users:
//     a (p x), b (p x)  ->  (a p) x, (b p) x.
// Sums: p (a x + b y) = (p a) x + (p b) y, if the sum has no other use and each of its terms has a coefficient of an
// earlier stage to merge with. One multiplication of the later stage is saved.

#include "kane/program/draft.hpp"

namespace kane {

/// Always true: `to` is the result.
bool hoist(const Draft& from, Draft& to);

}  // namespace kane
