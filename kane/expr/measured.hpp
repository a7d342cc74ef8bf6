#pragma once
// Infix text with units: scalars whose dimensions are known as far as the units of the names in them tell.
//
//   2 kg    1/2 in    2 m + 3 cm    cos(30 deg)    30*deg    5 N*m/rad * q1    L/2    2*m1 + m2
//
// A unit follows its number (kane/base/units.hpp says where it ends). Words such as deg and mm may also be factors, unless
// the model has a name like that. Dimensions are checked by dimensional.hpp.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/dimensional.hpp"
#include "kane/expr/expr.hpp"

namespace kane {

/// A scalar and its dimension, as far as it is known.
struct Measured {
  Expr value;
  Dimensional dimension;
};

/// The names that a text may use.
struct MeasuredNames {
  /// Empty: not known. May throw ModelError.
  std::function<std::optional<Measured>(std::string_view)> find = {};
  /// Whether the model has this name, without looking at its value. Not set: whether find() knows it.
  std::function<bool(std::string_view)> has = {};
  /// For suggestions; asked for only when a name is unknown.
  std::function<std::vector<std::string>()> known = {};
};

/// Throws ModelError with line, column and what was expected.
[[nodiscard]] Measured parse_measured(Graph& graph, std::string_view text, const Where& where,
                                      const MeasuredNames& names);

/// A number, perhaps with units, without any names: 30 deg, 2 m + 3 cm, pi/4.
struct MeasuredNumber {
  double value = 0;  ///< in SI units
  std::optional<Dimension> dimension;
};
[[nodiscard]] MeasuredNumber parse_measured_number(std::string_view text, const Where& where);

// ---- the pieces, for readers of other values with the same grammar -----------------------------------------------------

/// Exact SI value of a unit.
[[nodiscard]] Expr unit_factor(Graph& graph, const Unit& unit);
/// The length of the unit behind a number, or 0 if no unit can follow there. Throws ModelError if a word follows that is
/// no unit: one of the model's names lacks its sign, anything else is an unknown unit.
[[nodiscard]] std::size_t unit_length_after(std::string_view number, std::string_view rest, const Where& where,
                                            const std::function<bool(std::string_view)>& is_name);
/// The value of a word that stands as a factor: deg in 30*deg. Empty if it is none of those.
[[nodiscard]] std::optional<Measured> find_unit_factor(Graph& graph, std::string_view word);
/// Says that a name is not known, with a suggestion, and if it is a unit how to write one.
[[nodiscard]] std::string unknown_name(std::string_view name, const std::vector<std::string>& known);
/// The dimension of a number that is written with a unit.
[[nodiscard]] Dimensional literal_dimension(Dimension dimension);

}  // namespace kane
