#include "kane/expr/derivative.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/tape.hpp"

namespace kane {

namespace {

/// The derivative column of the operator table: the partial derivative of `self` = op(x[0], x[1], ...) by operand i.
/// Where an operator has a jump or a kink (abs, sign, min, max, floor, mod, comparisons), its derivative is that of the
/// branch taken.
Expr op_derivative(Op op, int exponent, const Expr& self, std::span<const Expr> x, int i) {
  Graph& graph = *self.graph();
  switch (op) {
    case Op::Neg: return -1;
    case Op::Add: return 1;
    case Op::Sub: return i == 0 ? 1 : -1;
    case Op::Mul: return x[at(1 - i)];
    case Op::Div: return i == 0 ? 1 / x[1] : -self / x[1];
    case Op::Pow: return exponent * pow(x[0], exponent - 1);
    case Op::Sqrt: return 1 / (2 * self);
    case Op::Root: return self / (exponent * x[0]);
    case Op::Sin: return cos(x[0]);
    case Op::Cos: return -sin(x[0]);
    case Op::Tan: return 1 + square(self);
    case Op::Asin: return 1 / sqrt(1 - square(x[0]));
    case Op::Acos: return -1 / sqrt(1 - square(x[0]));
    case Op::Atan: return 1 / (1 + square(x[0]));
    case Op::Atan2: {
      const Expr r2 = square(x[0]) + square(x[1]);
      return i == 0 ? x[1] / r2 : -x[0] / r2;
    }
    case Op::Sinh: return cosh(x[0]);
    case Op::Cosh: return sinh(x[0]);
    case Op::Tanh: return 1 - square(self);
    case Op::Exp: return self;
    case Op::Log: return 1 / x[0];
    case Op::Abs: return sign(x[0]);
    case Op::Min: return i == 0 ? select(less(x[1], x[0]), 0, 1) : select(less(x[1], x[0]), 1, 0);
    case Op::Max: return i == 0 ? select(less(x[0], x[1]), 0, 1) : select(less(x[0], x[1]), 1, 0);
    case Op::Mod: return i == 0 ? Expr(1) : -floor(x[0] / x[1]);
    case Op::Select: return i == 0 ? Expr(0) : i == 1 ? select(x[0], 1, 0) : select(x[0], 0, 1);
    case Op::Call: return graph.call(graph.derivative_name(self.name(), i), x);
    default: return 0;  // leaves, sign, floor, comparisons
  }
}

/// d(self) from the derivatives of the operands; the common operators written out so that their forms stay short.
/// Operator and exponent are those of the form the operands belong to; building may change the form of `self` meanwhile.
/// `partials` (none, or one per operand) keeps the partial derivatives for the next direction.
Expr chain_rule(Op op, int exponent, const Expr& self, std::span<const Expr> x, std::span<const Expr> dx,
                std::span<Expr> partials = {}) {
  switch (op) {
    case Op::Neg: return -dx[0];
    case Op::Add: return dx[0] + dx[1];
    case Op::Sub: return dx[0] - dx[1];
    case Op::Mul: return dx[0] * x[1] + x[0] * dx[1];
    case Op::Div: return (dx[0] - self * dx[1]) / x[1];
    case Op::Select: return select(x[0], dx[1], dx[2]);
    default: break;
  }
  Expr sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (dx[i].is_zero()) continue;
    if (!partials.empty() && !partials[i].is_zero()) {
      sum += partials[i] * dx[i];
      continue;
    }
    const Expr partial = op_derivative(op, exponent, self, x, static_cast<int>(i));
    if (!partials.empty()) partials[i] = partial;
    sum += partial * dx[i];
  }
  return sum;
}

}  // namespace

std::vector<Expr> Tangent::operator()(std::span<const Expr> es) {
  Graph* graph = common_graph(es);
  std::vector<Expr> results(es.size());
  if (graph == nullptr) return results;
  ensure(graph_ == nullptr || graph_ == graph, "a Tangent serves one graph");
  graph_ = graph;

  for (std::size_t i = 0; i < es.size(); ++i) {
    if (es[i].graph() == nullptr) continue;
    differentiate(es[i].id());
    const NodeId derivative = known_[es[i].id()];
    if (derivative != Graph::kZero) results[i] = graph->at(derivative);
  }
  return results;
}

void Tangent::know(const Expr& e, const Expr& rate) {
  if (e.graph() != nullptr) known_.set(e.id(), e.graph()->bind(rate).id());
}

