#pragma once
// Internal to literal(): a node of the graph multiplied out.

#include <unordered_map>

#include "kane/expr/textbook/trig.hpp"

namespace kane::textbook {

class Expansion {
 public:
  Expansion(Atoms& atoms, Trigonometry& trigonometry, Budget& budget)
      : atoms_(atoms), trigonometry_(trigonometry), budget_(budget) {}

  /// Throws TooLong.
  Polynomial operator()(NodeId root) { return without_squared_roots(with_roots_below(expanded(root))); }

  /// above/below: a product below the line as negative powers, a sum as an atom of its own without its common factors.
  Polynomial quotient(const Polynomial& above, const Polynomial& below);
  /// The same, with a divisor that is already as short as it gets.
  Polynomial divide(const Polynomial& above, const Polynomial& divisor);

 private:
  const Polynomial& expanded(NodeId root);
  Polynomial shortest_form(const Polynomial& p);
  Polynomial with_roots_below(const Polynomial& p);
  Polynomial without_squared_roots(const Polynomial& p);
  Polynomial expand(NodeId id);
  Polynomial quotient_by_factors(const Polynomial& above, NodeId below);
  std::optional<Polynomial> cancel(const Polynomial& above, const Polynomial& below);
  Polynomial reduce_radicals(Polynomial p);
  [[nodiscard]] const Polynomial& known(NodeId id) const { return known_.at(id); }

  Atoms& atoms_;
  Trigonometry& trigonometry_;
  Budget& budget_;
  std::unordered_map<NodeId, Polynomial> known_;
  std::map<Polynomial, int> radicals_;  ///< square roots met so far, by radicand
};

}  // namespace kane::textbook
