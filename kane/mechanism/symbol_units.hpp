#pragma once
// SI units of the names of a mechanism: those of parameters and inputs from the file, those of coordinates and speeds from the
// motions of the joints.

#include <map>
#include <string>

#include "kane/mechanics/equations.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Names without an entry are not known to have a unit (Euler parameters, speeds of the user's own).
[[nodiscard]] std::map<std::string, std::string, std::less<>> symbol_units(const Mechanism& mechanism);

/// The same and the units of outputs, as far as the expressions they have become tell their dimension.
[[nodiscard]] std::map<std::string, std::string, std::less<>> known_units(const Mechanism& mechanism,
                                                                          const EquationsOfMotion& equations);

}  // namespace kane
