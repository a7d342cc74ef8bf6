#include "kane/expr/abbreviate.hpp"

#include "kane/expr/tape.hpp"

namespace kane {

Abbreviations::Abbreviations(std::string prefix, std::size_t max_size)
    : prefix_(std::move(prefix)), max_size_(max_size), scratch_(std::make_unique<Graph>()) {}

std::vector<Expr> Abbreviations::shorten(std::span<const Expr> es) {
  std::vector<Expr> results(es.begin(), es.end());
  Graph* graph = common_graph(es);
  if (graph == nullptr) return results;
  const Tape tape = record(*graph, es);
  std::vector<int> users(tape.entries.size());
  for (const auto operand : tape.operands) ++users[operand];

  std::vector<Expr> args;
  for (std::size_t i = 0; i < tape.entries.size(); ++i) {
    const auto& entry = tape.entries[i];
    if (known_.contains(entry.id)) continue;
    if (entry.count == 0) {
      const Expr leaf = entry.op == Op::Number   ? scratch_->number(graph->number_value(entry.id))
                        : entry.op == Op::Symbol ? scratch_->symbol(graph->name(entry.id))
                                                 : scratch_->pi();
      known_.emplace(entry.id, std::pair{leaf, std::size_t{1}});
      continue;
    }
    args.clear();
    std::size_t size = 1;
    for (const auto operand : tape.args(entry)) {
      const auto& [value, part] = known_.at(tape.entries[operand].id);
      args.push_back(value);
      size += part;
    }
    Expr value = entry.op == Op::Call ? scratch_->call(graph->name(entry.id), args)
                                      : scratch_->make(entry.op, args, entry.exponent);
    // A part gets a name when it is long, or when it is used again and not trivial. Signs and angles never do.
    const bool again = users[i] > 1 && size > 5;
    const bool plain = entry.op == Op::Neg || value.is_number() || value.is_symbol();
    if (!plain && (size > max_size_ || again)) {
      const std::string name = prefix_ + std::to_string(definitions_.size() + 1);
      definitions_.push_back({name, value});
      value = scratch_->symbol(name);
      size = 1;
    }
    known_.emplace(entry.id, std::pair{value, size});
  }
  for (auto& e : results)
    if (e.graph() != nullptr) e = known_.at(e.id()).first;
  return results;
}

}  // namespace kane
