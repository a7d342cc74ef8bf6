#include "tests/expr/precise.hpp"

#include <boost/multiprecision/mpfr.hpp>

#include "kane/expr/evaluate_in.hpp"
#include "tests/expr/random_expr.hpp"

namespace kane::test {

namespace {

using Real =
    boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<60>, boost::multiprecision::et_off>;

std::optional<Real> value_of(const Expr& e, const Point& at, const std::string& moved, const Real& step) {
  const auto symbol = [&](const std::string& name) { return Real(at.at(name)) + (name == moved ? step : Real(0)); };
  const auto number = [](const Rational& r) { return Real(r.get_num().get_str()) / Real(r.get_den().get_str()); };
  const auto call = [](const std::string&, std::span<const Real>) { return Real(0); };
  Real value = evaluate_in<Real>({&e, 1}, symbol, number, call).front();
  if (!boost::multiprecision::isfinite(value) || abs(value) > 1e15) return std::nullopt;
  return value;
}

Precise measure(const Real& a, const Real& b) {
  Real scale = 1;
  if (abs(a) > scale) scale = abs(a);
  if (abs(b) > scale) scale = abs(b);
  return {static_cast<double>(a), static_cast<double>(Real(abs(a - b) / scale))};
}

}  // namespace

std::optional<Precise> compare(const Expr& a, const Expr& b, const Point& at) {
  const auto x = value_of(a, at, "", 0), y = value_of(b, at, "", 0);
  if (!x || !y) return std::nullopt;
  return measure(*x, *y);
}

std::optional<Precise> compare_derivative(const Expr& e, const Expr& derivative, const std::string& symbol,
                                          const Point& at) {
  const Real step("1e-20");
  const auto up = value_of(e, at, symbol, step), down = value_of(e, at, symbol, -step);
  const auto exact = value_of(derivative, at, "", 0);
  if (!up || !down || !exact) return std::nullopt;
  return measure(*exact, (*up - *down) / (2 * step));
}

std::optional<double> evaluate_precisely(const Expr& e, const Point& at) {
  const auto value = value_of(e, at, "", 0);
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

Expr build_or_discard(Graph& graph, const Tree& tree) {
  try {
    return build(graph, tree);
  } catch (const ModelError&) {
    RC_DISCARD("not an expression");
  }
}

}  // namespace kane::test
