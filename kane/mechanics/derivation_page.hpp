#pragma once
// Kane's method on paper: the equations of motion, then the eight steps of Buffinton section 6.3, as a page of text and
// formulas.

#include <map>
#include <set>
#include <string>

#include "kane/base/page.hpp"
#include "kane/mechanics/kane.hpp"

namespace kane {

struct DerivationPageOptions {
  /// A formula with more terms than this is written through intermediate variables Z1, Z2, ...
  std::size_t max_terms = 40;
  /// Above this number of intermediate variables only their number is shown.
  std::size_t max_abbreviations = 400;
  /// From this number on the intermediate variables of a formula are folded away, where a page can.
  std::size_t folded_abbreviations = 6;
  /// SI units of parameters, inputs, coordinates and speeds, by name.
  std::map<std::string, std::string, std::less<>> units = {};
  /// Only these of the eight steps; the equations of motion and then all steps if empty. Velocities and partial velocities (3, 4) go together.
  std::vector<int> steps = {};
  /// Shown with the eighth step in addition to those of the system: reactions of joints found from everything outboard of them.
  std::vector<ReactionOutput> joint_reactions = {};
  /// Names of constraint rows that contacts, stops and frictions switch on while the model runs: named, not written out.
  std::set<std::string, std::less<>> switched_rows = {};
};

[[nodiscard]] Page form_derivation_page(KaneDerivation& derivation, const DerivationPageOptions& options = {});

}  // namespace kane
