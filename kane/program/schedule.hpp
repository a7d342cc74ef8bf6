#pragma once
// Pass: the order of the instructions of the state stage.
//
// Sines and cosines come first, as many as possible side by side: what their angles need, then the whole group, the
// sine and the cosine of one angle next to each other, so that a backend can evaluate them many at a time. Other
// functions that a backend must call follow, while few values wait in registers. Angles that depend on such functions
// form the next group, and so on.
//
// The arithmetic is ordered for registers: in the given order (that is, as the expressions were formed), or depth first
// from the outputs, at each instruction first the operand that needs more registers (Sethi and Ullman's numbering, "The
// generation of optimal code for arithmetic expressions", J. ACM 17, 1970, which is optimal for trees and a good guess
// for graphs), whichever does better. In both, an instruction that has all its operands and is the last to use one of
// them follows at once: it keeps no more values alive than before, and its operands are still in registers. For a chain
// of 50 joints that halves the number of live values at the worst point.

#include "kane/program/program.hpp"

namespace kane {

void schedule(Program& program);

}  // namespace kane
