#pragma once
// SI units of the names of a mechanism: those of parameters and inputs from the file, those of coordinates and speeds from the
// motions of the joints.

#include <map>
#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Names without an entry are not known to have a unit (Euler parameters, speeds of the user's own).
[[nodiscard]] std::map<std::string, std::string, std::less<>> symbol_units(const Mechanism& mechanism);

}  // namespace kane
