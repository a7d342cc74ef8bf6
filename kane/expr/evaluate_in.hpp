#pragma once
// Evaluation in any number type. Included by tests and by evaluate.cpp; instantiates op_value<T>.

#include <functional>
#include <span>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/node_map.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/expr/value.hpp"

namespace kane {

/// Values of the expressions in T. `symbol(name)` gives the value of a symbol, `number(rational)` that of a number,
/// `call(name, args)` that of an external function.
template <class T, class SymbolValue, class NumberValue, class CallValue>
[[nodiscard]] std::vector<T> evaluate_in(std::span<const Expr> es, SymbolValue symbol, NumberValue number,
                                         CallValue call) {
  Graph* graph = common_graph(es);
  std::vector<T> results;
  results.reserve(es.size());
  const auto order = topological_order(es);
  NodeMap<std::uint32_t> place(graph == nullptr ? 0 : graph->size());
  std::vector<T> values;
  values.reserve(order.size());
  std::vector<T> operands;
  for (const NodeId id : order) {
    place.set(id, static_cast<std::uint32_t>(values.size()));
    const auto args = graph->args(id);
    operands.clear();
    for (const NodeId arg : args) operands.push_back(values[place[arg]]);
    switch (const Op op = graph->op(id); op) {
      case Op::Number: values.push_back(number(graph->number_value(id))); break;
      case Op::Symbol: values.push_back(symbol(graph->name(id))); break;
      case Op::Pi: values.push_back(pi_value<T>()); break;
      case Op::Call: values.push_back(call(graph->name(id), std::span<const T>(operands))); break;
      default: {
        const int exponent = op == Op::Pow || op == Op::Root ? graph->exponent(id) : 0;
        values.push_back(op_value<T>(op, operands, exponent));
      }
    }
  }
  for (const auto& e : es) results.push_back(e.graph() == nullptr ? number(e.number()) : values[place[e.id()]]);
  return results;
}

}  // namespace kane
