#pragma once
// The value column of the operator table, for any number type: double, high-precision floats, complex-like jets.
//
// NaN in, NaN out: min, max, sign and mod of a NaN are NaN. Comparisons with a NaN are false (0), and
// select takes its second operand when the condition is NaN, since that is not zero. (program/meaning.hpp is the same
// for programs.)

#include <cmath>
#include <span>

#include "kane/expr/operators.hpp"

namespace kane {

/// Pi in the precision of T; specialise for types whose acos(-1) is not good enough.
template <class T>
[[nodiscard]] T pi_value() {
  using std::acos;
  return acos(T(-1));
}

template <class T>
[[nodiscard]] T integer_power(T x, int n) {
  T result(1);
  for (bool first = true; n != 0; n >>= 1) {
    if (n & 1) {
      result = first ? x : result * x;
      first = false;
    }
    if (n > 1) x = x * x;
  }
  return result;
}

/// a - b floor(a/b) without rounding the quotient: the sign of b, as in Python; NaN for b = 0.
template <class T>
[[nodiscard]] T floored_modulo(const T& a, const T& b) {
  using std::floor, std::fmod;
  if constexpr (requires { fmod(a, b); }) {
    const T r = fmod(a, b);
    return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
  } else {
    return a - b * floor(a / b);
  }
}

/// The value of an operator with one to three operands; `exponent` is for Pow and Root.
template <class T>
[[nodiscard]] T op_value(Op op, std::span<const T> x, int exponent) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::floor, std::log,
      std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const auto truth = [](bool b) { return b ? T(1) : T(0); };
  switch (op) {
    case Op::Neg: return -x[0];
    case Op::Add: return x[0] + x[1];
    case Op::Sub: return x[0] - x[1];
    case Op::Mul: return x[0] * x[1];
    case Op::Div: return x[0] / x[1];
    case Op::Pow: return integer_power(x[0], exponent);
    case Op::Sqrt: return sqrt(x[0]);
    case Op::Root: return pow(x[0], T(1) / T(exponent));
    case Op::Sin: return sin(x[0]);
    case Op::Cos: return cos(x[0]);
    case Op::Tan: return tan(x[0]);
    case Op::Asin: return asin(x[0]);
    case Op::Acos: return acos(x[0]);
    case Op::Atan: return atan(x[0]);
    case Op::Atan2: return atan2(x[0], x[1]);
    case Op::Sinh: return sinh(x[0]);
    case Op::Cosh: return cosh(x[0]);
    case Op::Tanh: return tanh(x[0]);
    case Op::Exp: return exp(x[0]);
    case Op::Log: return log(x[0]);
    case Op::Abs: return abs(x[0]);
    case Op::Sign: return x[0] > T(0) ? T(1) : x[0] < T(0) ? T(-1) : x[0];  // keeps 0, -0 and NaN
    case Op::Min: return x[0] < x[1] ? x[0] : x[1] <= x[0] ? x[1] : T(x[0] + x[1]);
    case Op::Max: return x[0] > x[1] ? x[0] : x[0] <= x[1] ? x[1] : T(x[0] + x[1]);
    case Op::Floor: return floor(x[0]);
    case Op::Mod: return floored_modulo(x[0], x[1]);
    case Op::Less: return truth(x[0] < x[1]);
    case Op::LessEqual: return truth(x[0] <= x[1]);
    case Op::Equal: return truth(x[0] == x[1]);
    case Op::Select: return x[0] != T(0) ? x[1] : x[2];
    default: return T(0);  // leaves and calls have no value here
  }
}

}  // namespace kane
