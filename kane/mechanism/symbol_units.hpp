#pragma once
// In which SI units the names of a mechanism count: parameters and inputs as the file tells, coordinates and speeds of joints
// by what the joint does.

#include <map>
#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Names without an entry are not known to have a unit (Euler parameters, speeds of the user's own).
[[nodiscard]] std::map<std::string, std::string, std::less<>> symbol_units(const Mechanism& mechanism);

}  // namespace kane
