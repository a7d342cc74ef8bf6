#pragma once
// Equations of motion on their own graph.

#include "kane/mechanics/equations.hpp"

namespace kane {

/// The same equations on an exact copy of their graph: every expression keeps its index. Reads only, so several threads may
/// copy equations as long as none derives from them.
[[nodiscard]] EquationsOfMotion copy_equations(const EquationsOfMotion& equations);

}  // namespace kane
