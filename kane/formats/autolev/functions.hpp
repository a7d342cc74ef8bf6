#pragma once
// Internal to AUTOLEV: the handlers of functions. Each has the session and the call; arguments are evaluated as the function
// needs them. Vectors, algebra and matrices have a source file each.

#include <utility>
#include <variant>
#include <vector>

#include "kane/formats/autolev/commands.hpp"

namespace kane::autolev {

[[noreturn]] inline void wrong_use(const Node& call) {
  throw ModelError(call.where,
                   fmt::format("{} is not written like this; write {}", folded(call.text), help_text(call.text)));
}

inline void need_arguments(const Node& call, std::size_t least, std::size_t most) {
  if (call.children.size() < least || call.children.size() > most) wrong_use(call);
}

/// Applies f to a scalar or to every element.
template <class F>
Value each_scalar(const Node& call, const Value& v, F f) {
  if (const auto* e = std::get_if<Expr>(&v)) return f(*e);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    ExprMatrix r = *m;
    for (Expr& e : r.entries) e = f(e);
    return r;
  }
  wrong_use(call);
}

/// Applies f to a scalar, to every element, or to every component.
template <class F>
Value each_part(const Value& v, F f) {
  if (const auto* e = std::get_if<Expr>(&v)) return f(*e);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    ExprMatrix r = *m;
    for (Expr& e : r.entries) e = f(e);
    return r;
  }
  const auto of_vector = [&](const Vector& a) {
    Vector r;
    for (const auto& term : a.terms()) r += Vector(term.frame, {f(term.c[0]), f(term.c[1]), f(term.c[2])});
    return r;
  };
  if (const auto* a = std::get_if<Vector>(&v)) return of_vector(*a);
  if (const auto* d = std::get_if<Dyadic>(&v)) {
    Dyadic r;
    for (const auto& term : d->terms()) {
      Expr33 c = term.c;
      for (auto& row : c)
        for (Expr& e : row) e = f(e);
      r += Dyadic(term.frame, c);
    }
    return r;
  }
  VectorMatrix r = std::get<VectorMatrix>(v);
  for (Vector& a : r.entries) a = of_vector(a);
  return r;
}

/// Nodes equal to `from` become `to`, everywhere at once.
[[nodiscard]] Expr replace_nodes(Graph& graph, const Expr& e, const std::vector<std::pair<Expr, Expr>>& map);

struct Functions {
  static Value dot(Session& s, const Node& call);
  static Value cross(Session& s, const Node& call);
  static Value mag(Session& s, const Node& call);
  static Expr length(Session& s, const Vector& v);
  static Value unitvec(Session& s, const Node& call);
  static Value vector(Session& s, const Node& call);
  static Value matrix(Session& s, const Node& call);
  static Value express(Session& s, const Node& call);
  static Value expressed(Session& s, const Value& v, FrameId f, const Node& call);
  static Value partials(Session& s, const Node& call);
  static Value dt(Session& s, const Node& call);
  static FrameId frame_argument(Session& s, const Node& call, std::size_t i);
  static Value d(Session& s, const Node& call);
  static Value mass(Session& s, const Node& call);
  static Expr mass_of(Session& s, int body, const Node& call);
  static Value cm(Session& s, const Node& call);
  static Value inertia(Session& s, const Node& call);
  static Value ke(Session& s, const Node& call);
  static Value momentum(Session& s, const Node& call);
  static Value gyrostat(Session& s, const Node& call);
  static Value nicheck(Session& s, const Node& call);
  static Value fr(Session& s, const Node& call);
  static Value frstar(Session& s, const Node& call);
  /// EXPAND, FACTOR, ARRANGE, ZEE: another way to write the same value.
  static Value same(Session& s, const Node& call);
  static Value explicit_(Session& s, const Node& call);
  static Value rhs(Session& s, const Node& call);
  /// Pairs x = value; x may be any expression.
  static std::vector<std::pair<Expr, Expr>> pairs(Session& s, const Node& call, std::size_t first);
  static Value replace(Session& s, const Node& call);
  static Value evaluate(Session& s, const Node& call);
  /// COEF(v>,N2>): the measure number along a unit vector.
  static Value measure_number(Session& s, const Node& call);
  /// COEF(E,X^2).
  static Value coefficient_of_power(Session& s, const Node& call, const Node& power);
  static Value coef(Session& s, const Node& call);
  static Value exclude(Session& s, const Node& call);
  static Value include(Session& s, const Node& call);
  /// TAYLOR(e, 0:2, x=x0, y=y0:dy): the terms of orders 0 to 2 in x - x0 and dy together.
  static Value taylor(Session& s, const Node& call);
  static Value polynomial(Session& s, const Node& call);
  /// The highest power first.
  static ExprMatrix coefficients(Session& s, const Expr& e, const Expr& x, int degree, const Node& call);
  static Value roots(Session& s, const Node& call);
  static Value eig(Session& s, const Node& call);
  static const ExprMatrix& matrix_argument(const Value& v, const Node& call);
  static Value det(Session& s, const Node& call);
  static Value inv(Session& s, const Node& call);
  static Value trace(Session& s, const Node& call);
  static Value transpose_(Session& s, const Node& call);
  static Value diagmat(Session& s, const Node& call);
  /// ROWS(M) counts; ROWS(M,1,2:4) picks.
  static Value rows(Session& s, const Node& call);
  static Value cols(Session& s, const Node& call);
  static Value pick(Session& s, const Node& call, bool by_row);
  static Value element(Session& s, const Node& call);
  static Value units(Session& s, const Node& call);
  static Value input(Session& s, const Node& call);
  static Value two(Session& s, const Node& call, Expr (*f)(const Expr&, const Expr&));
  static Value atan2_(Session& s, const Node& call);
  static Value max_(Session& s, const Node& call);
  static Value min_(Session& s, const Node& call);
  /// EPSILON(e, x): numbers smaller than x in magnitude become zero.
  static Value epsilon(Session& s, const Node& call);
  static Expr without_small(Graph& graph, const Expr& e, double least);
};

}  // namespace kane::autolev
