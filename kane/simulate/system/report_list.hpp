#pragma once
// Everything that is reported of a state, in the order of the report kernel.

#include <vector>

#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

struct ReportList {
  std::vector<ReportItem> items;
  std::vector<Expr> values;  ///< functions of q, u, udot, multipliers and contact wrenches
};

/// `brief` leaves out bodies, momentum, and the velocities and accelerations of points.
[[nodiscard]] ReportList list_reports(const EquationsOfMotion& equations, bool brief = false);

}  // namespace kane
