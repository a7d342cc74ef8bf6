#include "kane/expr/graph.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/rules.hpp"
#include "kane/expr/store.hpp"

namespace kane {

Graph::Graph(GraphOptions options) : state_(std::make_unique<State>()), options_(options) {
  require(options.max_nodes >= 16, "a graph needs room for at least 16 nodes, but max_nodes is {}", options.max_nodes);
  table_.assign(1024, Slot{});
  ensure(Store(*this).number(0) == kZero && Store(*this).number(1) == kOne, "0 and 1 are the first nodes");
}

Graph::~Graph() = default;

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(options_);
  copy->blocks_.clear();
  for (const auto& block : blocks_) {
    copy->blocks_.push_back(std::make_unique<Node[]>(kBlockSize));
    std::copy_n(block.get(), kBlockSize, copy->blocks_.back().get());
  }
  copy->size_ = size_;
  copy->table_ = table_;
  *copy->state_ = *state_;
  return copy;
}

Expr Graph::bind(const Expr& e) {
  if (e.graph_ == this) return e;
  if (e.graph_ != nullptr) throw ModelError(fmt::format("the expression '{}' belongs to another graph", e.to_string()));
  return e.is_long() ? number(e.number()) : number(e.number_, e.denominator_);
}

Expr Graph::number(const Rational& value) { return at(Store(*this).number(value)); }

Expr Graph::number(std::int64_t numerator, std::int64_t denominator) {
  // Small whole numbers are needed all the time.
  NodeId* known = nullptr;
  if (denominator == 1 && numerator >= 0 && numerator < static_cast<std::int64_t>(state_->small_integers.size()))
    known = &state_->small_integers[kane::at(numerator)];
  if (known != nullptr && *known != kNoNode) return at(*known);
  const Expr result = number(Rational(numerator, denominator));
  if (known != nullptr) *known = result.id();
  return result;
}

Expr Graph::symbol(std::string_view name) {
  require(!name.empty(), "a symbol needs a name");
  return at(Store(*this).symbol(name));
}

Expr Graph::pi() { return at(Store(*this).pi()); }

Expr Graph::find_symbol(std::string_view name) {
  const auto found = state_->symbol_index.find(std::string(name));
  return found == state_->symbol_index.end() ? Expr() : at(found->second);
}

std::vector<Expr> Graph::symbols() {
  std::vector<Expr> result;
  result.reserve(state_->symbols.size());
  for (const auto& symbol : state_->symbols) result.push_back(at(symbol.node));
  return result;
}

// ---- external functions -------------------------------------------------------------------------------------------

void Graph::declare_function(std::string_view name, int arity, std::vector<std::string> derivative_names) {
  require(arity >= 1 && arity <= 1000, "the function '{}' needs 1 to 1000 arguments, not {}", name, arity);
  require(derivative_names.empty() || static_cast<int>(derivative_names.size()) == arity,
          "the function '{}' has {} arguments but {} names of derivatives", name, arity, derivative_names.size());
  for (const auto& row : kOperators)
    require(row.text != name, "'{}' is a built-in function and cannot be declared again", name);
  auto& functions = state_->functions;
  if (const auto known = state_->function_index.find(std::string(name)); known != state_->function_index.end()) {
    auto& function = functions[known->second];
    require(function.arity == arity, "the function '{}' is declared with {} arguments and with {}", name,
            function.arity, arity);
    if (derivative_names.empty()) return;
    require(function.derivatives.empty() || function.derivatives == derivative_names,
            "the function '{}' is declared twice with different derivatives", name);
    function.derivatives = std::move(derivative_names);
    return;
  }
  state_->function_index.emplace(name, functions.size());
  functions.push_back({std::string(name), arity, std::move(derivative_names)});
}

bool Graph::has_function(std::string_view name) const { return state_->function_index.contains(std::string(name)); }

int Graph::function_arity(std::string_view name) const {
  const auto known = state_->function_index.find(std::string(name));
  if (known == state_->function_index.end())
    throw ModelError(fmt::format("there is no function '{}'{}", name, suggestion(name, function_names())));
  return state_->functions[known->second].arity;
}

std::vector<std::string> Graph::function_names() const {
  std::vector<std::string> names;
  for (const auto& function : state_->functions) names.push_back(function.name);
  return names;
}

std::string Graph::derivative_name(std::string_view name, int i) {
  const int arity = function_arity(name);
  ensure(i >= 0 && i < arity, "function {} has no argument {}", name, i);
  const auto& function = state_->functions[state_->function_index.at(std::string(name))];
  std::string derivative =
      function.derivatives.empty() ? fmt::format("{}_{}", name, i + 1) : function.derivatives[kane::at(i)];
  declare_function(derivative, arity);
  return derivative;
}

Expr Graph::call(std::string_view name, std::span<const Expr> args) {
  declare_function(name, static_cast<int>(args.size()));
  std::vector<NodeId> ids;
  ids.reserve(args.size());
  for (const auto& arg : args) ids.push_back(bind(arg).id());
  return at(Store(*this).call(static_cast<NodeId>(state_->function_index.at(std::string(name))), ids));
}

Expr Graph::make(Op op, std::span<const Expr> args, int exponent) {
  ensure(info(op).arity == static_cast<int>(args.size()), "operator {} got {} operands", info(op).name, args.size());
  std::array<NodeId, 3> ids{};
  for (std::size_t i = 0; i < args.size(); ++i) ids[i] = bound_id(args[i]);
  return at(Rules(*this).make(op, ids[0], ids[1], ids[2], exponent));
}

Expr Graph::unary(Op op, const Expr& a, int exponent) {
  return at(Rules(*this).make(op, bound_id(a), kZero, kZero, exponent));
}

Expr Graph::binary(Op op, const Expr& a, const Expr& b) {
  const NodeId x = bound_id(a), y = bound_id(b);
  return at(Rules(*this).make(op, x, y, kZero, 0));
}

// ---- reading --------------------------------------------------------------------------------------------------------

std::span<const NodeId> Graph::args(NodeId id) const {
  const Node& n = node(id);
  switch (info(n.op).arity) {
    case 0: return {};
    case 1: return {&n.a, 1};
    case 2: static_assert(offsetof(Node, b) == offsetof(Node, a) + sizeof(NodeId)); return {&n.a, 2};
    default: return state_->lists[n.a];
  }
}

const Rational& Graph::number_value(NodeId id) const {
  ensure(op(id) == Op::Number, "node {} is not a number", id);
  return state_->numbers[node(id).a];
}

const std::string& Graph::name(NodeId id) const {
  const Node& n = node(id);
  ensure(n.op == Op::Symbol || n.op == Op::Call, "node {} has no name", id);
  return n.op == Op::Symbol ? state_->symbols[n.a].name : state_->functions[n.b].name;
}

std::size_t Graph::memory_bytes() const {
  std::size_t bytes = blocks_.size() * kBlockSize * sizeof(Node) + table_.capacity() * sizeof(Slot);
  bytes += state_->numbers.size() * sizeof(Rational) + state_->lists.size() * 64;
  bytes += (state_->points.size() + state_->exponentials.size()) * 96;
  for (const auto& symbol : state_->symbols) bytes += 128 + symbol.name.capacity();
  return bytes;
}

}  // namespace kane
