#pragma once
// Pass: powers by multiplication. All powers of one base share a chain: x^2, x^3 and x^5 take three multiplications
// (x x, x^2 x, x^3 x^2). Bases whose powers occur only together are multiplied first: x^2 y^2 = (x y)^2.

#include "kane/program/draft.hpp"

namespace kane {

/// False if there is nothing to do; `to` is then left alone.
bool expand_powers(const Draft& from, Draft& to);

}  // namespace kane
