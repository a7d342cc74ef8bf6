#include "kane/expr/textbook/atoms.hpp"

#include <algorithm>
#include <cctype>

#include "kane/expr/print.hpp"

namespace kane::textbook {

Angle sum(const Angle& a, const Angle& b, const Rational& factor) {
  if (factor == 0) return a;
  Angle result;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      result.emplace_back(j->first, j->second * factor);
      ++j;
    } else {
      const Rational c = i->second + j->second * factor;
      if (c != 0) result.emplace_back(i->first, c);
      ++i, ++j;
    }
  }
  return result;
}

Angle multiple(const Angle& a, const Rational& factor) { return sum({}, a, factor); }

Atoms::Atoms(Graph& graph, const LiteralOptions& options, std::function<Written(NodeId)> write)
    : graph_(graph), options_(options), write_(std::move(write)) {}

/// As the caller says, otherwise by the name: u1 is a speed, x' a derivative, and x a coordinate if there is an x'.
Rank Atoms::rank_of(NodeId symbol) const {
  if (graph_.op(symbol) == Op::Pi) return Rank::Parameter;
  const auto listed = [&](const std::vector<Expr>& list) {
    return std::any_of(list.begin(), list.end(), [&](const Expr& e) { return e == graph_.at(symbol); });
  };
  if (listed(options_.accelerations)) return Rank::Acceleration;
  if (listed(options_.speeds)) return Rank::Speed;
  if (listed(options_.coordinates)) return Rank::Coordinate;
  const std::string& name = graph_.name(symbol);
  std::string_view stem = name;
  int level = 0;
  while (!stem.empty() && stem.back() == '\'') stem.remove_suffix(1), ++level;
  const auto is_stem = [&](char letter) {
    return !stem.empty() && stem[0] == letter &&
           (stem.size() == 1 || stem[1] == '_' || std::isdigit(static_cast<unsigned char>(stem[1])) != 0);
  };
  if (is_stem('u')) ++level;
  if (level >= 2) return Rank::Acceleration;
  if (level == 1) return Rank::Speed;
  return is_stem('q') || graph_.find_symbol(name + "'").is_symbol() ? Rank::Coordinate : Rank::Parameter;
}

int Atoms::leaf(NodeId node) {
  const auto [known, fresh] = by_node_.emplace(node, static_cast<int>(atoms_.size()));
  if (!fresh) return known->second;
  Atom atom;
  atom.node = node;
  atom.rank = rank_of(node);
  atom.text = to_text(graph_.at(node));
  atom.latex = to_latex(graph_.at(node));
  atom.is_latex_power = atom.latex.find('^') != std::string::npos;
  atoms_.push_back(std::move(atom));
  return known->second;
}

int Atoms::function(NodeId node) {
  if (const auto known = by_node_.find(node); known != by_node_.end()) return known->second;
  Atom atom;
  atom.kind = AtomKind::Function;
  atom.rank = Rank::Function;
  atom.node = node;
  write_function(atom);
  atoms_.push_back(std::move(atom));
  by_node_.emplace(node, static_cast<int>(atoms_.size()) - 1);
  return static_cast<int>(atoms_.size()) - 1;
}

/// Functions of one argument with the argument in its textbook form; others as the graph has them.
void Atoms::write_function(Atom& atom) {
  const Op op = graph_.op(atom.node);
  const auto args = graph_.args(atom.node);
  atom.is_text_power = op == Op::Root;
  atom.is_latex_power = op == Op::Exp || op == Op::Root || op == Op::Select;
  constexpr std::size_t kLongest = 10'000;
  if (info(op).arity != 1 || op == Op::Root || op == Op::Floor) {
    const std::string text = to_text(graph_.at(atom.node), {.max_nodes = kLongest});
    const bool comparison = op == Op::Less || op == Op::LessEqual || op == Op::Equal;
    atom.text = comparison ? "(" + text + ")" : text;
    atom.latex = to_latex(graph_.at(atom.node), {.max_nodes = kLongest});
    if (comparison || op == Op::Mod) atom.latex = "\\left(" + atom.latex + "\\right)";
    atom.operations = 1;
    return;
  }
  const Written argument = write_(args[0]);
  atom.operations = argument.operations + 1;
  atom.text = std::string(info(op).text) + "(" + argument.text + ")";
  switch (op) {
    case Op::Sqrt: atom.latex = "\\sqrt{" + argument.latex + "}"; break;
    case Op::Abs: atom.latex = "\\left|" + argument.latex + "\\right|"; break;
    case Op::Exp: atom.latex = "e^{" + argument.latex + "}"; break;
    default: atom.latex = std::string(info(op).latex) + "\\left(" + argument.latex + "\\right)";
  }
}