/// Depth first over nodes not yet known; those known from earlier calls are not entered again. A node is finished when all
/// operands of its present form are known (the form may have become a cheaper one while they were worked out).
void Tangent::differentiate(NodeId root) {
  Graph& graph = *graph_;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    if (known_[id] != kUnknown) {
      stack_.pop_back();
      continue;
    }
    const auto args = graph.args(id);
    const std::size_t depth = stack_.size();
    for (const NodeId arg : args)
      if (known_[arg] == kUnknown) stack_.push_back(arg);
    if (stack_.size() != depth) continue;
    stack_.pop_back();
    if (args.empty()) {
      const Expr* rate = rates_.find(id);
      known_.set(id, rate == nullptr ? Graph::kZero : graph.bind(*rate).id());
      continue;
    }
    x_.clear(), dx_.clear();
    bool constant = true;
    for (const NodeId arg : args) {
      x_.push_back(graph.at(arg));
      const NodeId d = known_[arg];
      dx_.push_back(d == Graph::kZero ? Expr() : graph.at(d));
      constant = constant && d == Graph::kZero;
    }
    const Op op = graph.op(id);
    const int exponent = op == Op::Pow || op == Op::Root ? graph.exponent(id) : 0;
    known_.set(id, constant ? Graph::kZero : graph.bind(chain_rule(op, exponent, graph.at(id), x_, dx_)).id());
  }
}

Expr Tangent::operator()(const Expr& e) { return (*this)(std::span<const Expr>(&e, 1)).front(); }

std::vector<Expr> derivative(std::span<const Expr> es, const Expr& symbol) {
  return Tangent(Substitution{{symbol, 1}})(es);
}

Expr derivative(const Expr& e, const Expr& symbol) { return Tangent(Substitution{{symbol, 1}})(e); }

Expr time_derivative(const Expr& e, const Substitution& rates) { return Tangent(rates)(e); }

Expr Jacobian::at(int row, int column) const {
  const auto found = std::lower_bound(entries.begin(), entries.end(), std::pair{row, column},
                                      [](const Entry& entry, const std::pair<int, int>& place) {
                                        return std::pair{entry.row, entry.column} < place;
                                      });
  return found != entries.end() && found->row == row && found->column == column ? found->value : Expr();
}

Jacobian jacobian(std::span<const Expr> outputs, std::span<const Expr> inputs) {
  Jacobian result;
  result.rows = static_cast<int>(outputs.size());
  result.columns = static_cast<int>(inputs.size());
  Graph* graph = common_graph(outputs);
  if (graph == nullptr) return result;
  for (const auto& input : inputs)
    if (!input.is_symbol()) throw ModelError(fmt::format("'{}' is not a symbol", input.to_string()));

  // One forward sweep per input over the nodes that depend on it. The tape is made once; each sweep writes into flat
  // arrays and clears only what it touched.
  const Tape tape = record(*graph, outputs);
  std::vector<std::vector<std::uint32_t>> users(tape.entries.size());
  for (std::uint32_t i = 0; i < tape.entries.size(); ++i)
    for (const auto operand : tape.args(tape.entries[i])) users[operand].push_back(i);

  std::vector<Expr> d(tape.entries.size()), partials(tape.operands.size()), x, dx;
  std::vector<bool> reached(tape.entries.size());
  std::vector<std::uint32_t> sweep;
  for (int column = 0; column < result.columns; ++column) {
    const Expr& input = inputs[at(column)];
    const auto start = input.graph() == graph ? tape.find(input.id()) : Tape::kNowhere;
    if (start == Tape::kNowhere) continue;
    sweep.assign(1, start);
    reached[start] = true;
    for (std::size_t i = 0; i < sweep.size(); ++i)
      for (const auto user : users[sweep[i]])
        if (!reached[user]) reached[user] = true, sweep.push_back(user);
    std::sort(sweep.begin(), sweep.end());
    d[start] = 1;
    for (const auto i : sweep) {
      if (i == start) continue;
      const auto& entry = tape.entries[i];
      x.clear(), dx.clear();
      for (const auto operand : tape.args(entry)) {
        x.push_back(graph->at(tape.entries[operand].id));
        dx.push_back(d[operand]);
      }
      d[i] = chain_rule(entry.op, entry.exponent, graph->at(entry.id), x, dx,
                        std::span(partials).subspan(entry.first, entry.count));
    }
    for (int row = 0; row < result.rows; ++row) {
      const auto& output = outputs[at(row)];
      if (output.graph() == nullptr) continue;
      const Expr& value = d[tape.find(output.id())];
      if (!value.is_zero()) result.entries.push_back({row, column, value});
    }
    for (const auto i : sweep) d[i] = Expr(), reached[i] = false;
  }
  std::sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
    return std::pair{a.row, a.column} < std::pair{b.row, b.column};
  });
  return result;
}

}  // namespace kane
