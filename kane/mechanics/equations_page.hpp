#pragma once
// Equations of motion as a page for a person, for systems that are given by them: nothing was derived, so there are no steps.

#include "kane/base/page.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

/// Formulas with more than `max_terms` terms are written as they stand.
[[nodiscard]] Page form_equations_page(const EquationsOfMotion& equations, std::size_t max_terms = 40);

}  // namespace kane
