#pragma once
// Sine and cosine that give the same bits on every machine and in every backend: the interpreter, scalar and
// SIMD kernels all go through the same sequence of additions and products (sincos_core.hpp), none of them
// fused. The largest error seen against MPFR is below 0.8 ulp, for every finite argument.

namespace kane {

struct SinCos {
  double sin;
  double cos;
};

/// Both at once, since the argument reduction is the larger part of the work. NaN for infinities and NaN;
/// sin(-0) = -0; sin is exactly odd and cos exactly even.
[[nodiscard]] SinCos sincos(double x) noexcept;

}  // namespace kane
