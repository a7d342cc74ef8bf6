#pragma once
// Modes of linear equations for people and as JSON.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kane/analysis/modes.hpp"

namespace kane {

[[nodiscard]] nlohmann::ordered_json modes_json(const ModeReport& report, const std::vector<std::string>& states);
void print_modes(const ModeReport& report, const std::vector<std::string>& states);
/// Infinity becomes null.
[[nodiscard]] nlohmann::ordered_json json_number(double value);

}  // namespace kane
