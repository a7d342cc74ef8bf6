#pragma once
// Writes a Mechanism as Kane YAML. Reading it back gives the same equations.

#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The text of a model file.
[[nodiscard]] std::string write_yaml(const Mechanism& mechanism);

}  // namespace kane
