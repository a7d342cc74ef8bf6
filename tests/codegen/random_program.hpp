#pragma once
// Random but valid programs of any size, for comparing backends.

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kane/program/external_function.hpp"
#include "kane/program/program.hpp"

namespace kane::test {

struct RandomProgramOptions {
  int instructions = 100;
  std::uint32_t inputs = 5;  ///< per stage
  int outputs = 8;
  /// Operands are chosen among the last so many values, mostly.
  int locality = 30;
  bool strict = true;
  /// Only additions, products and (unless strict) fused operations: values stay within range for long.
  bool arithmetic_only = false;
  bool calls_external = true;
};

[[nodiscard]] std::shared_ptr<const Program> random_program(std::mt19937_64& random,
                                                            const RandomProgramOptions& options);

/// The external functions such programs call.
[[nodiscard]] std::vector<NamedFunction> random_program_functions();

/// Numbers of all kinds: ordinary, tiny, huge, zeros of both signs, infinities, NaN.
[[nodiscard]] double any_double(std::mt19937_64& random);
[[nodiscard]] std::vector<double> any_doubles(std::mt19937_64& random, std::size_t count);
/// Between -2 and 2.
[[nodiscard]] std::vector<double> moderate_doubles(std::mt19937_64& random, std::size_t count);

/// Equal bits, or both NaN.
[[nodiscard]] bool same(double a, double b);

}  // namespace kane::test
