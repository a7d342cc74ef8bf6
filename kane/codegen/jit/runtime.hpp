#pragma once
// Addresses of the functions that generated code calls. A table rather than the functions themselves, so that code
// can also be generated for another machine than this one.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/program/code.hpp"
#include "kane/program/external_function.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// For an external function in a SIMD kernel.
inline constexpr int kMostArguments = 64;

struct Runtime {
  /// double f(double), double f(double, double) by Code; Root: double f(double, int); 0 where there is none.
  PerCode<std::uint64_t> functions{};
  /// Sine and cosine of 1, 2 and 4 vectors of 2, 4, 8 angles (sincos_lanes.hpp).
  std::array<std::uint64_t, 3> sincos2{}, sincos4{}, sincos8{};
  /// The same functions for all lanes of a SIMD kernel:
  /// void(f, const double* x, double* result, lanes), void(f, const double* a, const double* b, double* result, lanes),
  /// void(n, const double* x, double* result, lanes),
  /// void(f, void* context, const double* arguments, double* result, arity, lanes).
  std::uint64_t unary_lanes = 0, binary_lanes = 0, root_lanes = 0, external_lanes = 0;
  std::vector<ExternalFunction> externals;

  [[nodiscard]] std::uint64_t sincos(int width, int vectors) const {
    return (width == 2 ? sincos2 : width == 4 ? sincos4 : sincos8)[at(vectors) / 2];
  }
};

/// The functions of this process. Those of a strict program give the bits of the interpreter.
[[nodiscard]] Runtime host_runtime(std::vector<ExternalFunction> externals, bool strict);

}  // namespace kane
