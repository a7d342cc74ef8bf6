// Sensitivities, fits, inverse dynamics.

#include <nlohmann/json.hpp>

#include "kane/analysis/fit_model.hpp"
#include "kane/analysis/inverse_study.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/wire/json.hpp"

namespace kane::wire {

Json to_json(const SensitivityReport& r) {
  Json a;
  a["model"] = r.model, a["t_end"] = r.t_end, a["outputs"] = r.outputs;
  a["parameters"] = r.parameters, a["values"] = r.values;
  a["derivatives_at_end"] = rows(r.last), a["largest_derivatives"] = rows(r.largest);
  a["steps"] = r.steps;
  a["method"] = r.differences ? "differences" : "variations";
  if (r.differences) a["disagreement"] = r.disagreement, a["continued_samples"] = r.continued;
  return a;
}

Json to_json(const ModelFit& fit) {
  static constexpr const char* kStatus[] = {"converged", "too many iterations", "stuck", "run failed"};
  const FitReport& r = fit.report;
  Json a;
  a["model"] = fit.model;
  a["status"] = kStatus[static_cast<int>(r.status)];
  a["parameters"] = Json::object();
  for (const auto& p : r.parameters)
    a["parameters"][p.name] = {{"start", p.start},
                               {"value", p.value},
                               {"standard_error", number(p.standard_error)},
                               {"at_bound", p.at_bound},
                               {"identifiable", p.identifiable}};
  a["iterations"] = r.iterations, a["runs"] = r.runs, a["residuals"] = r.residuals;
  a["runs_given_up"] = r.given_up;
  a["cost_start"] = r.cost_start, a["cost"] = r.cost;
  a["rms"] = Json::object();
  for (std::size_t i = 0; i < r.rms.size(); ++i) a["rms"][fit.signals[i]] = r.rms[i];
  a["correlated"] = r.correlated, a["correlation"] = rows(r.correlation);
  a["condition"] = number(r.condition), a["unidentifiable"] = r.unidentifiable;
  a["warnings"] = fit.warnings;
  return a;
}

Json to_json(const InverseReport& r) {
  Json a;
  a["model"] = r.model;
  a["samples"] = r.samples, a["t_begin"] = r.t_begin, a["t_end"] = r.t_end;
  a["actuators"] = Json::object();
  for (const auto& c : r.actuators) a["actuators"][c.name] = {{"min", c.smallest}, {"max", c.largest}, {"rms", c.rms}};
  a["missing"] = r.missing;
  if (!r.missing_speed.empty()) a["missing_speed"] = r.missing_speed, a["missing_time"] = r.missing_time;
  a["warnings"] = r.exceeded;
  return a;
}

Json to_json(const TrackReport& r, const EquationsOfMotion& equations) {
  Json a;
  a["model"] = r.model;
  a["errors"] = Json::object();
  for (const auto& c : r.errors) a["errors"][c.name] = {{"largest", c.largest}, {"rms", c.rms}, {"last", c.last}};
  if (equations.switched()) a["events"] = events(r.run, equations), a["event_count"] = r.run.event_count;
  a["warnings"] = r.run.warnings;
  return a;
}

}  // namespace kane::wire
