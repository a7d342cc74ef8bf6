#include "kane/formats/autolev/complex.hpp"

#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/traverse.hpp"

namespace kane::autolev {

namespace {

struct Parts {
  Expr re, im;
  [[nodiscard]] bool real() const { return im.is_zero(); }
};

Parts product(const Parts& a, const Parts& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/// a / b = a conj(b) / |b|^2
Parts quotient(const Parts& a, const Parts& b) {
  if (b.real()) return {a.re / b.re, a.im / b.re};
  const Expr square = b.re * b.re + b.im * b.im;
  const Parts above = product(a, {b.re, -b.im});
  return {above.re / square, above.im / square};
}

Parts whole_power(const Parts& base, int n) {
  Parts r{Expr(1), Expr()};
  for (int k = 0; k < std::abs(n); ++k) r = product(r, base);
  return n < 0 ? quotient({Expr(1), Expr()}, r) : r;
}

Expr magnitude(Graph& graph, const Parts& z) { return sqrt(graph.bind(z.re * z.re + z.im * z.im)); }

Parts complex_node(Graph& graph, NodeId id, const std::vector<Parts>& a) {
  const auto bound = [&](const Expr& e) { return graph.bind(e); };
  switch (graph.op(id)) {
    case Op::Neg: return {-a[0].re, -a[0].im};
    case Op::Add: return {a[0].re + a[1].re, a[0].im + a[1].im};
    case Op::Sub: return {a[0].re - a[1].re, a[0].im - a[1].im};
    case Op::Mul: return product(a[0], a[1]);
    case Op::Div: return quotient(a[0], a[1]);
    case Op::Pow:
      if (std::abs(graph.exponent(id)) <= 64) return whole_power(a[0], graph.exponent(id));
      break;
    case Op::Abs: return {magnitude(graph, a[0]), Expr()};
    case Op::Sqrt: {
      // The root with the positive real part, or on the positive imaginary axis.
      const Expr size = magnitude(graph, a[0]);
      const Expr re = sqrt(bound((size + a[0].re) / 2)), im = sqrt(bound((size - a[0].re) / 2));
      return {re, a[0].re.is_number() && a[0].im.is_number() && a[0].im.number() < Rational(0) ? -im
                  : a[0].im.is_number()                                                        ? im
                                                                                               : sign(a[0].im) * im};
    }
    case Op::Exp: return {exp(bound(a[0].re)) * cos(bound(a[0].im)), exp(bound(a[0].re)) * sin(bound(a[0].im))};
    case Op::Sin: return {sin(bound(a[0].re)) * cosh(bound(a[0].im)), cos(bound(a[0].re)) * sinh(bound(a[0].im))};
    case Op::Cos: return {cos(bound(a[0].re)) * cosh(bound(a[0].im)), -sin(bound(a[0].re)) * sinh(bound(a[0].im))};
    default: break;
  }
  throw ModelError(
      "a complex number is the argument of a function that is known for real ones only; complex arguments "
      "are worked out in sums, products, quotients, whole powers, SQRT, EXP, SIN, COS and ABS");
}

}  // namespace

Expr rectangular(const Expr& e, const Expr& i) {
  if (e.graph() == nullptr || !depends_on(e, i)) return e;
  Graph& graph = *e.graph();
  std::unordered_map<NodeId, Parts> known;
  for (const NodeId id : topological_order(std::span(&e, 1))) {
    std::vector<Parts> operands;
    bool real = true;
    for (const NodeId a : graph.args(id)) {
      operands.push_back(known.at(a));
      real = real && operands.back().real();
    }
    if (id == i.id()) {
      known[id] = {Expr(), Expr(1)};
    } else if (real) {
      // Operands may have become real on the way (i*i): then the node is built anew from them.
      std::vector<Expr> args;
      for (const Parts& p : operands) args.push_back(graph.bind(p.re));
      const Op op = graph.op(id);
      if (args.empty())
        known[id] = {graph.at(id), Expr()};
      else if (op == Op::Call)
        known[id] = {graph.call(graph.name(id), args), Expr()};
      else
        known[id] = {graph.make(op, args, op == Op::Pow || op == Op::Root ? graph.exponent(id) : 0), Expr()};
    } else {
      known[id] = complex_node(graph, id, operands);
    }
  }
  const Parts& z = known.at(e.id());
  return graph.bind(z.real() ? z.re : z.re + z.im * i);
}

}  // namespace kane::autolev
