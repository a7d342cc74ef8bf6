#pragma once
// Rationals of any size. Nearly all of those that occur in mechanics have a few digits; they take two machine words and
// no heap memory. The others are GMP's.

#include <gmpxx.h>

#include <compare>
#include <concepts>
#include <limits>
#include <memory>
#include <string>

namespace kane {

/// Always in lowest terms, the denominator positive.
class Rational {
 public:
  Rational() = default;
  template <std::signed_integral Integer>
  Rational(Integer n) : n_(n) {  // NOLINT: whole numbers are rationals
    if (n_ == std::numeric_limits<long>::min()) *this = Rational(n_, 1);
  }
  /// Throws ModelError if d is 0.
  Rational(long n, long d);
  explicit Rational(const mpz_class& n) : Rational(n, mpz_class(1)) {}
  Rational(const mpz_class& n, const mpz_class& d);
  explicit Rational(mpq_class value);
  /// The exact value of a finite double.
  explicit Rational(double value) : Rational(mpq_class(value)) {}
  /// "3" or "-1/2".
  explicit Rational(const std::string& text) : Rational(mpq_class(text)) {}

  Rational(const Rational& other)
      : n_(other.n_), d_(other.d_), big_(other.big_ == nullptr ? nullptr : std::make_unique<mpq_class>(*other.big_)) {}
  Rational(Rational&& other) noexcept = default;
  Rational& operator=(const Rational& other) {
    if (other.big_ != nullptr || big_ != nullptr) return *this = Rational(other);
    n_ = other.n_, d_ = other.d_;
    return *this;
  }
  Rational& operator=(Rational&& other) noexcept = default;
  ~Rational() = default;

  [[nodiscard]] bool is_whole() const { return big_ == nullptr ? d_ == 1 : big_->get_den() == 1; }
  /// Whether numerator and denominator fit in a long; then they are small_num() and small_den().
  [[nodiscard]] bool is_small() const { return big_ == nullptr; }
  [[nodiscard]] long small_num() const { return n_; }
  [[nodiscard]] long small_den() const { return d_; }
  [[nodiscard]] mpz_class get_num() const { return big_ == nullptr ? mpz_class(n_) : big_->get_num(); }
  [[nodiscard]] mpz_class get_den() const { return big_ == nullptr ? mpz_class(d_) : big_->get_den(); }
  [[nodiscard]] mpq_class get_mpq() const;
  [[nodiscard]] std::string get_str() const { return get_mpq().get_str(); }
  /// Bits of numerator and denominator together.
  [[nodiscard]] std::size_t bits() const;

  Rational& operator+=(const Rational& other);
  Rational& operator-=(const Rational& other);
  Rational& operator*=(const Rational& other);
  /// other must not be 0.
  Rational& operator/=(const Rational& other);

  friend Rational operator-(Rational a) { return a *= Rational(-1); }
  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }

  friend bool operator==(const Rational& a, const Rational& b) {
    if (a.big_ == nullptr && b.big_ == nullptr) return a.n_ == b.n_ && a.d_ == b.d_;
    return a.big_ != nullptr && b.big_ != nullptr && *a.big_ == *b.big_;  // small ones are never kept as big ones
  }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    if (a.big_ == nullptr && b.big_ == nullptr)
      return static_cast<Wide>(a.n_) * b.d_ <=> static_cast<Wide>(b.n_) * a.d_;
    return cmp(a.get_mpq(), b.get_mpq()) <=> 0;
  }
  friend int sgn(const Rational& a) { return a.big_ == nullptr ? (a.n_ > 0) - (a.n_ < 0) : sgn(*a.big_); }
  friend Rational abs(const Rational& a) { return sgn(a) < 0 ? -a : a; }

 private:
  __extension__ using Wide = __int128;

  void set(Wide n, Wide d);
  void set(mpq_class value);

  long n_ = 0, d_ = 1;              ///< the value, unless
  std::unique_ptr<mpq_class> big_;  ///< it does not fit there
};

/// The largest whole number that is not above it.
[[nodiscard]] Rational floor_of(const Rational& value);

/// The largest rational of which both are whole multiples, not negative.
[[nodiscard]] Rational common_measure(const Rational& a, const Rational& b);

}  // namespace kane
