#include "kane/expr/literal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <tuple>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/textbook/expand.hpp"
#include "kane/expr/textbook/factor.hpp"
#include "kane/expr/textbook/fraction.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

using namespace textbook;

constexpr std::size_t kShortEnough = 2000;  // operations of the form of the graph, when that is shown instead
constexpr std::size_t kFewTerms = 8;        // a sum that may read best as it stands
constexpr int kMostNesting = 6;             // of functions whose arguments are put into textbook form too

/// Operations of the form of the graph written out; counting ends just above the limit.
std::size_t tree_size(const Graph& graph, NodeId root, std::size_t limit = kShortEnough) {
  std::vector<NodeId> stack{root};
  std::size_t count = 0;
  while (!stack.empty() && count <= limit) {
    const NodeId id = stack.back();
    stack.pop_back();
    const auto args = graph.args(id);
    if (!args.empty() && graph.op(id) != Op::Neg) ++count;
    for (const NodeId arg : args) stack.push_back(arg);
  }
  return count;
}

/// sin(a)/cos(a) = tan(a) in every term.
Polynomial with_tangents(const Polynomial& p, Atoms& atoms) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    Monomial written = m;
    for (const auto& above : m) {
      if (atoms[above.atom].kind != AtomKind::Sine || above.exponent < 1) continue;
      for (const auto& below : m) {
        if (below.exponent > -1 || atoms[below.atom].kind != AtomKind::Cosine) continue;
        const Angle angle = atoms[above.atom].angle;
        if (atoms[below.atom].angle != angle) continue;
        const int n = std::min(above.exponent, -below.exponent);
        Monomial change = product({{above.atom, -n}}, {{below.atom, n}});
        written = product(product(written, change), {{atoms.tangent(angle), n}});
      }
    }
    add_term(result, written, c);
  }
  return result;
}

bool has_sums_below(const Polynomial& p, const Atoms& atoms) {
  for (const auto& [m, c] : p)
    for (const auto& q : m)
      if (atoms[q.atom].kind == AtomKind::Denominator) return true;
  return false;
}

class Textbook {
 public:
  Textbook(Graph& graph, const LiteralOptions& options)
      : graph_(graph), options_(options), budget_(options.max_terms) {}

  Literal write(NodeId root, int depth) {
    if (depth > kMostNesting) return as_it_stands(root);
    try {
      Atoms atoms(graph_, options_, [&](NodeId node) { return write_argument(node, depth + 1); });
      Trigonometry trigonometry(atoms, options_.max_terms);
      Expansion expansion(atoms, trigonometry, budget_);
      const Polynomial expanded = expansion(root);
      Graph scratch;
      Choice choice{.original = scratch.bind(copy_to(scratch, graph_.at(root)))};
      consider(expanded, atoms, trigonometry, choice);
      // Cancellation comes last and has its own steps, so it can only shorten the result.
      const Budget left = budget_;
      if (options_.cancel)
        for (const Polynomial& form : Fractions(atoms, trigonometry, expansion, options_.max_terms).forms(expanded))
          consider(form, atoms, trigonometry, choice);
      budget_ = left;
      if (!choice.best && choice.gave_up) throw TooLong{};
      // A power or product of sums may be shorter as it stands.
      if (!choice.best || tree_size(graph_, root) * 2 < at(choice.operations)) return as_it_stands(root);
      return {.terms = choice.best->size(),
              .operations = choice.operations,
              .text = textbook::to_text(*choice.best, atoms),
              .latex = textbook::to_latex(*choice.best, atoms)};
    } catch (const TooLong&) {
      return too_long(root);
    }
  }

  /// The answer for a form past one of the limits.
  Literal too_long(NodeId root) const {
    Literal result;
    result.too_long = true;
    if (tree_size(graph_, root) <= kShortEnough) {
      result = as_it_stands(root);
      result.too_long = true;
      return result;
    }
    result.text = fmt::format("(more than {} terms: too long to be written out)", options_.max_terms);
    result.latex = fmt::format("\\text{{(more than {} terms: too long to be written out)}}", options_.max_terms);
    return result;
  }

 private:
  /// The shortest form so far, in the order of reading; none if no form could be proven equal (which is not expected).
  struct Choice {
    Expr original;  ///< in a separate graph, where forms are compared with it
    std::optional<Sum> best = std::nullopt;
    int operations = 0;
    int nested = 0;          ///< fractions inside fractions; of forms with as many operations, the one with fewest
    std::size_t length = 0;  ///< characters of the text
    bool gave_up = false;    ///< on a form that was too long
  };

