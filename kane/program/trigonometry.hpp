#pragma once
// Pass: tan(x) becomes sin(x)/cos(x) where the sine or the cosine of x is computed anyway.

#include "kane/program/draft.hpp"

namespace kane {

/// False if there is nothing to do; `to` is then left alone.
bool share_trigonometry(const Draft& from, Draft& to);

}  // namespace kane
