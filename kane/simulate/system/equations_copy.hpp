#pragma once
// Equations of motion on a graph of their own.

#include "kane/mechanics/equations.hpp"

namespace kane {

/// The same equations on an exact copy of their graph: every expression keeps its index. Reads only, so several threads may
/// copy equations that nobody is deriving from.
[[nodiscard]] EquationsOfMotion copy_equations(const EquationsOfMotion& equations);

}  // namespace kane
