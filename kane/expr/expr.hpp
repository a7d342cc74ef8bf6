#pragma once
// Scalar expressions. An Expr is a small value: a handle to a node of a Graph, or a bare exact number that belongs
// to no graph until it is combined with something that does. Equal expressions are the same node ("equal" in the
// sense of graph.hpp), so == is a comparison of handles, and zero tests cost nothing.

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/number.hpp"
#include "kane/expr/operators.hpp"

namespace kane {

class Graph;

/// Index of a node in its graph.
using NodeId = std::uint32_t;

class Expr {
 public:
  /// The number zero.
  constexpr Expr() = default;
  template <std::integral Int>
  constexpr Expr(Int value) : number_(static_cast<std::int64_t>(value)) {}
  /// The rational spelled by the shortest decimal form of `value`; 0.1 is exactly 1/10.
  Expr(double value);
  explicit Expr(const Rational& value);

  constexpr Expr(const Expr& other) : graph_(other.graph_), number_(other.number_), denominator_(other.denominator_) {
    if (is_long()) hold();
  }
  constexpr Expr(Expr&& other) noexcept
      : graph_(other.graph_), number_(other.number_), denominator_(other.denominator_) {
    if (is_long()) other.number_ = 0, other.denominator_ = 1;
  }
  constexpr Expr& operator=(const Expr& other) {
    if (other.is_long()) other.hold();
    if (is_long()) release();
    graph_ = other.graph_, number_ = other.number_, denominator_ = other.denominator_;
    return *this;
  }
  constexpr Expr& operator=(Expr&& other) noexcept { return *this = static_cast<const Expr&>(other); }
  constexpr ~Expr() {
    if (is_long()) release();
  }

  /// Null for a bare number.
  [[nodiscard]] Graph* graph() const { return graph_; }
  /// Index of the node; only for expressions with a graph.
  [[nodiscard]] NodeId id() const { return static_cast<NodeId>(number_); }

  [[nodiscard]] Op op() const;
  [[nodiscard]] bool is_number() const { return op() == Op::Number; }
  [[nodiscard]] bool is_symbol() const { return op() == Op::Symbol; }
  [[nodiscard]] bool is_zero() const;
  [[nodiscard]] bool is_one() const;
  /// Value of a number; only if is_number().
  [[nodiscard]] Rational number() const;
  /// Name of a symbol or an external function; only for those.
  [[nodiscard]] const std::string& name() const;
  /// Exponent of a Pow (>= 2) or index of a Root (>= 3).
  [[nodiscard]] int exponent() const;
  [[nodiscard]] int arity() const;
  [[nodiscard]] Expr arg(int i) const;

  /// Infix text (print.hpp), shortened with "..." when it would be very long: for messages and debugging.
  [[nodiscard]] std::string to_string() const;

  /// The same node, or the same number.
  friend bool operator==(const Expr& a, const Expr& b);

  Expr operator-() const;
  Expr& operator+=(const Expr& b);
  Expr& operator-=(const Expr& b);
  Expr& operator*=(const Expr& b);
  Expr& operator/=(const Expr& b);

 private:
  friend class Graph;
  // A bare number with a long numerator or denominator lives on the heap, counted: denominator_ is then 0 and number_ the
  // address. Only numbers typed with many digits, or worked out without a graph, ever do.
  struct LongNumber;
  [[nodiscard]] constexpr bool is_long() const { return denominator_ == 0; }
  [[nodiscard]] LongNumber* long_number() const;
  void hold() const;
  void release() const;

  Expr(Graph* graph, NodeId id) : graph_(graph), number_(id), denominator_(1) {}

  Graph* graph_ = nullptr;
  std::int64_t number_ = 0;  ///< node index if graph_, else numerator (or address of a LongNumber)
  std::int64_t denominator_ = 1;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
/// Throws ModelError if b is identically zero.
Expr operator/(const Expr& a, const Expr& b);

Expr pow(const Expr& x, int n);
Expr pow(const Expr& x, const Rational& exponent);
/// x^y for any y: exact for a rational number y, exp(y*log(x)) otherwise.
Expr pow(const Expr& x, const Expr& y);
Expr square(const Expr& x);
Expr sqrt(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr abs(const Expr& x);
/// -1, 0 or 1.
Expr sign(const Expr& x);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr floor(const Expr& x);
/// a - b*floor(a/b): the sign of b, as in Python and MATLAB.
Expr mod(const Expr& a, const Expr& b);
/// 1 where a < b, else 0; likewise the others.
Expr less(const Expr& a, const Expr& b);
Expr less_equal(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
/// `a` where condition is not zero, else `b`.
Expr select(const Expr& condition, const Expr& a, const Expr& b);

}  // namespace kane
