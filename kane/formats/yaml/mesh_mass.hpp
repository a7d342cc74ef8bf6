#pragma once
// Mass properties of the volume that a mesh file encloses.

#include <string>

#include "kane/mechanism/inertia_library.hpp"

namespace kane {

/// The mass is either `amount` times the volume (a density), or `amount` itself. Throws ModelError if the file cannot be read or its
/// surface is not closed and oriented outwards.
[[nodiscard]] MassProperties mesh_mass_properties(const std::string& path, const Placement& place, const Expr& amount,
                                                  bool density);

}  // namespace kane
