#pragma once
// Functions that are no operators of Kane's expressions, but occur in SymPy's: erf, erfc, gamma, loggamma.

#include <string_view>
#include <vector>

#include "kane/program/external_function.hpp"

namespace kane::python {

/// Whether a compiled function can call it.
[[nodiscard]] bool is_special_function(std::string_view name);

/// These functions and their first derivatives (name_1), for the kernels of compiled functions.
[[nodiscard]] std::vector<NamedFunction> special_functions();

}  // namespace kane::python
