#pragma once
// Internal to literal(): the atoms that a textbook polynomial is written in: symbols, sines and cosines of sums of
// angles, other functions, and sums in a denominator.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/textbook/polynomial.hpp"

namespace kane::textbook {

/// A sum of multiples of nodes that are not sums themselves, ascending by node; numbers are multiples of the node 1.
using Angle = std::vector<std::pair<NodeId, Rational>>;

[[nodiscard]] Angle sum(const Angle& a, const Angle& b, const Rational& factor);
[[nodiscard]] Angle multiple(const Angle& a, const Rational& factor);

enum class AtomKind { Leaf, Sine, Cosine, Tangent, Function, Denominator };

/// The place of a factor in a product as a person writes it.
enum class Rank { Parameter, Coordinate, Function, Speed, Acceleration };

struct Atom {
  AtomKind kind = AtomKind::Leaf;
  Rank rank = Rank::Parameter;
  NodeId node = 0;   ///< for Leaf and Function
  Angle angle;       ///< for Sine, Cosine and Tangent
  Polynomial below;  ///< for Denominator
  std::string text;
  std::string latex;
  std::string latex_argument;  ///< for Sine, Cosine and Tangent: with parentheses unless it is a single name
  bool bare_argument = false;  ///< for Sine, Cosine and Tangent: whether it is a single name
  bool is_text_power = false;  ///< written with an exponent: needs parentheses under another one
  bool is_latex_power = false;
  int operations = 0;  ///< in the text

  [[nodiscard]] bool is_circular() const {
    return kind == AtomKind::Sine || kind == AtomKind::Cosine || kind == AtomKind::Tangent;
  }
  [[nodiscard]] std::string latex_name() const {
    return kind == AtomKind::Sine ? "\\sin" : kind == AtomKind::Cosine ? "\\cos" : "\\tan";
  }
};

/// How a node is written on its own.
struct Written {
  std::string text;
  std::string latex;
  int operations = 0;
  bool is_sum = false;
};

class Atoms {
 public:
  /// `write` gives the textbook form of the argument of a function.
  Atoms(Graph& graph, const LiteralOptions& options, std::function<Written(NodeId)> write);

  int leaf(NodeId node);
  int function(NodeId node);
  /// The angle must not be zero and its first coefficient must be positive.
  int sine(const Angle& angle) { return trigonometric(AtomKind::Sine, angle); }
  int cosine(const Angle& angle) { return trigonometric(AtomKind::Cosine, angle); }
  int tangent(const Angle& angle) { return trigonometric(AtomKind::Tangent, angle); }
  int denominator(const Polynomial& below);

  [[nodiscard]] const Atom& operator[](int atom) const { return atoms_[at(atom)]; }
  [[nodiscard]] bool is_trigonometric(int atom) const {
    return (*this)[atom].kind == AtomKind::Sine || (*this)[atom].kind == AtomKind::Cosine;
  }
  /// The order of factors in a product.
  [[nodiscard]] bool before(int a, int b) const;
  /// For radicals sqrt(x), root(x, n) and |x|: the index (2, n, 2); 0 for other atoms.
  [[nodiscard]] int radical_index(int atom) const;

  [[nodiscard]] Graph& graph() const { return graph_; }

 private:
  int trigonometric(AtomKind kind, const Angle& angle);
  [[nodiscard]] Rank rank_of(NodeId symbol) const;
  void write_function(Atom& atom);
  void write_angle(Atom& atom);

  Graph& graph_;
  const LiteralOptions& options_;
  std::function<Written(NodeId)> write_;
  std::vector<Atom> atoms_;
  std::map<NodeId, int> by_node_;
  std::map<std::pair<AtomKind, Angle>, int> by_angle_;
  std::map<Polynomial, int> by_sum_;
};

}  // namespace kane::textbook
