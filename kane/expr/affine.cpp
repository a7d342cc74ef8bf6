#include "kane/expr/affine.hpp"

#include <array>
#include <unordered_map>

#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/tape.hpp"

namespace kane {

namespace {

/// Sparse affine form: (index of symbol, coefficient) ascending, and the remainder.
struct SparseAffine {
  std::vector<std::pair<int, Expr>> terms;
  Expr remainder;
};

SparseAffine combine(const SparseAffine& a, const SparseAffine& b, bool minus) {
  SparseAffine sum;
  sum.remainder = minus ? a.remainder - b.remainder : a.remainder + b.remainder;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      sum.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      sum.terms.emplace_back(j->first, minus ? -j->second : j->second);
      ++j;
    } else {
      Expr c = minus ? i->second - j->second : i->second + j->second;
      if (!c.is_zero()) sum.terms.emplace_back(i->first, c);
      ++i, ++j;
    }
  }
  return sum;
}

SparseAffine scale(const SparseAffine& a, const Expr& factor) {
  SparseAffine product;
  product.remainder = a.remainder * factor;
  for (const auto& [i, c] : a.terms) product.terms.emplace_back(i, c * factor);
  return product;
}

/// One pass, operands first. Nodes that contain none of the symbols are their own remainder and are not stored.
class Extractor {
 public:
  explicit Extractor(std::span<const Expr> symbols) : symbols_(symbols) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (!symbols[i].is_symbol()) throw ModelError(fmt::format("'{}' is not a symbol", symbols[i].to_string()));
      forms_[symbols[i].id()] = SparseAffine{{{static_cast<int>(i), Expr(1)}}, Expr()};
    }
  }

  /// False (with the first offending term) if e is not affine.
  bool extract(const Expr& e, Expr& offender) {
    if (e.graph() == nullptr) return true;
    Graph& graph = *e.graph();
    const Tape tape = record(graph, std::span<const Expr>(&e, 1));
    std::vector<bool> curved(tape.entries.size());
    bool found = false;
    for (std::size_t i = 0; i < tape.entries.size(); ++i) {
      const auto& entry = tape.entries[i];
      bool constant = true;
      for (const auto operand : tape.args(entry)) {
        constant = constant && !forms_.contains(tape.entries[operand].id) && !curved[operand];
        curved[i] = curved[i] || curved[operand];
      }
      if (constant || curved[i] || forms_.contains(entry.id)) continue;
      if (step(graph, tape, entry) || step_if_constant(graph.at(entry.id))) continue;
      curved[i] = true;
      if (!found) offender = graph.at(entry.id);
      found = true;
    }
    // The parts are not affine, but the whole may still be.
    return !curved.back() || step_by_proof(e);
  }

  [[nodiscard]] Affine dense(const Expr& e) const {
    Affine result;
    result.coefficients.resize(symbols_.size());
    const auto form = e.graph() == nullptr ? forms_.end() : forms_.find(e.id());
    if (form == forms_.end()) {
      result.remainder = e;
      return result;
    }
    result.remainder = form->second.remainder;
    for (const auto& [i, c] : form->second.terms) result.coefficients[static_cast<std::size_t>(i)] = c;
    return result;
  }

 private:
  [[nodiscard]] SparseAffine form(Graph& graph, NodeId id) const {
    const auto known = forms_.find(id);
    return known == forms_.end() ? SparseAffine{{}, graph.at(id)} : known->second;
  }

  bool step(Graph& graph, const Tape& tape, const Tape::Entry& entry) {
    std::array<NodeId, 3> args{};
    if (entry.count > 3) return false;
    for (std::size_t i = 0; i < entry.count; ++i) args[i] = tape.entries[tape.args(entry)[i]].id;
    const NodeId id = entry.id;
    switch (entry.op) {
      case Op::Neg: forms_[id] = scale(form(graph, args[0]), -1); return true;
      case Op::Add:
      case Op::Sub: forms_[id] = combine(form(graph, args[0]), form(graph, args[1]), entry.op == Op::Sub); return true;
      case Op::Mul: {
        const auto a = form(graph, args[0]), b = form(graph, args[1]);
        if (!a.terms.empty() && !b.terms.empty()) return false;
        forms_[id] = a.terms.empty() ? scale(b, a.remainder) : scale(a, b.remainder);
        return true;
      }
      case Op::Div: {
        const auto a = form(graph, args[0]), b = form(graph, args[1]);
        if (!b.terms.empty()) return false;
        forms_[id] = scale(a, 1 / b.remainder);
        return true;
      }
      case Op::Select: {
        const auto condition = form(graph, args[0]), a = form(graph, args[1]), b = form(graph, args[2]);
        if (!condition.terms.empty()) return false;
        forms_[id] =
            combine(scale(a, select(condition.remainder, 1, 0)), scale(b, select(condition.remainder, 0, 1)), false);
        return true;
      }
      default: return false;
    }
  }

  /// x/(x*w) is written with x but does not depend on it.
  bool step_if_constant(const Expr& e) {
    for (const auto& symbol : symbols_)
      if (!derivative(e, symbol).is_zero()) return false;
    forms_[e.id()] = SparseAffine{{}, without_symbols(e)};
    return true;
  }

  /// By derivatives: e is affine if its derivatives do not change with the symbols, and then e minus its affine form
  /// is identically zero. For forms such as (u+1)^2 - u^2, whose parts are not affine.
  bool step_by_proof(const Expr& e) {
    SparseAffine affine;
    Expr left_over = e;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const Expr c = derivative(e, symbols_[i]);
      if (c.is_zero()) continue;
      for (const auto& symbol : symbols_)
        if (!derivative(c, symbol).is_zero()) return false;
      const Expr bare = without_symbols(c);
      affine.terms.emplace_back(static_cast<int>(i), bare);
      left_over -= bare * symbols_[i];
    }
    for (const auto& symbol : symbols_)
      if (!derivative(left_over, symbol).is_zero()) return false;
    affine.remainder = without_symbols(left_over);
    forms_[e.id()] = std::move(affine);
    return true;
  }

  /// The same value, written without the symbols: e does not depend on them, so any number will do in their place where
  /// nothing is divided by zero.
  [[nodiscard]] Expr without_symbols(const Expr& e) const {
    if (e.graph() == nullptr) return e;
    for (const int number : {0, 1, 2, 3, 5, 7, 11}) {
      Substitution numbers;
      for (std::size_t i = 0; i < symbols_.size(); ++i)
        numbers.set(symbols_[i], number == 0 ? 0 : number + static_cast<int>(i));
      try {
        const Expr bare = e.graph()->bind(substitute(e, numbers));
        if (bare == e) return bare;
      } catch (const ModelError&) {  // a division by zero, or the logarithm of a negative number
      }
    }
    return e;
  }

  std::span<const Expr> symbols_;
  std::unordered_map<NodeId, SparseAffine> forms_;
};

}  // namespace

std::vector<Affine> affine_in(std::span<const Expr> es, std::span<const Expr> symbols, std::string_view what) {
  Extractor extractor(symbols);
  std::vector<Affine> results;
  for (const auto& e : es) {
    Expr offender;
    if (!extractor.extract(e, offender))
      throw ModelError(fmt::format(
          "{} is not linear in {}: it contains the term '{}'", what,
          [&] {
            std::string names;
            for (const auto& s : symbols_of({&offender, 1}))
              for (const auto& symbol : symbols)
                if (s == symbol) names += (names.empty() ? "" : ", ") + s.name();
            return names;
          }(),
          offender.to_string()));
    results.push_back(extractor.dense(e));
  }
  return results;
}

Affine affine_in(const Expr& e, std::span<const Expr> symbols, std::string_view what) {
  return affine_in(std::span<const Expr>(&e, 1), symbols, what).front();
}

std::optional<Affine> find_affine(const Expr& e, std::span<const Expr> symbols) {
  Extractor extractor(symbols);
  Expr offender;
  if (!extractor.extract(e, offender)) return std::nullopt;
  return extractor.dense(e);
}

}  // namespace kane
