#pragma once
// A program as readable text, one instruction per line.

#include <string>

#include "kane/program/program.hpp"

namespace kane {

/// Values are written by name (inputs), by number value (constants) or as v0, v1, ... (instructions in
/// order):
///     v3 = fma m, v1, v2
[[nodiscard]] std::string to_text(const Program& program);

}  // namespace kane
