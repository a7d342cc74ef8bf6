#pragma once
// Equations of motion with the laws of their inputs substituted: the controller becomes part of the system.

#include <string>
#include <vector>

#include "kane/mechanics/equations.hpp"

namespace kane {

/// The equations of motion and constraints with every input that has a law written as that law, except for inputs named
/// in `driven`; only the others remain in `inputs`. Reports, contacts and switches are left out. Throws ModelError if laws
/// refer to each other in a circle.
[[nodiscard]] EquationsOfMotion form_closed_loop(const EquationsOfMotion& e, const std::vector<std::string>& driven);

/// An input whose default is not a number has a law.
[[nodiscard]] bool has_law(const SymbolWithDefault& input);

}  // namespace kane
