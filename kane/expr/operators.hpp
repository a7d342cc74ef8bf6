#pragma once
// One row per operator. Every reader of expressions (fingerprints, derivative, evaluation, printers, counts,
// programs, emitters, the JIT) looks here, so an operator cannot exist in one backend and be missing in another.
//
// KANE_OPERATORS(X) calls X(name, arity, text, latex, c, cost, kind, domain):
//   name    enumerator Op::name
//   arity   number of operands; -1 = any number (external functions)
//   text    name in Kane's own infix text
//   latex   LaTeX command
//   c       name in C-like code ("" where an infix operator or special form is printed)
//   cost    weight in the choice of the cheapest form of an equal class (multiplication = 1)
//   kind    its category in operation counts (OpKind)
//   domain  where the value is real and finite (Domain)
// The value and the derivative of the same operators are in value.hpp (op_value) and derivative.cpp
// (op_derivative), each as one table in this order.

#include <cstdint>
#include <string_view>

namespace kane {

enum class OpKind : std::uint8_t { Leaf, Free, Add, Mul, Div, Function };

enum class Domain : std::uint8_t {
  All,             ///< every real argument
  NonZeroDivisor,  ///< second argument not zero
  NonNegative,     ///< argument >= 0
  Positive,        ///< argument > 0
  UnitInterval,    ///< -1 <= argument <= 1
  NoPole,          ///< away from isolated poles (tan)
};

// clang-format off
#define KANE_OPERATORS(X)                                                                     \
  /* name      arity text      latex           c        cost kind      domain */              \
  X(Number,     0,  "",       "",              "",        0, Leaf,     All)                   \
  X(Symbol,     0,  "",       "",              "",        0, Leaf,     All)                   \
  X(Pi,         0,  "pi",     "\\pi",          "",        0, Leaf,     All)                   \
  X(Neg,        1,  "-",      "-",             "-",       1, Free,     All)                   \
  X(Add,        2,  "+",      "+",             "+",       2, Add,      All)                   \
  X(Sub,        2,  "-",      "-",             "-",       2, Add,      All)                   \
  X(Mul,        2,  "*",      "",              "*",       2, Mul,      All)                   \
  X(Div,        2,  "/",      "\\frac",        "/",       8, Div,      NonZeroDivisor)        \
  X(Pow,        1,  "^",      "^",             "",        2, Mul,      All)                   \
  X(Sqrt,       1,  "sqrt",   "\\sqrt",        "sqrt",   16, Function, NonNegative)           \
  X(Root,       1,  "root",   "\\sqrt",        "",       60, Function, NonNegative)           \
  X(Sin,        1,  "sin",    "\\sin",         "sin",    30, Function, All)                   \
  X(Cos,        1,  "cos",    "\\cos",         "cos",    30, Function, All)                   \
  X(Tan,        1,  "tan",    "\\tan",         "tan",    40, Function, NoPole)                \
  X(Asin,       1,  "asin",   "\\arcsin",      "asin",   60, Function, UnitInterval)          \
  X(Acos,       1,  "acos",   "\\arccos",      "acos",   60, Function, UnitInterval)          \
  X(Atan,       1,  "atan",   "\\arctan",      "atan",   60, Function, All)                   \
  X(Atan2,      2,  "atan2",  "\\operatorname{atan2}", "atan2", 70, Function, All)            \
  X(Sinh,       1,  "sinh",   "\\sinh",        "sinh",   50, Function, All)                   \
  X(Cosh,       1,  "cosh",   "\\cosh",        "cosh",   50, Function, All)                   \
  X(Tanh,       1,  "tanh",   "\\tanh",        "tanh",   50, Function, All)                   \
  X(Exp,        1,  "exp",    "\\exp",         "exp",    40, Function, All)                   \
  X(Log,        1,  "log",    "\\ln",          "log",    40, Function, Positive)              \
  X(Abs,        1,  "abs",    "",              "fabs",    2, Function, All)                   \
  X(Sign,       1,  "sign",   "\\operatorname{sign}", "", 4, Function, All)                   \
  X(Min,        2,  "min",    "\\min",         "fmin",    4, Function, All)                   \
  X(Max,        2,  "max",    "\\max",         "fmax",    4, Function, All)                   \
  X(Floor,      1,  "floor",  "",              "floor",   4, Function, All)                   \
  X(Mod,        2,  "mod",    "\\bmod",        "",       12, Function, NonZeroDivisor)        \
  X(Less,       2,  "<",      "<",             "<",       2, Function, All)                   \
  X(LessEqual,  2,  "<=",     "\\le",          "<=",      2, Function, All)                   \
  X(Equal,      2,  "==",     "=",             "==",      2, Function, All)                   \
  X(Select,     3,  "select", "",              "",        4, Function, All)                   \
  X(Call,      -1,  "",       "",              "",      100, Function, All)
// clang-format on

enum class Op : std::uint8_t {
#define KANE_OP_ENUM(name, ...) name,
  KANE_OPERATORS(KANE_OP_ENUM)
#undef KANE_OP_ENUM
};

struct OpInfo {
  Op op;
  std::string_view name;
  int arity;
  std::string_view text;
  std::string_view latex;
  std::string_view c;
  int cost;
  OpKind kind;
  Domain domain;
};

inline constexpr OpInfo kOperators[] = {
#define KANE_OP_ROW(name, arity, text, latex, c, cost, kind, domain) \
  {Op::name, #name, arity, text, latex, c, cost, OpKind::kind, Domain::domain},
    KANE_OPERATORS(KANE_OP_ROW)
#undef KANE_OP_ROW
};

inline constexpr int kOperatorCount = static_cast<int>(sizeof(kOperators) / sizeof(kOperators[0]));

[[nodiscard]] constexpr const OpInfo& info(Op op) { return kOperators[static_cast<int>(op)]; }

}  // namespace kane
