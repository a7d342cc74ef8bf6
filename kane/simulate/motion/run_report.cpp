#include "kane/simulate/motion/run_report.hpp"

#include <fmt/format.h>

namespace kane {

std::string describe(const SwitchRecord& r) {
  if (r.causes.empty() && r.changes.empty() && !r.impulses.empty()) {
    std::vector<std::string> names;
    for (const auto& impulse : r.impulses) names.push_back(impulse.first);
    return fmt::format("impact at {}", fmt::join(names, ", "));
  }
  return fmt::format("{}{}{}", fmt::join(r.causes, ", "), r.causes.empty() || r.changes.empty() ? "" : ": ",
                     fmt::join(r.changes, ", "));
}

}  // namespace kane
