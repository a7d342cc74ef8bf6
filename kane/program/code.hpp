#pragma once
// One row per opcode: what every reader of programs (interpreter, counts, checks, passes, emitters, the JIT)
// needs to know about it other than its value, which is in meaning.hpp.

#include <cstdint>
#include <string_view>

#include "kane/base/at.hpp"
#include "kane/expr/operators.hpp"
#include "kane/program/program.hpp"

namespace kane {

struct CodeInfo {
  Code code;
  std::string_view name;  ///< in the text form of a program
  int operands;           ///< values read; -1 = as many as the function has arguments (Call)
  OpKind kind;            ///< its name in an operation count
  bool commutes;          ///< a and b may be exchanged
  int latency;            ///< cycles from operands to result on a present-day CPU, for ordering only
};

inline constexpr CodeInfo kCodes[] = {
    {Code::Neg, "neg", 1, OpKind::Free, false, 1},
    {Code::Add, "add", 2, OpKind::Add, true, 4},
    {Code::Sub, "sub", 2, OpKind::Add, false, 4},
    {Code::Mul, "mul", 2, OpKind::Mul, true, 4},
    {Code::Div, "div", 2, OpKind::Div, false, 14},
    {Code::Sqrt, "sqrt", 1, OpKind::Function, false, 18},
    {Code::Root, "root", 1, OpKind::Function, false, 60},
    {Code::Sin, "sin", 1, OpKind::Function, false, 40},
    {Code::Cos, "cos", 1, OpKind::Function, false, 40},
    {Code::Tan, "tan", 1, OpKind::Function, false, 60},
    {Code::Asin, "asin", 1, OpKind::Function, false, 60},
    {Code::Acos, "acos", 1, OpKind::Function, false, 60},
    {Code::Atan, "atan", 1, OpKind::Function, false, 60},
    {Code::Atan2, "atan2", 2, OpKind::Function, false, 80},
    {Code::Sinh, "sinh", 1, OpKind::Function, false, 60},
    {Code::Cosh, "cosh", 1, OpKind::Function, false, 60},
    {Code::Tanh, "tanh", 1, OpKind::Function, false, 60},
    {Code::Exp, "exp", 1, OpKind::Function, false, 60},
    {Code::Log, "log", 1, OpKind::Function, false, 60},
    {Code::Abs, "abs", 1, OpKind::Function, false, 1},
    {Code::Sign, "sign", 1, OpKind::Function, false, 6},
    {Code::Min, "min", 2, OpKind::Function, false, 4},
    {Code::Max, "max", 2, OpKind::Function, false, 4},
    {Code::Floor, "floor", 1, OpKind::Function, false, 8},
    {Code::Mod, "mod", 2, OpKind::Function, false, 60},
    {Code::Less, "less", 2, OpKind::Function, false, 5},
    {Code::LessEqual, "less_equal", 2, OpKind::Function, false, 5},
    {Code::Equal, "equal", 2, OpKind::Function, true, 5},
    {Code::Select, "select", 3, OpKind::Function, false, 5},
    {Code::Fma, "fma", 3, OpKind::Mul, true, 4},
    {Code::Fms, "fms", 3, OpKind::Mul, true, 4},
    {Code::Fnma, "fnma", 3, OpKind::Mul, true, 4},
    {Code::Fnms, "fnms", 3, OpKind::Mul, true, 4},
    {Code::Call, "call", -1, OpKind::Function, false, 100},
};

inline constexpr std::size_t kCodeCount = std::size(kCodes);
template <class T>
using PerCode = EnumArray<Code, T, kCodeCount>;

[[nodiscard]] constexpr const CodeInfo& info(Code code) { return kCodes[at(code)]; }

namespace detail {
constexpr bool codes_are_in_order() {
  for (std::size_t i = 0; i < kCodeCount; ++i)
    if (at(kCodes[i].code) != i) return false;
  return at(Code::Call) + 1 == kCodeCount;
}
static_assert(codes_are_in_order(), "kCodes must list every Code in the order of the enumeration");
}  // namespace detail

/// A fused multiply-add of any signs.
[[nodiscard]] constexpr bool is_fused(Code code) { return code >= Code::Fma && code <= Code::Fnms; }

/// Functions that backends call, rather than having instructions for them.
[[nodiscard]] constexpr bool is_called(Code code) {
  switch (code) {
    case Code::Sqrt:
    case Code::Abs:
    case Code::Sign:
    case Code::Min:
    case Code::Max:
    case Code::Floor:
    case Code::Less:
    case Code::LessEqual:
    case Code::Equal:
    case Code::Select: return false;
    default: return info(code).kind == OpKind::Function;
  }
}

}  // namespace kane
