#pragma once
// Everything that is reported of a state, in the order of the report kernel.

#include <vector>

#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

struct ReportList {
  std::vector<ReportItem> items;
  std::vector<Expr> values;  ///< functions of q, u, udot, multipliers and contact wrenches
};

[[nodiscard]] ReportList list_reports(const EquationsOfMotion& equations);

}  // namespace kane
