#pragma once
// Internal to expr: the forms of all nodes below a set of roots, as they are now. Building new nodes may give a class a
// cheaper form at any time, so code that builds while it walks must walk a tape, not the graph.

#include <cstdint>
#include <span>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/expr/node_map.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

struct Tape {
  struct Entry {
    NodeId id;
    Op op;
    int exponent;
    std::uint32_t first;  ///< index of its first operand
    std::uint32_t count;
  };
  std::vector<Entry> entries;           ///< operands before users
  std::vector<std::uint32_t> operands;  ///< positions in entries
  NodeMap<std::uint32_t> place;         ///< index of a node in entries; kNowhere if it is not there

  static constexpr std::uint32_t kNowhere = 0xffffffffU;

  explicit Tape(std::size_t graph_size) : place(graph_size, kNowhere) {}

  [[nodiscard]] std::span<const std::uint32_t> args(const Entry& entry) const {
    return std::span(operands).subspan(entry.first, entry.count);
  }
  [[nodiscard]] std::uint32_t find(NodeId id) const { return place[id]; }
};

[[nodiscard]] inline Tape record(const Graph& graph, std::span<const Expr> roots) {
  Tape tape(graph.size());
  const auto order = topological_order(roots);
  tape.entries.reserve(order.size());
  for (const NodeId id : order) {
    tape.place.set(id, static_cast<std::uint32_t>(tape.entries.size()));
    const auto args = graph.args(id);
    const Op op = graph.op(id);
    tape.entries.push_back({id, op, op == Op::Pow || op == Op::Root ? graph.exponent(id) : 0,
                            static_cast<std::uint32_t>(tape.operands.size()), static_cast<std::uint32_t>(args.size())});
    for (const NodeId arg : args) tape.operands.push_back(tape.place[arg]);
  }
  return tape;
}

}  // namespace kane
