#include "kane/expr/rational.hpp"

#include <numeric>

#include "kane/base/error.hpp"

namespace kane {

namespace {

std::size_t bits_of(const mpz_class& z) { return mpz_sizeinbase(z.get_mpz_t(), 2); }

/// For d in lowest terms with n. __gcd and std::gcd do not know 128 bits in strict mode.
template <class Wide>
Wide greatest_common_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    constexpr Wide kLong = std::numeric_limits<long>::max();
    if (a <= kLong && b <= kLong) return std::gcd(static_cast<long>(a), static_cast<long>(b));
    a %= b;
    std::swap(a, b);
  }
  return a;
}

}  // namespace

Rational::Rational(long n, long d) {
  require(d != 0, "the number {}/0 has no value", n);
  set(Wide{n}, Wide{d});
}

Rational::Rational(const mpz_class& n, const mpz_class& d) {
  if (n.fits_slong_p() && d.fits_slong_p()) {
    *this = Rational(n.get_si(), d.get_si());
    return;
  }
  require(d != 0, "the number {}/0 has no value", n.get_str());
  mpq_class value(n, d);
  value.canonicalize();
  set(std::move(value));
}

Rational::Rational(mpq_class value) {
  value.canonicalize();
  set(std::move(value));
}

mpq_class Rational::get_mpq() const {
  if (big_ != nullptr) return *big_;
  mpq_class value;
  mpz_set_si(value.get_num_mpz_t(), n_);
  mpz_set_si(value.get_den_mpz_t(), d_);
  return value;
}

std::size_t Rational::bits() const { return bits_of(get_num()) + bits_of(get_den()); }

void Rational::set(Wide n, Wide d) {
  if (d < 0) n = -n, d = -d;
  if (d != 1) {
    const Wide g = greatest_common_divisor(n, d);
    n /= g, d /= g;
  }
  constexpr Wide kMost = std::numeric_limits<long>::max();
  if (n <= kMost && n >= -kMost && d <= kMost) {
    n_ = static_cast<long>(n), d_ = static_cast<long>(d);
    big_.reset();
    return;
  }
  const auto wide = [](Wide z) {
    const Wide size = z < 0 ? -z : z;
    mpz_class r(static_cast<unsigned long>(size >> 64));
    r <<= 64;
    r += static_cast<unsigned long>(size);
    return z < 0 ? mpz_class(-r) : r;
  };
  set(mpq_class(wide(n), wide(d)));
}

void Rational::set(mpq_class value) {
  // The smallest long stays with GMP: its negative has no place in a long.
  const mpz_class &n = value.get_num(), &d = value.get_den();
  if (n.fits_slong_p() && d.fits_slong_p() && n.get_si() != std::numeric_limits<long>::min()) {
    n_ = n.get_si(), d_ = d.get_si();
    big_.reset();
    return;
  }
  n_ = 0, d_ = 1;
  big_ = std::make_unique<mpq_class>(std::move(value));
}

Rational& Rational::operator+=(const Rational& other) {
  if (big_ == nullptr && other.big_ == nullptr) {
    long sum = 0;
    if (d_ == 1 && other.d_ == 1 && !__builtin_add_overflow(n_, other.n_, &sum) &&
        sum != std::numeric_limits<long>::min()) {
      n_ = sum;
    } else {
      // |n d'| <= (2^63 - 1)^2, so that the sum of two stays below 2^127.
      set(static_cast<Wide>(n_) * other.d_ + static_cast<Wide>(other.n_) * d_, static_cast<Wide>(d_) * other.d_);
    }
  } else {
    set(mpq_class(get_mpq() + other.get_mpq()));
  }
  return *this;
}

Rational& Rational::operator-=(const Rational& other) { return *this += -other; }

Rational& Rational::operator*=(const Rational& other) {
  if (big_ == nullptr && other.big_ == nullptr)
    set(static_cast<Wide>(n_) * other.n_, static_cast<Wide>(d_) * other.d_);
  else
    set(mpq_class(get_mpq() * other.get_mpq()));
  return *this;
}

Rational& Rational::operator/=(const Rational& other) {
  ensure(sgn(other) != 0, "an exact number is divided by zero");
  if (big_ == nullptr && other.big_ == nullptr)
    set(static_cast<Wide>(n_) * other.d_, static_cast<Wide>(d_) * other.n_);
  else
    set(mpq_class(get_mpq() / other.get_mpq()));
  return *this;
}

Rational floor_of(const Rational& value) {
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), value.get_num().get_mpz_t(), value.get_den().get_mpz_t());
  return Rational(whole);
}

Rational common_measure(const Rational& a, const Rational& b) {
  if (a.is_small() && b.is_small() && a.is_whole() && b.is_whole()) return std::gcd(a.small_num(), b.small_num());
  return {gcd(a.get_num(), b.get_num()), lcm(a.get_den(), b.get_den())};
}

}  // namespace kane