int Atoms::trigonometric(AtomKind kind, const Angle& angle) {
  if (const auto known = by_angle_.find({kind, angle}); known != by_angle_.end()) return known->second;
  Atom atom;
  atom.kind = kind;
  atom.rank = Rank::Function;
  atom.angle = angle;
  write_angle(atom);
  atoms_.push_back(std::move(atom));
  by_angle_.emplace(std::pair(kind, angle), static_cast<int>(atoms_.size()) - 1);
  return static_cast<int>(atoms_.size()) - 1;
}

void Atoms::write_angle(Atom& atom) {
  std::string text, latex;
  int operations = 1;
  for (const auto& [node, coefficient] : atom.angle) {
    const bool first = text.empty(), negative = coefficient < 0;
    const Rational size = abs(coefficient);
    const mpz_class &n = size.get_num(), &d = size.get_den();
    text += first ? (negative ? "-" : "") : (negative ? " - " : " + ");
    latex += first ? (negative ? "-" : "") : (negative ? " - " : " + ");
    operations += first ? 0 : 1;
    if (node == Graph::kOne) {
      text += kane::to_text(size);
      latex += d == 1 ? n.get_str() : "\\frac{" + n.get_str() + "}{" + d.get_str() + "}";
      continue;
    }
    Written part = write_(node);
    operations += part.operations + (size == 1 ? 0 : 1);
    if (part.is_sum && (size != 1 || negative)) {
      part.text = "(" + part.text + ")";
      part.latex = "\\left(" + part.latex + "\\right)";
    }
    if (n == 1) {
      text += part.text + (d == 1 ? "" : "/" + d.get_str());
      latex += d == 1 ? part.latex : "\\frac{" + part.latex + "}{" + d.get_str() + "}";
    } else {
      text += kane::to_text(size) + "*" + part.text;
      latex += (d == 1 ? n.get_str() : "\\frac{" + n.get_str() + "}{" + d.get_str() + "}") + "\\," + part.latex;
    }
  }
  atom.bare_argument = atom.angle.size() == 1 && atom.angle[0].second == 1 && atom.angle[0].first != Graph::kOne &&
                       graph_.op(atom.angle[0].first) == Op::Symbol;
  atom.latex_argument = atom.bare_argument ? latex : "\\left(" + latex + "\\right)";
  atom.text = atom.latex_name().substr(1) + "(" + text + ")";
  atom.latex = atom.latex_name() + (atom.bare_argument ? " " : "") + atom.latex_argument;
  atom.operations = operations;
}

int Atoms::denominator(const Polynomial& below) {
  if (const auto known = by_sum_.find(below); known != by_sum_.end()) return known->second;
  Atom atom;
  atom.kind = AtomKind::Denominator;
  for (const auto& [m, c] : below)
    for (const auto& p : m) atom.rank = std::max(atom.rank, (*this)[p.atom].rank);
  atom.below = below;
  atoms_.push_back(std::move(atom));
  by_sum_.emplace(below, static_cast<int>(atoms_.size()) - 1);
  return static_cast<int>(atoms_.size()) - 1;
}

bool Atoms::before(int a, int b) const {
  const Atom &x = (*this)[a], &y = (*this)[b];
  if (x.rank != y.rank) return x.rank < y.rank;
  if (x.is_circular() != y.is_circular()) return x.is_circular();
  if (x.is_circular()) {
    if (x.angle != y.angle) return x.angle < y.angle;
    return x.kind < y.kind;
  }
  if (x.kind != y.kind) return x.kind < y.kind;
  return x.kind == AtomKind::Denominator ? a < b : x.node < y.node;
}

int Atoms::radical_index(int atom) const {
  if ((*this)[atom].kind != AtomKind::Function) return 0;
  const NodeId node = (*this)[atom].node;
  switch (graph_.op(node)) {
    case Op::Sqrt:
    case Op::Abs: return 2;
    case Op::Root: return graph_.exponent(node);
    default: return 0;
  }
}

}  // namespace kane::textbook
