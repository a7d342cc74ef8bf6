#include "kane/mechanics/singularity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/rates.hpp"

namespace kane {
namespace {

constexpr std::size_t kReadable = 80;  // characters of a condition
constexpr std::size_t kMostTerms = 40;
constexpr std::size_t kMostOperations = 120;  // of the graph's form, written out: five times what fits in kReadable
constexpr int kMostPowers = 8;                // of one factor

/// A candidate for a factor, and the value of `variable` at two of its roots, given the value of `other`.
struct Candidate {
  Expr factor;
  Expr variable;
  std::function<double(double other, int root)> root;
  Expr other = 0;
};

class Conditions {
 public:
  explicit Conditions(const System& s) : s_(s) {}

  void add(const Expr& divisor) {
    for (Expr factor : factors_of(divisor)) {
      factor = without_parameters(factor);
      for (const Candidate& c : candidates(factor)) {
        if (vanishes(factor, c))
          note(c.factor.to_string() + " = 0");
        else if (!vanishes(1 / factor, c))
          continue;
        factor = without(factor, c);
        if (constant(factor)) break;
      }
      if (!constant(factor)) note(describe(factor));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string r;
    for (const std::string& c : conditions_) r += (r.empty() ? "" : " or ") + c;
    return r;
  }

 private:
  void note(const std::string& condition) {
    if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
      conditions_.push_back(condition);
    }
  }

  [[nodiscard]] bool is_parameter(const Expr& symbol) const {
    return s_.find_kind(symbol.name()) == SymbolKind::Parameter;
  }

  [[nodiscard]] static std::vector<Expr> symbols(const Expr& e) {
    return e.graph() == nullptr ? std::vector<Expr>() : symbols_of(std::span(&e, 1));
  }

  [[nodiscard]] std::vector<Expr> variables(const Expr& e) const { return find_variables(s_, e); }

  [[nodiscard]] bool constant(const Expr& e) const { return variables(e).empty(); }

  /// Factors of the numerator as the graph has them.
  [[nodiscard]] std::vector<Expr> factors_of(const Expr& divisor) const {
    std::vector<Expr> r, stack{divisor};
    while (!stack.empty()) {
      const Expr e = stack.back();
      stack.pop_back();
      if (constant(e)) continue;
      Graph& graph = *e.graph();
      const auto args = graph.args(e.id());
      switch (graph.op(e.id())) {
        case Op::Mul: stack.push_back(graph.at(args[1])); [[fallthrough]];
        case Op::Neg:
        case Op::Div:
        case Op::Sqrt: stack.push_back(graph.at(args[0])); break;
        case Op::Pow:
          if (graph.exponent(e.id()) > 0) stack.push_back(graph.at(args[0]));
          break;
        default: r.push_back(e);
      }
    }
    return r;
  }

  [[nodiscard]] std::vector<Candidate> candidates(const Expr& e) const {
    using std::numbers::pi;
    std::vector<Candidate> r;
    const std::vector<Expr> all = variables(e);
    for (const Expr& q : all) {
      r.push_back({sin(q), q, [](double, int k) { return k * pi; }});
      r.push_back({cos(q), q, [](double, int k) { return (k - 0.5) * pi; }});
      r.push_back({q, q, [](double, int) { return 0.0; }});
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        for (const int sign : {1, -1}) {
          const Expr angle = all[i] + sign * all[j];
          r.push_back({sin(angle), all[i], [sign](double b, int k) { return k * pi - sign * b; }, all[j]});
          r.push_back({cos(angle), all[i], [sign](double b, int k) { return (k - 0.5) * pi - sign * b; }, all[j]});
        }
      }
    }
    return r;
  }

  /// Parameters that are factors as a whole, above or below the line: e or 1/e vanishes with them.
  [[nodiscard]] Expr without_parameters(Expr e) const {
    for (const Expr& p : symbols(e)) {
      if (!is_parameter(p)) continue;
      const Candidate zero{p, p, [](double, int) { return 0.0; }};
      e = without(e, zero);
    }
    return e;
  }

  /// e without a factor, above or below the line.
  [[nodiscard]] static Expr without(Expr e, const Candidate& c) {
    for (int power = 0; power < kMostPowers && vanishes(e, c); ++power) e = e / c.factor;
    for (int power = 0; power < kMostPowers && vanishes(1 / e, c); ++power) e = e * c.factor;
    return e;
  }

  /// e = 0 at both roots of the candidate, wherever the other symbols are.
  [[nodiscard]] static bool vanishes(const Expr& e, const Candidate& c) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> anywhere(0.4, 1.6);
    bool known = false;
    for (int k = 0; k < 6; ++k) {
      Values v;
      for (const Expr& x : symbols(e)) v[x.name()] = anywhere(random);
      v[c.variable.name()] = anywhere(random);
      double size = 0, value = 0;
      try {
        size = std::abs(evaluate(e, v));
        v[c.variable.name()] = c.root(c.other.is_zero() ? 0 : v[c.other.name()], k % 2);
        value = std::abs(evaluate(e, v));
      } catch (const ModelError&) {
        return false;  // an external function
      }
      if (!std::isfinite(size)) continue;
      known = true;
      if (!(value < 1e-10 * size)) return false;
    }
    return known;
  }

  [[nodiscard]] std::string describe(const Expr& e) const {
    // A form that is long before it is simplified rarely ends short, and simplifying it takes longer than deriving all
    // equations of a bicycle.
    const LiteralOptions short_forms{.max_terms = kMostTerms, .max_operations = kMostOperations};
    Literal text = literal(e, short_forms);
    if (text.text.starts_with('-')) text = literal(-e, short_forms);
    if (!text.too_long && text.text.size() <= kReadable) return text.text + " = 0";
    std::string names;
    const std::vector<Expr> all = variables(e);
    for (std::size_t i = 0; i < all.size(); ++i) {
      names += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i].name();
    }
    return "a determinant that depends on " + names + " is zero";
  }

  const System& s_;
  std::vector<std::string> conditions_;
};

}  // namespace

std::string singular_conditions(const System& system, std::span<const Expr> divisors) {
  Conditions conditions(system);
  for (const Expr& d : divisors) conditions.add(d);
  return conditions.text();
}

}  // namespace kane
