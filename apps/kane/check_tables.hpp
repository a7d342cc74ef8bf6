#pragma once
// Tables that kane check prints for files of other programs: those of 42 and of SD/FAST.

#include <nlohmann/json.hpp>
#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Stoneking's tables: which joints each body touches, the paths to the root, and the degrees of freedom and constraints.
[[nodiscard]] std::string tree_tables(const Mechanism& mechanism);
/// The last one as JSON.
[[nodiscard]] nlohmann::ordered_json tree_tables_json(const Mechanism& mechanism);

}  // namespace kane
