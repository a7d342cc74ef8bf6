#pragma once
// Inside of literal(): a node of the graph multiplied out.

#include <unordered_map>

#include "kane/expr/textbook_trig.hpp"

namespace kane::textbook {

class Expansion {
 public:
  Expansion(Atoms& atoms, Trigonometry& trigonometry, Budget& budget)
      : atoms_(atoms), trigonometry_(trigonometry), budget_(budget) {}

  /// Throws TooLong.
  const Polynomial& operator()(NodeId root);

 private:
  Polynomial expand(NodeId id);
  Polynomial quotient(const Polynomial& above, const Polynomial& below);
  Polynomial reduce_radicals(Polynomial p);
  [[nodiscard]] const Polynomial& known(NodeId id) const { return known_.at(id); }

  Atoms& atoms_;
  Trigonometry& trigonometry_;
  Budget& budget_;
  std::unordered_map<NodeId, Polynomial> known_;
};

}  // namespace kane::textbook
