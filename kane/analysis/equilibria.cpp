#include "kane/analysis/equilibria.hpp"

#include <utility>

namespace kane {

EquilibriaReport find_equilibria(const Model& model, const StartState& start, const EquilibriaOptions& options) {
  options.search.check();
  OperatingPointOptions place;
  place.place = StatePlace::AsGiven;
  place.open_loop = options.open_loop;
  place.open = options.search.free_inputs;  // an input that is to be found follows no law
  OperatingPoint point(model, start, place);
  EquilibriaReport report;
  static_cast<EquilibriumReport&>(report) = EquilibriumFinder(point.evaluator(), options.search).find(point.state());
  report.steady = options.search.steady;
  report.start = start;
  report.summary = point.summary();
  const auto& warnings = report.summary.warnings;
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  for (const auto& c : point.model().equations().constraints) report.constraints.push_back(c.name);
  return report;
}

}  // namespace kane
