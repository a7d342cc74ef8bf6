#pragma once
// Distributions of one number, by their quantiles.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// Inverse of the standard normal distribution, accurate to rounding. p in (0, 1).
[[nodiscard]] double normal_quantile(double p);
/// The standard normal distribution.
[[nodiscard]] double normal_probability(double x);

struct Distribution {
  enum class Kind : std::uint8_t {
    Uniform,      ///< uniform(least, most)
    Normal,       ///< normal(mean, deviation)
    LogNormal,    ///< lognormal(median, sigma): the logarithm is normal, with mean log(median) and deviation sigma
    Triangular,   ///< triangular(least, likeliest, most)
    Exponential,  ///< exponential(mean)
  };
  Kind kind = Kind::Uniform;
  double a = 0, b = 0, c = 0;
  /// Truncated to this interval: values outside of it do not occur, the others keep their proportions.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();

  /// p in (0, 1).
  [[nodiscard]] double quantile(double p) const;
  [[nodiscard]] double probability(double x) const;
  /// As it is written.
  [[nodiscard]] std::string to_string() const;
  /// Throws ModelError if the text is not a distribution.
  void check() const;
};

/// The distribution with a name and its arguments; a normal and a lognormal one may have two more, the ends of its truncation. Throws
/// ModelError.
[[nodiscard]] Distribution make_distribution(std::string_view name, std::span<const double> arguments);
[[nodiscard]] const std::vector<std::string>& distribution_names();

}  // namespace kane
