// Functions of matrices and numbers.

#include "kane/formats/autolev/functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kane/expr/number.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/eigen.hpp"
#include "kane/formats/autolev/matrices.hpp"

namespace kane::autolev {

const ExprMatrix& Functions::matrix_argument(const Value& v, const Node& call) {
  const auto* m = std::get_if<ExprMatrix>(&v);
  if (m == nullptr) throw ModelError(call.children[0].where, fmt::format("{} takes a matrix", folded(call.text)));
  return *m;
}

Value Functions::det(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Value v = s.evaluate(call.children[0]);
  if (const auto* e = std::get_if<Expr>(&v)) return *e;
  return determinant(matrix_argument(v, call));
}

Value Functions::inv(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Value v = s.evaluate(call.children[0]);
  if (const auto* e = std::get_if<Expr>(&v)) return 1 / *e;
  return inverted(matrix_argument(v, call));
}

Value Functions::trace(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Value v = s.evaluate(call.children[0]);
  const ExprMatrix& m = matrix_argument(v, call);
  Expr sum;
  for (int i = 0; i < std::min(m.rows, m.columns); ++i) sum += m(i, i);
  return sum;
}

Value Functions::transpose_(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Value v = s.evaluate(call.children[0]);
  if (const auto* e = std::get_if<Expr>(&v)) return *e;
  return transposed(matrix_argument(v, call));
}

Value Functions::diagmat(Session& s, const Node& call) {
  need_arguments(call, 2, 3);
  const int n = s.evaluate_whole(call.children[0]);
  const int m = call.children.size() == 3 ? s.evaluate_whole(call.children[1]) : n;
  const Expr x = s.evaluate_scalar(call.children.back());
  if (n < 1 || m < 1 || static_cast<std::size_t>(n) * static_cast<std::size_t>(m) > s.options_.limits.max_elements)
    throw ModelError(call.where, "DIAGMAT takes the numbers of rows and columns and a value");
  ExprMatrix r(n, m);
  for (int i = 0; i < std::min(n, m); ++i) r(i, i) = x;
  return r;
}

Value Functions::rows(Session& s, const Node& call) { return pick(s, call, true); }

Value Functions::cols(Session& s, const Node& call) { return pick(s, call, false); }

Value Functions::pick(Session& s, const Node& call, bool by_row) {
  need_arguments(call, 1, 10000);
  const Value v = s.evaluate(call.children[0]);
  const ExprMatrix& m = matrix_argument(v, call);
  if (call.children.size() == 1) return s.graph_->number(by_row ? m.rows : m.columns);
  std::vector<int> list;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& n = call.children[i];
    if (n.kind != NodeKind::Range) {
      list.push_back(s.evaluate_whole(n));
      continue;
    }
    const int to = std::min(s.evaluate_whole(n.children[1]), (by_row ? m.rows : m.columns) + 1);
    for (int k = s.evaluate_whole(n.children[0]); k <= to; ++k) list.push_back(k);
  }
  return by_row ? rows_of(m, list) : columns_of(m, list);
}

Value Functions::element(Session& s, const Node& call) {
  need_arguments(call, 2, 3);
  const Value v = s.evaluate(call.children[0]);
  const ExprMatrix& m = matrix_argument(v, call);
  int i = s.evaluate_whole(call.children[1]);
  int j = call.children.size() == 3 ? s.evaluate_whole(call.children[2]) : 1;
  if (call.children.size() == 2 && m.rows == 1) std::swap(i, j);
  if (i < 1 || j < 1 || i > m.rows || j > m.columns)
    throw ModelError(call.where, fmt::format("a matrix of {} x {} has no element [{},{}]", m.rows, m.columns, i, j));
  return m(i - 1, j - 1);
}

Value Functions::units(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  const std::string a = folded(call.children[0].text);
  const std::string b = folded(call.children[1].text);
  if (a == "DEG" && b == "RAD") return s.graph_->pi() / Expr(180);
  if (a == "RAD" && b == "DEG") return Expr(180) / s.graph_->pi();
  return s.unit_ratio(call.children[0], call.children[1]);
}

Value Functions::input(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Scalar& x = s.named_scalar(call.children[0]);
  if (x.input) return *x.input;
  if (x.value)
    return s.graph_->bind(Expr(s.number_of(x.symbol, "INPUT(" + x.spelled() + ")")));  // what its definition is worth
  throw ModelError(call.where, fmt::format("INPUT has given no value for {}", x.spelled()));
}

Value Functions::two(Session& s, const Node& call, Expr (*f)(const Expr&, const Expr&)) {
  need_arguments(call, 2, 1000);
  Expr r = s.evaluate_scalar(call.children[0]);
  for (std::size_t i = 1; i < call.children.size(); ++i) r = f(r, s.evaluate_scalar(call.children[i]));
  return r;
}

Value Functions::atan2_(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  return atan2(s.evaluate_scalar(call.children[0]), s.evaluate_scalar(call.children[1]));
}

Value Functions::max_(Session& s, const Node& call) { return two(s, call, max); }

Value Functions::min_(Session& s, const Node& call) { return two(s, call, min); }

Value Functions::epsilon(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  const double least = std::abs(s.evaluate_number(call.children[1]));
  return each_part(s.evaluate(call.children[0]), [&](const Expr& e) { return without_small(*s.graph_, e, least); });
}

Expr Functions::without_small(Graph& graph, const Expr& e, double least) {
  if (e.graph() == nullptr) return std::abs(to_double(e.number())) < least ? Expr(0) : e;
  std::vector<std::pair<Expr, Expr>> map;
  for (const NodeId id : topological_order(std::span(&e, 1)))
    if (graph.op(id) == Op::Number && std::abs(to_double(graph.number_value(id))) < least && !graph.is_zero(id))
      map.emplace_back(graph.at(id), graph.number(0));
  return map.empty() ? e : replace_nodes(graph, e, map);
}

}  // namespace kane::autolev
