#pragma once
// Checks which symbols the scalars of a mechanism depend on, and whether their values are possible.

#include <string>
#include <vector>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Numbers of all parameters; those in `given` override the mechanism's. Throws ModelError if one is written with a symbol
/// that is not an earlier parameter.
[[nodiscard]] Values parameter_values(const Mechanism& mechanism, const Values& given = {});

/// Throws ModelError for impossible values, returns warnings for improbable ones. `given` as above.
[[nodiscard]] std::vector<std::string> check_values(const Mechanism& mechanism, const Values& given = {});

}  // namespace kane
