#include "kane/expr/expr.hpp"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/print.hpp"

namespace kane {

namespace {

/// The graph two operands meet in; null if both are bare numbers.
Graph* meet(const Expr& a, const Expr& b) { return a.graph() != nullptr ? a.graph() : b.graph(); }

}  // namespace

struct Expr::LongNumber {
  Rational value;
  std::atomic<long> holders{1};
};

Expr::LongNumber* Expr::long_number() const { return std::bit_cast<LongNumber*>(number_); }

void Expr::hold() const { long_number()->holders.fetch_add(1, std::memory_order_relaxed); }

void Expr::release() const {
  if (long_number()->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete long_number();
}

Expr::Expr(const Rational& value) {
  if (value.is_small()) {
    number_ = value.small_num();
    denominator_ = value.small_den();
    return;
  }
  number_ = std::bit_cast<std::int64_t>(new LongNumber{value});
  denominator_ = 0;
}

Expr::Expr(double value) : Expr(rational_from_double(value)) {}

Op Expr::op() const { return graph_ == nullptr ? Op::Number : graph_->op(id()); }
bool Expr::is_zero() const { return graph_ == nullptr ? number_ == 0 : id() == Graph::kZero; }
bool Expr::is_one() const { return graph_ == nullptr ? number_ == denominator_ : id() == Graph::kOne; }

Rational Expr::number() const {
  if (graph_ != nullptr) return graph_->number_value(id());
  if (is_long()) return long_number()->value;
  return {number_, denominator_};
}

const std::string& Expr::name() const {
  ensure(graph_ != nullptr, "a bare number has no name");
  return graph_->name(id());
}

int Expr::exponent() const {
  ensure(op() == Op::Pow || op() == Op::Root, "only powers and roots have an exponent");
  return graph_->exponent(id());
}

int Expr::arity() const { return graph_ == nullptr ? 0 : static_cast<int>(graph_->args(id()).size()); }

Expr Expr::arg(int i) const {
  ensure(i >= 0 && i < arity(), "the expression has no operand {}", i);
  return graph_->at(graph_->args(id())[kane::at(i)]);
}

std::string Expr::to_string() const { return to_text(*this, {.max_length = 200}); }

bool operator==(const Expr& a, const Expr& b) {
  if (a.graph_ == b.graph_ && !a.is_long() && !b.is_long())
    return a.number_ == b.number_ && a.denominator_ == b.denominator_;
  if (a.graph_ != nullptr && b.graph_ != nullptr) return false;  // of two graphs
  return a.is_number() && b.is_number() && a.number() == b.number();
}

namespace {

[[noreturn]] void fail_unbound(Op op, const std::string& args) {
  throw ModelError(fmt::format("{}({}) needs a number bound to a graph: use Graph::number", info(op).text, args));
}

Expr make1(Op op, const Expr& a, int exponent = 0) {
  if (a.graph() == nullptr) fail_unbound(op, to_text(a.number()));
  return a.graph()->unary(op, a, exponent);
}

Expr make2(Op op, const Expr& a, const Expr& b) {
  Graph* graph = meet(a, b);
  if (graph == nullptr) fail_unbound(op, to_text(a.number()) + ", " + to_text(b.number()));
  return graph->binary(op, a, b);
}

}  // namespace

Expr Expr::operator-() const { return graph_ == nullptr ? Expr(Rational(-number())) : make1(Op::Neg, *this); }
Expr& Expr::operator+=(const Expr& b) { return *this = *this + b; }
Expr& Expr::operator-=(const Expr& b) { return *this = *this - b; }
Expr& Expr::operator*=(const Expr& b) { return *this = *this * b; }
Expr& Expr::operator/=(const Expr& b) { return *this = *this / b; }

Expr operator+(const Expr& a, const Expr& b) {
  if (a.graph() == nullptr && a.is_zero()) return b;
  if (b.graph() == nullptr && b.is_zero()) return a;
  return meet(a, b) == nullptr ? Expr(Rational(a.number() + b.number())) : make2(Op::Add, a, b);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (b.graph() == nullptr && b.is_zero()) return a;
  return meet(a, b) == nullptr ? Expr(Rational(a.number() - b.number())) : make2(Op::Sub, a, b);
}

Expr operator*(const Expr& a, const Expr& b) {
  // Zeros of matrices and vectors are bare: they stay so.
  if (a.graph() == nullptr && a.is_zero()) return a;
  if (b.graph() == nullptr && b.is_zero()) return b;
  return meet(a, b) == nullptr ? Expr(Rational(a.number() * b.number())) : make2(Op::Mul, a, b);
}

Expr operator/(const Expr& a, const Expr& b) {
  if (meet(a, b) != nullptr) return make2(Op::Div, a, b);
  require(!b.is_zero(), "division of {} by zero", to_text(a.number()));
  return Expr(Rational(a.number() / b.number()));
}

Expr pow(const Expr& x, int n) {
  if (x.graph() != nullptr) return make1(Op::Pow, x, n);
  require(n >= 0 || !x.is_zero(), "0^({}) has no value", n);
  return Expr(rational_power(x.number(), n));
}

Expr pow(const Expr& x, const Rational& exponent) {
  const auto fits = [](long z) { return std::abs(z) <= std::numeric_limits<int>::max(); };
  require(exponent.is_small() && fits(exponent.small_num()) && fits(exponent.small_den()),
          "the exponent {} is too large", to_text(exponent));
  const int n = static_cast<int>(exponent.small_num()), d = static_cast<int>(exponent.small_den());
  if (d == 1) return pow(x, n);
  return pow(make1(d == 2 ? Op::Sqrt : Op::Root, x, d), n);
}

Expr pow(const Expr& x, const Expr& y) {
  if (y.is_number()) return pow(x, y.number());
  return exp(y * log(x.graph() != nullptr ? x : y.graph()->bind(x)));
}

Expr square(const Expr& x) { return x * x; }
Expr sqrt(const Expr& x) { return make1(Op::Sqrt, x); }
Expr sin(const Expr& x) { return make1(Op::Sin, x); }
Expr cos(const Expr& x) { return make1(Op::Cos, x); }
Expr tan(const Expr& x) { return make1(Op::Tan, x); }
Expr asin(const Expr& x) { return make1(Op::Asin, x); }
Expr acos(const Expr& x) { return make1(Op::Acos, x); }
Expr atan(const Expr& x) { return make1(Op::Atan, x); }
Expr atan2(const Expr& y, const Expr& x) { return make2(Op::Atan2, y, x); }
Expr sinh(const Expr& x) { return make1(Op::Sinh, x); }
Expr cosh(const Expr& x) { return make1(Op::Cosh, x); }
Expr tanh(const Expr& x) { return make1(Op::Tanh, x); }
Expr exp(const Expr& x) { return make1(Op::Exp, x); }
Expr log(const Expr& x) { return make1(Op::Log, x); }
Expr abs(const Expr& x) { return make1(Op::Abs, x); }
Expr sign(const Expr& x) { return make1(Op::Sign, x); }
Expr min(const Expr& a, const Expr& b) { return make2(Op::Min, a, b); }
Expr max(const Expr& a, const Expr& b) { return make2(Op::Max, a, b); }
Expr floor(const Expr& x) { return make1(Op::Floor, x); }
Expr mod(const Expr& a, const Expr& b) { return make2(Op::Mod, a, b); }
Expr less(const Expr& a, const Expr& b) { return make2(Op::Less, a, b); }
Expr less_equal(const Expr& a, const Expr& b) { return make2(Op::LessEqual, a, b); }
Expr equal(const Expr& a, const Expr& b) { return make2(Op::Equal, a, b); }

Expr select(const Expr& condition, const Expr& a, const Expr& b) {
  Graph* graph = condition.graph() != nullptr ? condition.graph() : meet(a, b);
  if (graph == nullptr) return condition.is_zero() ? b : a;
  const Expr args[] = {condition, a, b};
  return graph->make(Op::Select, args);
}

}  // namespace kane
