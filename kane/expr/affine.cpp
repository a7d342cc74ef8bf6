#include "kane/expr/affine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate_in.hpp"
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

/// Coefficient by coefficient, so that a branch that is not chosen is not multiplied by zero (it may not be a number there).
SparseAffine choose(const Expr& condition, const SparseAffine& a, const SparseAffine& b) {
  SparseAffine chosen;
  chosen.remainder = select(condition, a.remainder, b.remainder);
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    const bool from_a = j == b.terms.end() || (i != a.terms.end() && i->first <= j->first);
    const bool from_b = i == a.terms.end() || (j != b.terms.end() && j->first <= i->first);
    const int symbol = from_a ? i->first : j->first;
    chosen.terms.emplace_back(symbol, select(condition, from_a ? i->second : Expr(), from_b ? j->second : Expr()));
    i += from_a ? 1 : 0, j += from_b ? 1 : 0;
  }
  return chosen;
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
    for (const auto& [i, c] : form->second.terms) result.coefficients[at(i)] = c;
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
        forms_[id] = choose(condition.remainder, a, b);
        return true;
      }
      default: return false;
    }
  }

  /// x/(x*w) is written with x but does not depend on it.
  bool step_if_constant(const Expr& e) {
    for (const auto& symbol : symbols_)
      if (!derivative(e, symbol).is_zero()) return false;
    auto bare = find_without_symbols(e);
    if (!bare) return false;
    forms_[e.id()] = SparseAffine{{}, std::move(*bare)};
    return true;
  }

  /// For forms such as (u+1)^2 - u^2, whose parts are not affine. The derivatives say what the coefficients must be; the
  /// proof is that these, and e without its linear terms, are identical to expressions in which no symbol occurs.
  /// (A derivative that vanishes proves nothing: that of u < 0 does.)
  bool step_by_proof(const Expr& e) {
    SparseAffine affine;
    Expr left_over = e;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const auto coefficient = find_without_symbols(derivative(e, symbols_[i]));
      if (!coefficient) return false;
      if (coefficient->is_zero()) continue;
      affine.terms.emplace_back(static_cast<int>(i), *coefficient);
      left_over -= *coefficient * symbols_[i];
    }
    auto remainder = find_without_symbols(left_over);
    if (!remainder) return false;
    affine.remainder = std::move(*remainder);
    forms_[e.id()] = std::move(affine);
    return true;
  }

  /// The same node, written without the symbols, if e does not depend on them: then any number will do in their place where
  /// nothing is divided by zero.
  [[nodiscard]] std::optional<Expr> find_without_symbols(const Expr& e) const {
    if (e.graph() == nullptr || !depends_on_symbols(e)) return e;
    if (varies(e)) return std::nullopt;
    int tries = 2;
    for (const int number : {0, 1, 2, 3, 5, 7, 11}) {
      Substitution numbers;
      for (std::size_t i = 0; i < symbols_.size(); ++i)
        numbers.set(symbols_[i], number == 0 ? 0 : number + static_cast<int>(i));
      try {
        Expr bare = e.graph()->bind(substitute(e, numbers));
        if (bare == e && !depends_on_symbols(bare)) return bare;
        if (--tries == 0) break;
      } catch (const ModelError&) {  // a division by zero, or the logarithm of a negative number
      }
    }
    return std::nullopt;
  }

  /// Whether e has clearly different values at two points that differ in the symbols only: spares the search for a proof.
  [[nodiscard]] bool varies(const Expr& e) const {
    const auto value_at = [&](double shift) {
      const auto symbol = [&](const std::string& name) {
        const bool moves = std::any_of(symbols_.begin(), symbols_.end(), [&](auto& s) { return s.name() == name; });
        return 0.3 + static_cast<double>(std::hash<std::string>{}(name) % 1000) * 1e-3 + (moves ? shift : 0.0);
      };
      const auto call = [](const std::string&, std::span<const double> x) {
        double sum = 0.7;
        for (const double value : x) sum = 0.9 * sum + std::sin(value);
        return sum;
      };
      return evaluate_in<double>(
                 std::span(&e, 1), symbol, [](const Rational& r) { return to_double(r); }, call)
          .front();
    };
    const double a = value_at(0.0), b = value_at(0.37);
    return std::abs(a - b) > 1e-3 * std::max({1.0, std::abs(a), std::abs(b)});
  }

  [[nodiscard]] bool depends_on_symbols(const Expr& e) const {
    const auto met = symbols_of({&e, 1});
    return std::any_of(symbols_.begin(), symbols_.end(),
                       [&](const Expr& s) { return std::find(met.begin(), met.end(), s) != met.end(); });
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
