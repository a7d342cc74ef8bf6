#pragma once
// Generalized speeds by definition, u1 = q1', u2 = dot(v(P), N.x), ...

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The coordinate of "q1'"; "" for anything else.
[[nodiscard]] std::string rate_of(std::string_view text);

/// Makes these the speeds of the mechanism whose joints are given (they need not be part of it yet). Definitions that are
/// nothing but the rates of the joints' coordinates rename the joints' own speeds, so that the recursive formulations
/// apply; otherwise they replace them, as they do if there are flexible bodies (`flexible`: some that are not part of it
/// yet), whose speeds must then be among the definitions.
void define_speeds(Mechanism& mechanism, std::span<Joint* const> joints, std::vector<NamedQuantity> definitions,
                   bool flexible = false);

}  // namespace kane
