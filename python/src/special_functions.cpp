// Functions that compiled functions call: those of the C library, and the derivative of log(gamma).
//
//   digamma(x) = d log(gamma(x)) / dx
//   digamma(x) = digamma(x + 1) - 1/x                                               Abramowitz, Stegun (6.3.5)
//   digamma(1 - x) = digamma(x) + pi / tan(pi x)                                    (6.3.7)
//   digamma(x) ~ log x - 1/(2 x) - sum B_2k / (2 k x^2k)                            (6.3.18)
//   trigamma(x) = digamma'(x) = trigamma(x + 1) + 1/x^2                             (6.4.6)
//   trigamma(1 - x) = pi^2 / sin(pi x)^2 - trigamma(x)                              (6.4.7)
//   trigamma(x) ~ 1/x + 1/(2 x^2) + sum B_2k / x^(2k + 1)                           (6.4.12)

#include "python/src/special_functions.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace kane::python {
namespace {

double log_gamma(double x) {
  int sign = 0;  // std::lgamma writes a global variable instead
  return lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  constexpr double kLarge = 10;
  double sum = 0;
  for (; x < kLarge; ++x) sum -= 1 / x;
  constexpr std::array kTerms{1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double square = 1 / (x * x);
  double power = square;
  sum += std::log(x) - 0.5 / x;
  for (const double term : kTerms) {
    sum -= term * power;
    power *= square;
  }
  return sum;
}

double trigamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) return std::pow(std::numbers::pi / std::sin(std::numbers::pi * x), 2) - trigamma(1 - x);
  constexpr double kLarge = 12;
  double sum = 0;
  for (; x < kLarge; ++x) sum += 1 / (x * x);
  constexpr std::array kTerms{1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  const double square = 1 / (x * x);
  double power = square / x;
  sum += 1 / x + 0.5 * square;
  for (const double term : kTerms) {
    sum += term * power;
    power *= square;
  }
  return sum;
}

double slope_of_erf(double x) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }
double slope_of_erfc(double x) { return -slope_of_erf(x); }
double slope_of_gamma(double x) { return std::tgamma(x) * digamma(x); }
double error_function(double x) { return std::erf(x); }
double complement(double x) { return std::erfc(x); }
double gamma_function(double x) { return std::tgamma(x); }

template <double (*f)(double)>
ExternalFunction external() {
  return {[](const double* x, void*) { return f(*x); }, nullptr};
}

}  // namespace

bool is_special_function(std::string_view name) {
  return name == "erf" || name == "erfc" || name == "gamma" || name == "loggamma" || name == "digamma";
}

std::vector<NamedFunction> special_functions() {
  return {{"erf", 1, external<error_function>()},   {"erf_1", 1, external<slope_of_erf>()},
          {"erfc", 1, external<complement>()},      {"erfc_1", 1, external<slope_of_erfc>()},
          {"gamma", 1, external<gamma_function>()}, {"gamma_1", 1, external<slope_of_gamma>()},
          {"loggamma", 1, external<log_gamma>()},   {"loggamma_1", 1, external<digamma>()},
          {"digamma", 1, external<digamma>()},      {"digamma_1", 1, external<trigamma>()}};
}

}  // namespace kane::python
