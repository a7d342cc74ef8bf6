#pragma once
// A Mechanism to Kane YAML. Read again, it gives the same equations.

#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

[[nodiscard]] std::string write_yaml(const Mechanism& mechanism);

}  // namespace kane
