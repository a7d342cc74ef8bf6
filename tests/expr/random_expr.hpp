#pragma once
// Random expressions as trees, so that the same one can be built in Kane, in GiNaC, and as text.

#include <rapidcheck.h>

#include <memory>
#include <string>
#include <vector>

#include "kane/expr/expr.hpp"
#include "kane/expr/graph.hpp"
#include "tests/expr/precise.hpp"

namespace kane::test {

enum class Shape { Rational, Smooth, Anything };

/// The external function of the trees, of two arguments; precise.cpp gives it and its derivatives values.
inline constexpr const char* kFunction = "f";

struct Tree {
  Op op = Op::Number;
  int value = 0;        ///< of a number; index of a symbol; exponent of a power, index of a root
  int denominator = 1;  ///< of a number
  std::vector<Tree> parts;
};

inline constexpr int kSymbols = 4;
inline const char* symbol_name(int i) {
  static constexpr const char* kNames[kSymbols] = {"x", "y", "z", "w"};
  return kNames[i];
}

inline int pick(int below) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, below)); }

/// A value for every symbol.
inline Point random_point() {
  Point at;
  for (int i = 0; i < kSymbols; ++i) at[symbol_name(i)] = 0.1 + pick(1900) / 1000.0;
  return at;
}

inline Tree random_leaf() {
  if (pick(3) != 0) return {Op::Symbol, pick(kSymbols), 1, {}};
  return {Op::Number, pick(9) - 4, 1 + pick(3), {}};
}

inline Tree random_tree(Shape shape, int depth) {
  if (depth == 0 || pick(6) == 0) return random_leaf();
  static constexpr Op kArithmetic[] = {Op::Add, Op::Add, Op::Sub, Op::Mul, Op::Mul, Op::Div, Op::Neg, Op::Pow};
  // Smooth functions that are real and finite nearly everywhere.
  static constexpr Op kSmooth[] = {Op::Sin,  Op::Cos,  Op::Sin,  Op::Cos,  Op::Tan,
                                   Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh, Op::Exp};
  static constexpr Op kOther[] = {Op::Sqrt,  Op::Log,  Op::Abs,   Op::Sign,      Op::Min,   Op::Max,
                                  Op::Floor, Op::Mod,  Op::Less,  Op::LessEqual, Op::Equal, Op::Select,
                                  Op::Asin,  Op::Acos, Op::Atan2, Op::Root,      Op::Call};
  Tree tree;
  const int kind = shape == Shape::Rational ? 0 : pick(shape == Shape::Smooth ? 3 : 4);
  if (kind <= 1)
    tree.op = kArithmetic[pick(8)];
  else
    tree.op = kind == 2 ? kSmooth[pick(10)] : kOther[pick(17)];
  if (tree.op == Op::Pow) tree.value = 2 + pick(3);
  if (tree.op == Op::Root) tree.value = 3 + pick(4);
  const int arity = tree.op == Op::Call ? 2 : info(tree.op).arity;
  for (int i = 0; i < arity; ++i) tree.parts.push_back(random_tree(shape, depth - 1));
  return tree;
}

/// Throws ModelError where a divisor is identically zero, and the like.
inline Expr build(Graph& graph, const Tree& tree) {
  switch (tree.op) {
    case Op::Number: return graph.number(tree.value, tree.denominator);
    case Op::Symbol: return graph.symbol(symbol_name(tree.value));
    default: break;
  }
  std::vector<Expr> parts;
  for (const auto& part : tree.parts) parts.push_back(build(graph, part));
  return tree.op == Op::Call ? graph.call(kFunction, parts) : graph.make(tree.op, parts, tree.value);
}

/// Discards the case if the expression cannot be built.
Expr build_or_discard(Graph& graph, const Tree& tree);

}  // namespace kane::test
