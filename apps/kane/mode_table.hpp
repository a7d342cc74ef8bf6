#pragma once
// Modes of linear equations as a table.

#include <string>
#include <vector>

#include "kane/analysis/modes.hpp"

namespace kane {

void print_modes(const ModeReport& report, const std::vector<std::string>& states);

}  // namespace kane
