#pragma once
// Systems that are given by their equations (GeneralEquations) instead of bodies and joints.

#include "kane/mechanism/formulation.hpp"

namespace kane {

/// The same EquationsOfMotion that mechanisms get. Throws ModelError with a place.
[[nodiscard]] EquationsOfMotion form_general_equations(const Mechanism& mechanism, const FormOptions& options);

/// Throws ModelError if the mechanism has equations and something that only bodies and joints can have.
void check_general_equations(const Mechanism& mechanism);

/// Throws ModelError if the mechanism is given by equations; `what` needs bodies ("joint reactions").
void require_bodies(const Mechanism& mechanism, std::string_view what);

}  // namespace kane
