#pragma once
// Units of measurement: their dimensions and their exact factors to SI.
//
// A factor is kept as the text of its exact decimals (an inch is 0.0254 m by definition, a pound 0.45359237 kg), with
// the power of pi apart (a degree is pi/180), so that exact computations lose nothing. Angles have no
// dimension: 1 rad = 1.

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

/// Exponents of the SI base units that mechanisms need.
struct Dimension {
  int kg = 0;
  int m = 0;
  int s = 0;
  int A = 0;
  int K = 0;

  friend constexpr auto operator<=>(const Dimension&, const Dimension&) = default;
  [[nodiscard]] constexpr bool none() const { return *this == Dimension{}; }
};

[[nodiscard]] constexpr Dimension operator*(Dimension a, Dimension b) {
  return {a.kg + b.kg, a.m + b.m, a.s + b.s, a.A + b.A, a.K + b.K};
}
[[nodiscard]] constexpr Dimension pow(Dimension a, int n) { return {a.kg * n, a.m * n, a.s * n, a.A * n, a.K * n}; }
[[nodiscard]] constexpr Dimension operator/(Dimension a, Dimension b) { return a * pow(b, -1); }

/// A unit as it was written: its dimension and its value in SI units, numerators / denominators * pi^pi_power.
struct Unit {
  Dimension dimension;
  std::vector<std::string> numerators;  ///< decimals, all exact
  std::vector<std::string> denominators;
  int pi_power = 0;

  /// The value in SI units, rounded.
  [[nodiscard]] double factor() const;
};

/// "kg", "mm", "N*m*s/rad", "kg m^2", "m/s^2", "1/s", "lbf*ft", "N/(m/s)". Throws ModelError naming what is not
/// understood; `where` is the place of the first character.
[[nodiscard]] Unit parse_unit(std::string_view text, const Where& where = {});

/// The dimension of a single word such as "mm"; empty if it is not a unit.
[[nodiscard]] std::optional<Dimension> find_unit_dimension(std::string_view word);

/// How many bytes at the beginning of `text` are a unit that follows a number in an expression: in "N*m/rad * q1" the first
/// seven. 0 if it does not begin with a unit. `is_name` recognises the names of the model, which units may share:
///
///   2 m       the unit, whatever 'm' is: a product needs its sign
///   5 N*m     the unit: written without spaces
///   5 N * m   an error if the model has an 'm', because both readings are possible; else the unit
///   5 N*q1    ends before '*q1' if q1 is not a unit
///
///   2 kg * g  ends before '* g' if the model has a 'g': no unit repeats a dimension; 2 kg*g is an error then
///   2 m/s*t   ends before '*t', which is time
[[nodiscard]] std::size_t unit_length(std::string_view text, const std::function<bool(std::string_view)>& is_name,
                                      const Where& where = {});

/// Whether a unit may be written as a factor, 30*deg: a few words that hardly anybody would choose as a name. Others are
/// units only right behind their number.
[[nodiscard]] bool is_unit_factor(std::string_view word);

/// Names of all units without prefixes, for messages and documents.
[[nodiscard]] std::vector<std::string> unit_names();

/// The SI unit of a dimension: "kg*m^2", "N*m", "m/s^2", "1"; parse_unit() reads it.
[[nodiscard]] std::string si_unit(Dimension dimension);

/// For sentences such as "mass is given in metres": "metres", "newton metres", "kg*m^3"; "plain numbers" for none.
[[nodiscard]] std::string unit_words(Dimension dimension);

// Dimensions by quantity.
inline constexpr Dimension kNone{};
inline constexpr Dimension kMass{1, 0, 0};
inline constexpr Dimension kLength{0, 1, 0};
inline constexpr Dimension kTime{0, 0, 1};
inline constexpr Dimension kVelocity{0, 1, -1};
inline constexpr Dimension kAngularVelocity{0, 0, -1};
inline constexpr Dimension kAcceleration{0, 1, -2};
inline constexpr Dimension kForce{1, 1, -2};
inline constexpr Dimension kTorque{1, 2, -2};
inline constexpr Dimension kInertia{1, 2, 0};
inline constexpr Dimension kDensity{1, -3, 0};

}  // namespace kane
