#pragma once
// Sobol's sequence, scrambled. Directions: S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
// projections", SIAM J. Sci. Comput. 30 (2008), file new-joe-kuo-6.21201, dimensions 1 to 53. Scrambling: a random lower
// triangular matrix on the binary digits and a random digital shift (J. Matousek, "On the L2-discrepancy for anchored boxes",
// J. Complexity 14 (1998)), which keeps every net property and makes means unbiased.

#include <array>
#include <cstdint>
#include <vector>

namespace kane {

class SobolSequence {
 public:
  static constexpr std::uint32_t kMostDimensions = 53;
  static constexpr int kBits = 52;  ///< binary digits of a coordinate, and of the number of a point

  /// `seed` 0 of `scrambled` false: the plain sequence. Throws ModelError for too many dimensions.
  SobolSequence(std::uint32_t dimensions, std::uint64_t seed, bool scrambled = true);

  /// Coordinate of point j (from 0).
  [[nodiscard]] double unit(std::uint64_t j, std::uint32_t dimension) const;

 private:
  struct Directions {
    std::array<std::uint64_t, kBits> v{};  ///< v[i]: what bit i of the number of a point contributes
    std::uint64_t shift = 0;
    bool scrambled = false;
  };
  std::vector<Directions> directions_;
};

}  // namespace kane