  void consider(const Polynomial& p, Atoms& atoms, Trigonometry& trigonometry, Choice& choice) const {
    for (const auto& form : trigonometry.forms(p)) {
      try {  // a form that is too long to be factored leaves the others their chance
        Budget own = budget_;
        if (form.size() > options_.max_terms) throw TooLong{};
        const Polynomial written = with_tangents(form, atoms);
        consider(factor(written, atoms, Denominators::Light, own), atoms, choice);
        if (options_.cancel && has_sums_below(written, atoms))
          consider(factor(written, atoms, Denominators::Heavy, own), atoms, choice);
        if (form.size() <= kFewTerms) consider(flat(written, atoms, own), atoms, choice);
      } catch (const TooLong&) {
        choice.gave_up = true;
      }
    }
  }

  /// A square root is opaque (architecture.md), so (sqrt(x) - a)*sqrt(x)/x and 1 - a/sqrt(x) have different fingerprints.
  /// Forms with roots may agree in numbers instead, at points where all is real.
  static bool agree_in_numbers(const Expr& a, const Expr& b) {
    constexpr int kPoints = 12, kEnough = 4;
    constexpr double kTolerance = 1e-9;
    const std::array<Expr, 2> both{a, b};
    std::mt19937_64 engine(42);
    std::uniform_real_distribution<double> dice(0.1, 2.5);
    int agreed = 0;
    try {
      for (int i = 0; i < kPoints && agreed < kEnough; ++i) {
        Values values;
        for (const Expr& s : symbols_of(both)) values[s.name()] = dice(engine);
        const std::vector<double> v = evaluate(both, values);
        if (!std::isfinite(v[0]) && !std::isfinite(v[1])) continue;
        if (!(std::abs(v[0] - v[1]) <= kTolerance * std::max(1.0, std::abs(v[0])))) return false;
        ++agreed;
      }
    } catch (const ModelError&) {  // functions of the user's
      return false;
    }
    return agreed == kEnough;
  }

  static bool is_same(const Expr& form, const Expr& original) {
    if (form == original) return true;
    Graph& graph = *original.graph();
    const std::vector<NodeId> nodes = topological_order({&original, 1});
    const bool roots = std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return graph.op(id) == Op::Sqrt || graph.op(id) == Op::Root || graph.op(id) == Op::Abs;
    });
    return roots && agree_in_numbers(form, original);
  }

  static void consider(Sum sum, const Atoms& atoms, Choice& choice) {
    put_in_order(sum, atoms);
    const int operations = textbook::count_operations(sum, atoms);
    const std::size_t length = textbook::to_text(sum, atoms).size();
    const int nested = textbook::count_nested_fractions(sum);
    if (choice.best &&
        std::tuple(operations, nested, length) >= std::tuple(choice.operations, choice.nested, choice.length))
      return;
    if (!is_same(build(sum, atoms, *choice.original.graph()), choice.original)) return;
    choice.best = std::move(sum), choice.operations = operations, choice.nested = nested, choice.length = length;
  }

  Written write_argument(NodeId node, int depth) {
    if (graph_.op(node) == Op::Symbol || graph_.op(node) == Op::Pi || graph_.op(node) == Op::Number)
      return {kane::to_text(graph_.at(node)), kane::to_latex(graph_.at(node)), 0, false};
    Literal inner = write(node, depth);
    if (inner.too_long) throw TooLong{};
    const bool product = inner.terms == 1 && inner.text[0] != '-';
    return {std::move(inner.text), std::move(inner.latex), inner.operations, !product};
  }

  /// The form of the graph.
  Literal as_it_stands(NodeId root) const {
    const std::size_t size = tree_size(graph_, root);
    if (size > kShortEnough) throw TooLong{};
    Literal result;
    const Op op = graph_.op(root);
    result.terms = op == Op::Add || op == Op::Sub ? 2 : 1;
    result.operations = static_cast<int>(size);
    result.text = kane::to_text(graph_.at(root));
    result.latex = kane::to_latex(graph_.at(root));
    return result;
  }

  Graph& graph_;
  const LiteralOptions& options_;
  Budget budget_;
};

}  // namespace

Literal literal(const Expr& e, const LiteralOptions& options) {
  if (e.graph() != nullptr) {
    Textbook textbook(*e.graph(), options);
    const std::size_t most = options.max_operations;
    const bool hopeless = most > 0 && tree_size(*e.graph(), e.id(), most) > most;
    return hopeless ? textbook.too_long(e.id()) : textbook.write(e.id(), 0);
  }
  Literal result;
  result.terms = 1;
  result.text = to_text(e);
  result.latex = to_latex(e);
  return result;
}

}  // namespace kane
