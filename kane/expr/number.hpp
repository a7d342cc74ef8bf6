#pragma once
// Exact numbers as text and as doubles.

#include <optional>
#include <string>
#include <string_view>

#include "kane/expr/rational.hpp"

namespace kane {

/// The rational a decimal literal spells: "0.1" is 1/10, "1.5e-3" is 3/2000. Empty if `text` is not one, or if
/// its exponent is beyond +-10000.
[[nodiscard]] std::optional<Rational> find_decimal(std::string_view text);

/// The rational spelled by the shortest decimal that reads back as `value` (so 0.1 gives 1/10).
[[nodiscard]] Rational rational_from_double(double value);

/// Correctly rounded to nearest even.
[[nodiscard]] double to_double(const Rational& value);

/// base^n for any n (base not 0 if n < 0). Throws LimitError if the result would have more than 2^16 bits.
[[nodiscard]] Rational rational_power(const Rational& base, int n);

/// "3", "-1/2", or a finite decimal such as "9.81" where that is exact and shorter to read.
[[nodiscard]] std::string to_text(const Rational& value);

/// The same, cut if it is long: for messages.
[[nodiscard]] std::string to_short_text(const Rational& value);

/// Whether value^n has at most 2^16 bits: powers and roots are worked out only while they stay printable.
[[nodiscard]] bool has_short_power(const Rational& value, unsigned long n);

}  // namespace kane
