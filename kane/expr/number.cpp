#include "kane/expr/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr int kMaxDecimalExponent = 10000;

mpz_class power_of_ten(int exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, static_cast<unsigned long>(exponent));
  return result;
}

}  // namespace

std::optional<Rational> find_decimal(std::string_view text) {
  std::string digits;
  int scale = 0;  // value = digits * 10^scale
  std::size_t i = 0;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  const auto is_digit = [&] { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); };
  while (is_digit()) digits += text[i++];
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (is_digit()) digits += text[i++], --scale;
  }
  if (digits.empty()) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    bool down = false;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) down = text[i++] == '-';
    if (!is_digit()) return std::nullopt;
    int exponent = 0;
    while (is_digit()) {
      exponent = exponent * 10 + (text[i++] - '0');
      if (exponent > kMaxDecimalExponent) return std::nullopt;
    }
    scale += down ? -exponent : exponent;
  }
  if (i != text.size()) return std::nullopt;
  mpz_class whole(digits, 10), divisor = 1;
  if (negative) whole = -whole;
  if (scale > 0) whole *= power_of_ten(scale);
  if (scale < 0) divisor = power_of_ten(-scale);
  return Rational(whole, divisor);
}

Rational rational_from_double(double value) {
  require(std::isfinite(value), "the number {} is not finite and has no exact value", value);
  const auto exact = find_decimal(fmt::format("{}", value));  // fmt prints the shortest decimal that reads back
  ensure(exact.has_value(), "the decimal form of {} was not understood", value);
  return *exact;
}

double to_double(const Rational& value) {
  // mpq_get_d truncates. Round to nearest by dividing with two extra bits and a sticky bit.
  constexpr long kExact = 1L << 53;
  if (value.is_small() && std::abs(value.small_num()) <= kExact && value.small_den() <= kExact)
    return static_cast<double>(value.small_num()) / static_cast<double>(value.small_den());
  const bool negative = value < 0;
  mpz_class n = abs(value.get_num()), d = value.get_den();
  const auto bits = [](const mpz_class& z) { return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2)); };
  // Choose the shift so that the quotient has 54 or 55 bits, fewer near the subnormal limit.
  long shift = 55 - (bits(n) - bits(d));
  constexpr long kLowestShift = 1074 + 2;
  if (shift > kLowestShift) shift = kLowestShift;
  if (shift > 0) n <<= static_cast<mp_bitcnt_t>(shift);
  if (shift < 0) d <<= static_cast<mp_bitcnt_t>(-shift);
  mpz_class quotient, remainder;
  mpz_tdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(), n.get_mpz_t(), d.get_mpz_t());
  // Reduce to 53 bits (or to the grid of subnormals: two bits below it are guard bits).
  long drop = bits(quotient) - 53;
  if (shift == kLowestShift && drop < 2) drop = 2;
  if (drop > 0) {
    mpz_class low = quotient & ((mpz_class(1) << static_cast<mp_bitcnt_t>(drop)) - 1);
    const mpz_class half = mpz_class(1) << static_cast<mp_bitcnt_t>(drop - 1);
    quotient >>= static_cast<mp_bitcnt_t>(drop);
    const bool above = low > half || (low == half && remainder != 0);
    const bool tie = low == half && remainder == 0;
    if (above || (tie && mpz_odd_p(quotient.get_mpz_t()))) ++quotient;
  } else {
    drop = 0;
  }
  const long exponent = drop - shift;
  const double magnitude = exponent > 2000 ? HUGE_VAL : std::ldexp(quotient.get_d(), static_cast<int>(exponent));
  return negative ? -magnitude : magnitude;
}

namespace {

/// The decimal digits of a rational whose denominator has only factors 2 and 5, if they are few.
std::optional<std::string> finite_decimal(const Rational& value) {
  constexpr int kMostPlaces = 17;
  mpz_class d = value.get_den();
  const mpz_class two = 2, five = 5;
  const auto twos = mpz_remove(d.get_mpz_t(), d.get_mpz_t(), two.get_mpz_t());
  const auto fives = mpz_remove(d.get_mpz_t(), d.get_mpz_t(), five.get_mpz_t());
  if (d != 1 || std::max(twos, fives) > kMostPlaces) return std::nullopt;
  const int places = static_cast<int>(std::max(twos, fives));
  const Rational scaled = value * Rational(power_of_ten(places));
  std::string digits = mpz_class(abs(scaled.get_num())).get_str();
  const std::size_t width = at(places) + 1;
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  digits.insert(digits.size() - at(places), ".");
  return (value < 0 ? "-" : "") + digits;
}

}  // namespace

std::string to_text(const Rational& value) {
  std::string fraction = value.get_str();
  if (value.is_whole()) return fraction;
  // A person writes 1/2, 3/4 and 1/3, but 9.81 and 0.0625.
  if (value.get_den() <= 12 && abs(value.get_num()) <= 100) return fraction;
  if (auto decimal = finite_decimal(value); decimal) return *decimal;
  return fraction;
}

std::string to_short_text(const Rational& value) {
  std::string text = to_text(value);
  return text.size() <= 40 ? text : text.substr(0, 30) + "...";
}

bool has_short_power(const Rational& value, unsigned long n) {
  constexpr std::size_t kMaxBits = 1 << 16;
  if (value.is_whole() && abs(value) <= 1) return true;
  return n <= kMaxBits && value.bits() * n <= kMaxBits;
}

Rational rational_power(const Rational& base, int n) {
  const auto exponent = static_cast<unsigned long>(n < 0 ? -static_cast<long>(n) : n);
  if (!has_short_power(base, exponent))
    throw LimitError(fmt::format("the power {}^{} has too many digits to be an exact number", to_short_text(base), n));
  mpz_class above, below;
  mpz_pow_ui(above.get_mpz_t(), base.get_num().get_mpz_t(), exponent);
  mpz_pow_ui(below.get_mpz_t(), base.get_den().get_mpz_t(), exponent);
  return n < 0 ? Rational(below, above) : Rational(above, below);
}

}  // namespace kane
