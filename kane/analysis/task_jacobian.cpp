#include "kane/analysis/task_jacobian.hpp"

#include "kane/base/error.hpp"

namespace kane {

JacobianReport find_jacobian(const Model& model, const StartState& state, const JacobianOptions& options) {
  std::vector<Task> tasks;
  for (const auto& name : options.points) tasks.push_back({name, false});
  for (const auto& name : options.bodies) tasks.push_back({name, true});
  if (tasks.empty()) {
    std::vector<std::string> points, bodies;
    for (const auto& p : model.equations().points) points.push_back(p.name);
    for (const auto& b : model.equations().bodies) bodies.push_back(b.name);
    throw ModelError(
        fmt::format("a Jacobian needs a point ({}) or a body ({})", fmt::join(points, ", "), fmt::join(bodies, ", ")));
  }
  OperatingPoint point(model, state);
  JacobianReport report;
  static_cast<TaskReport&>(report) = OperationalSpace(point.evaluator(), tasks).calc(point.state().q, point.state().u);
  report.summary = point.summary();
  return report;
}

}  // namespace kane
