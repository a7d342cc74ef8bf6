// Rationals of two words and of GMP against GMP alone, around the edges where one becomes the other.

#include "kane/expr/rational.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "kane/expr/number.hpp"

namespace kane {
namespace {

constexpr long kMost = std::numeric_limits<long>::max();
constexpr long kLeast = std::numeric_limits<long>::min();

/// Small ones, ones at the edge of a word, and ones far beyond it.
mpz_class random_whole() {
  static constexpr long kEdges[] = {0, 1, -1, 2, 3, 720720, kMost, kMost - 1, kLeast, kLeast + 1, 1L << 32, 1L << 53};
  const auto edge = [] { return mpz_class(kEdges[*rc::gen::inRange<std::size_t>(0, std::size(kEdges))]); };
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return *rc::gen::inRange(-20, 20);
    case 1: return edge();
    case 2: return edge() * edge() + *rc::gen::inRange(-2, 3);
    default: return *rc::gen::arbitrary<long>();
  }
}

mpq_class random_fraction() {
  const mpz_class n = random_whole(), d = random_whole();
  mpq_class q(n, d == 0 ? mpz_class(1) : d);
  q.canonicalize();
  return q;
}

/// The same value, in two words exactly if it has a place there.
void expect_is(const Rational& r, const mpq_class& q) {
  RC_ASSERT(r.get_mpq() == q);
  RC_ASSERT(r.get_num() == q.get_num() && r.get_den() == q.get_den());
  RC_ASSERT(r.is_whole() == (q.get_den() == 1));
  RC_ASSERT(r.is_small() == (abs(q.get_num()) <= kMost && q.get_den() <= kMost));
  if (r.is_small()) RC_ASSERT(r.small_num() == q.get_num() && r.small_den() == q.get_den());
  RC_ASSERT(sgn(r) == sgn(q));
  RC_ASSERT(r == Rational(q) && !(r < Rational(q)));
}

RC_GTEST_PROP(RationalAgainstGmp, ArithmeticIsTheSame, ()) {
  const mpq_class p = random_fraction(), q = random_fraction();
  const Rational a(p), b(q);
  expect_is(a, p);
  expect_is(a + b, p + q);
  expect_is(a - b, p - q);
  expect_is(a * b, p * q);
  if (q != 0) expect_is(a / b, p / q);
  expect_is(-a, -p);
  expect_is(abs(a), abs(p));
  RC_ASSERT((a < b) == (p < q) && (a == b) == (p == q) && (a > b) == (p > q));
  Rational c = a;
  c = b;  // from one kind to another
  expect_is(c, q);
  c += c;
  expect_is(c, q + q);
  c *= c;
  expect_is(c, 4 * q * q);
}

RC_GTEST_PROP(RationalAgainstGmp, FloorAndCommonMeasureMeanWhatTheySay, ()) {
  const Rational a(random_fraction()), b(random_fraction());
  const Rational whole = floor_of(a);
  RC_ASSERT(whole.is_whole() && whole <= a && a < whole + 1);
  const Rational unit = common_measure(a, b);
  if (a == 0 && b == 0) {
    RC_ASSERT(unit == 0);
    return;
  }
  const Rational m = a / unit, n = b / unit;
  RC_ASSERT(unit > 0 && m.is_whole() && n.is_whole());
  RC_ASSERT(gcd(m.get_num(), n.get_num()) == 1);
}

RC_GTEST_PROP(RationalAgainstGmp, DoublesAreRoundedCorrectly, ()) {
  const mpq_class q = random_fraction();
  const double x = to_double(Rational(q));
  const mpq_class error = abs(mpq_class(x) - q);
  for (const double other : {std::nextafter(x, -HUGE_VAL), std::nextafter(x, HUGE_VAL)})
    RC_ASSERT(error <= abs(mpq_class(other) - q));
}

TEST(Rational, DivisionByZeroIsNoNumber) {
  EXPECT_THROW(Rational(1, 0), std::exception);
  EXPECT_THROW(Rational(mpz_class("100000000000000000000"), mpz_class(0)), std::exception);
}

}  // namespace
}  // namespace kane
