#pragma once
// Knowledge of the dimension of a value, and how operators propagate it.
//
// A number without a unit fits everything: it is in SI units. As a factor it may be a pure number (m*L^2/12) or a quantity
// whose unit was left out (m*9.81, 50*x^3, m*(3^2 + 4^2)/12). Which of the two is judged carefully, since an error must be
// certain:
//
//   pure     signs, unit vectors, and divisors made of whole numbers:  -m*N.y,  m*L/12
//   scaled   any other number times parameters with units:  9.81*m.  It is an error only where no quantity in use could
//            stand behind the number (9.81*m as an acceleration would take m/(s^2 kg))
//   open     any other number times something that moves:  50*x^3.  It may have any dimension
//
// The gain of a coordinate or speed may be left out as well (a force -x, a torque -q - u): an expression of these alone fits
// everything, and its terms need not agree. As soon as a parameter with a unit takes part (L*q), dimensions count.
//
// Sines and other functions are ratios: pure as factors, but alone they fit everything, for an amplitude of one may have been
// left out (a force sin(2*t)). A name without a unit, a table and t are open (people write sin(t)).

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kane/base/units.hpp"
#include "kane/expr/expr.hpp"
#include "kane/expr/rational.hpp"

namespace kane {

/// The dimension of a value, as far as it is known.
struct Dimensional {
  enum class Kind : std::uint8_t {
    Number,  ///< numbers without units: any dimension
    Known,   ///< `dimension`
    Ratio,   ///< none as a factor, any as a value
    Scaled,  ///< `dimension` times that of numbers without units
    Open,    ///< anything
  };
  Kind kind = Kind::Open;
  Dimension dimension{};
  bool moving = false;   ///< depends on time or on the motion
  bool whole = false;    ///< of a Number: whole numbers and their products
  bool one = false;      ///< of a Number: the length of a unit vector, which is pure in products
  bool pi = false;       ///< of a Number: contains pi
  bool literal = false;  ///< a number with its unit, as it was written
  bool word = false;     ///< a unit that stands as a factor: deg
  bool motion = false;   ///< of a Known: of coordinates and speeds alone, whose gain may have been left out

  [[nodiscard]] static Dimensional number(const Rational& value);
  [[nodiscard]] static Dimensional unity() { return {Kind::Number, {}, false, true, true}; }
  [[nodiscard]] static Dimensional of_pi() { return {Kind::Number, {}, false, false, false, true}; }
  [[nodiscard]] static Dimensional ratio(bool moves) { return {Kind::Ratio, {}, moves}; }
  [[nodiscard]] static Dimensional known(Dimension d, bool moves = false) {
    Dimensional r{Kind::Known, d, moves};
    r.motion = moves && d.kg == 0 && d.A == 0 && d.K == 0;
    return r;
  }
  [[nodiscard]] static Dimensional open(bool moves = false) { return {Kind::Open, {}, moves}; }
  [[nodiscard]] static Dimensional of(const std::optional<Dimension>& d, bool moves = false) {
    return d ? known(*d, moves) : open(moves);
  }

  [[nodiscard]] bool is_number() const { return kind == Kind::Number; }
  /// Set if it is certain.
  [[nodiscard]] std::optional<Dimension> certain() const {
    return kind == Kind::Known ? std::optional(dimension) : std::nullopt;
  }
  /// Whether a value that should have this dimension can be right.
  [[nodiscard]] bool fits(Dimension expected) const;
};

[[nodiscard]] Dimensional product(const Dimensional& a, const Dimensional& b);
[[nodiscard]] Dimensional quotient(const Dimensional& a, const Dimensional& b);
/// The derivative with respect to time.
[[nodiscard]] Dimensional rate(const Dimensional& a);

/// A piece of text and the dimension of its value, for messages.
struct DimensionalText {
  Dimensional dimension;
  std::string_view text;
};

/// The dimension of a + b and everything like it; `sign` is for the message. Throws ModelError without a place.
[[nodiscard]] Dimensional sum_dimension(std::string_view sign, const DimensionalText& a, const DimensionalText& b);
/// The dimension that a binary sign gives. `exponent` is that of a power, if it is a number. Throws InfixError or ModelError without a place.
[[nodiscard]] Dimensional binary_dimension(std::string_view sign, const DimensionalText& a, const DimensionalText& b,
                                           const std::optional<Rational>& exponent);
/// The dimension of a call of a scalar function. Throws likewise.
[[nodiscard]] Dimensional call_dimension(std::string_view function, std::span<const DimensionalText> arguments);

/// The dimension of an expression of symbols with these dimensions; open where terms do not agree.
[[nodiscard]] Dimensional infer_dimension(const Expr& e, const std::function<Dimensional(std::string_view)>& symbol);

/// "in metres", "as an angle or a plain number".
[[nodiscard]] std::string given_words(Dimension dimension);

}  // namespace kane
