#pragma once
// Points of the unit cube, each a function of its number: random, Latin hypercube, Sobol, Halton.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kane/batch/sobol.hpp"

namespace kane {

enum class Sampling : std::uint8_t {
  Random,
  LatinHypercube,  ///< each of the N equal parts of every coordinate holds one point
  Sobol,           ///< scrambled
  Halton,          ///< scrambled
  Saltelli,        ///< pairs of points and mixtures of them, for Sobol's indices
  Morris,          ///< one variable at a time along random paths on a grid, for elementary effects
};

[[nodiscard]] std::string_view to_string(Sampling sampling);
/// Throws ModelError for an unknown name.
[[nodiscard]] Sampling sampling_from(std::string_view name);

class UnitPoints {
 public:
  /// `count`: of points, which Latin hypercubes depend on.
  UnitPoints(Sampling sampling, std::uint32_t dimensions, std::uint64_t count, std::uint64_t seed);
  /// In (0, 1).
  [[nodiscard]] double unit(std::uint64_t j, std::uint32_t dimension) const;

 private:
  [[nodiscard]] double latin(std::uint64_t j, std::uint32_t dimension) const;
  [[nodiscard]] double halton(std::uint64_t j, std::uint32_t dimension) const;

  Sampling sampling_;
  std::uint64_t count_, seed_;
  std::vector<std::uint32_t> primes_;
  std::optional<SobolSequence> sobol_;
};

/// A permutation of 0 .. count - 1 as a function, without a table: a Feistel network on the next power of four, walked until
/// it is back in the range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
[[nodiscard]] std::uint64_t permute(std::uint64_t j, std::uint64_t count, std::uint64_t seed, std::uint32_t dimension);

}  // namespace kane
