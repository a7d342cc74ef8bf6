#pragma once
// Rewriting the order of a program: the last step of every pass on finished instructions.

#include <cstdint>
#include <span>

#include "kane/program/code.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// Calls visit(ValueId&) for every operand that is a value (not for the index of a Root, not for a Call).
template <class AnyInstruction, class Visit>
void visit_operands(AnyInstruction& i, Visit&& visit) {
  const int count = info(i.code).operands;
  if (count > 0) visit(i.a);
  if (count > 1) visit(i.b);
  if (count > 2) visit(i.c);
}

/// The same, and for the arguments of a Call.
template <class Visit>
void visit_values(const Program& p, const Instruction& i, Visit&& visit) {
  if (i.code == Code::Call) {
    for (int k = 0; k < p.functions[i.a].arity; ++k) visit(p.call_arguments[i.b + static_cast<std::uint32_t>(k)]);
  } else {
    visit_operands(i, visit);
  }
}

/// Keeps the instructions whose old indices are listed, in this order: operands before users, stages in order.
/// Constants and call arguments that are no longer used are dropped.
void reorder(Program& program, std::span<const std::uint32_t> order);

}  // namespace kane
