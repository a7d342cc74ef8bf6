#pragma once
// The meaning of each opcode, stated once: the interpreter runs it, constants are folded with it, kernels call it for
// anything they have no instructions for.
//
// NaN in, NaN out: min, max, sign and mod of a NaN are NaN (unlike fmin of C), so that a
// NaN cannot vanish on its way to an output. Comparisons with a NaN are false (0). Select takes `a` when the
// condition is NaN, since NaN is not zero. Both sides of a Select are always evaluated.

#include <cmath>

#include "kane/program/program.hpp"
#include "kane/program/sincos.hpp"

namespace kane {

/// `a` if a < b or a is NaN, else b (so b if they are equal, and NaN if b is).
[[nodiscard]] inline double calc_min(double a, double b) { return a < b || a != a ? a : b; }
/// `a` if a > b or a is NaN, else b.
[[nodiscard]] inline double calc_max(double a, double b) { return a > b || a != a ? a : b; }
/// 1, -1, or x itself if it is a zero or NaN.
[[nodiscard]] inline double calc_sign(double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); }

/// a - b floor(a/b) without rounding the quotient: the sign of b, as in Python; NaN for b = 0.
[[nodiscard]] inline double calc_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// The n-th root, n >= 3, of x >= 0; NaN for negative x.
[[nodiscard]] inline double calc_root(double x, int n) { return std::pow(x, 1.0 / n); }

/// Value of an instruction other than Call; `x(id)` gives the value of an operand.
template <class Operand>
[[nodiscard]] inline double calc_value(const Instruction& i, Operand&& x) {
  switch (i.code) {
    case Code::Neg: return -x(i.a);
    case Code::Add: return x(i.a) + x(i.b);
    case Code::Sub: return x(i.a) - x(i.b);
    case Code::Mul: return x(i.a) * x(i.b);
    case Code::Div: return x(i.a) / x(i.b);
    case Code::Sqrt: return std::sqrt(x(i.a));
    case Code::Root: return calc_root(x(i.a), static_cast<int>(i.b));
    case Code::Sin: return sincos(x(i.a)).sin;
    case Code::Cos: return sincos(x(i.a)).cos;
    case Code::Tan: return std::tan(x(i.a));
    case Code::Asin: return std::asin(x(i.a));
    case Code::Acos: return std::acos(x(i.a));
    case Code::Atan: return std::atan(x(i.a));
    case Code::Atan2: return std::atan2(x(i.a), x(i.b));
    case Code::Sinh: return std::sinh(x(i.a));
    case Code::Cosh: return std::cosh(x(i.a));
    case Code::Tanh: return std::tanh(x(i.a));
    case Code::Exp: return std::exp(x(i.a));
    case Code::Log: return std::log(x(i.a));
    case Code::Abs: return std::fabs(x(i.a));
    case Code::Sign: return calc_sign(x(i.a));
    case Code::Min: return calc_min(x(i.a), x(i.b));
    case Code::Max: return calc_max(x(i.a), x(i.b));
    case Code::Floor: return std::floor(x(i.a));
    case Code::Mod: return calc_mod(x(i.a), x(i.b));
    case Code::Less: return x(i.a) < x(i.b) ? 1.0 : 0.0;
    case Code::LessEqual: return x(i.a) <= x(i.b) ? 1.0 : 0.0;
    case Code::Equal: return x(i.a) == x(i.b) ? 1.0 : 0.0;
    case Code::Select: return x(i.a) != 0 ? x(i.b) : x(i.c);
    case Code::Fma: return std::fma(x(i.a), x(i.b), x(i.c));
    case Code::Fms: return std::fma(x(i.a), x(i.b), -x(i.c));
    case Code::Fnma: return std::fma(-x(i.a), x(i.b), x(i.c));
    case Code::Fnms: return std::fma(-x(i.a), x(i.b), -x(i.c));
    case Code::Call: break;
  }
  return std::nan("");
}

}  // namespace kane
