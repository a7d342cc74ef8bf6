#pragma once
// Names of a model as identifiers of a programming language.

#include <string>
#include <string_view>

namespace kane {

/// Letters, digits and underscores, beginning with a letter: "u1'" gives u1_dot, "u1''" u1_ddot, "B.mass" B_mass, other
/// characters their code point as _u3b8.
[[nodiscard]] std::string identifier_of(std::string_view name);

}  // namespace kane
