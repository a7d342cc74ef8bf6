// Jacobians and inverse kinematics.

#include <nlohmann/json.hpp>

#include "kane/analysis/reach.hpp"
#include "kane/analysis/task_jacobian.hpp"
#include "kane/wire/json.hpp"

namespace kane::wire {

Json to_json(const JacobianReport& r) {
  Json a;
  a["model"] = r.summary.model, a["rows"] = r.rows, a["speeds"] = r.summary.speeds;
  a["velocity"] = r.velocity, a["bias"] = r.bias;
  a["jacobian"] = rows(r.jacobian);
  a["independent_speeds"] = r.independent, a["jacobian_independent"] = rows(r.constrained_jacobian);
  a["inverse_inertia"] = rows(r.inverse_inertia), a["inertia"] = rows(r.inertia);
  a["rank"] = r.rank, a["singular_values"] = r.singular_values, a["manipulability"] = r.manipulability;
  if (!r.summary.warnings.empty()) a["warnings"] = r.summary.warnings;
  return a;
}

Json to_json(const ReachReport& r) {
  Json a;
  a["model"] = r.summary.model, a["reached"] = r.reached(), a["free"] = r.free, a["other_starts"] = r.starts;
  a["solutions"] = Json::array();
  for (const KinematicSolution& s : r.solutions)
    a["solutions"].push_back({{"q", values_by_name(r.summary.coordinates, s.q)},
                              {"reached", s.reached},
                              {"distance", s.distance},
                              {"angle", s.angle},
                              {"at_limit", s.at_limit}});
  if (!r.summary.warnings.empty()) a["warnings"] = r.summary.warnings;
  return a;
}

}  // namespace kane::wire
