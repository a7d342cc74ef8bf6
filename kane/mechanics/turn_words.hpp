#pragma once
// How a frame is turned relative to its parent, in words: "q1 about z", "90° about x", "Euler parameters e1, e2, e3, e4".

#include "kane/mechanics/formula_writer.hpp"

namespace kane {

[[nodiscard]] Formula describe_turn(const Frames::Frame& frame, FormulaWriter& write);

}  // namespace kane
