#pragma once
// Constraints that are embedded for one place. The embedding in symbols holds where the rows are independent; rows that
// repeat one another only where the linkage is closed (Bricard's ring, a third parallel crank), or only for the lengths at
// hand (Bennett's linkage), are not seen to be redundant in symbols, and what was solved for does not exist there. So a
// largest set of rows that are independent at the place is embedded again. Where the rank does not change nearby, its rows
// are equivalent to all of them (constant rank theorem).

#include <optional>
#include <vector>

#include "kane/expr/substitution.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

struct LocalEmbedding {
  EmbeddedEquations equations;  ///< without multipliers
  std::vector<int> dropped;     ///< constraints that repeat the others
};

/// Nothing if the embedding of `e` exists at the place, which gives the values of coordinates and time; `parameters` may
/// give those of parameters (others have any values). D, E and g have the right values and first derivatives at the place,
/// and there only. The speeds that were dependent remain so as far as possible.
[[nodiscard]] std::optional<LocalEmbedding> form_local_embedding(const EquationsOfMotion& e, const Substitution& place,
                                                                 const Substitution& parameters);

/// The same for a set of constraints of the caller's choice, whatever `e` has embedded.
[[nodiscard]] LocalEmbedding form_local_embedding(const EquationsOfMotion& e, const std::vector<int>& rows,
                                                  const Substitution& place, const Substitution& parameters);

}  // namespace kane
