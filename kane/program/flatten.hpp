#pragma once
// Pass: a sum used only by another sum becomes part of it, and so do products. The number of operations stays; the
// order in which they are done becomes free.

#include "kane/program/draft.hpp"

namespace kane {

/// False if the draft is flat already, as lower_expressions() leaves it; `to` is then left alone.
bool flatten(const Draft& from, Draft& to);

}  // namespace kane
