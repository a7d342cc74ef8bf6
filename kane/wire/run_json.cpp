// Runs: their summary and their events.

#include <nlohmann/json.hpp>

#include "kane/mechanics/equations.hpp"
#include "kane/simulate/motion/run_report.hpp"
#include "kane/simulate/system/assembly.hpp"
#include "kane/wire/json.hpp"

namespace kane::wire {

Json events(const RunReport& report, const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const Expr& u : e.u) names.push_back(u.name());
  const auto speeds = [&](const std::vector<double>& u) -> Json {
    if (u.size() != names.size()) return nullptr;  // not kept
    return values_by_name(names, u);
  };
  Json list = Json::array();
  for (const SwitchRecord& r : report.events) {
    Json impulses = Json::object();
    for (const auto& [row, impulse] : r.impulses) impulses[row] = impulse;
    list.push_back({{"t", r.t},
                    {"causes", r.causes},
                    {"changes", r.changes},
                    {"u_before", speeds(r.u_before)},
                    {"u_after", speeds(r.u_after)},
                    {"impulses", impulses},
                    {"kinetic_before", r.kinetic_before},
                    {"kinetic_after", r.kinetic_after},
                    {"mode", r.mode}});
  }
  return list;
}

Json to_json(const RunReport& r, const EquationsOfMotion& e) {
  static constexpr const char* kStatus[] = {"done", "stopped", "failed"};
  Json j;
  j["model"] = e.name;
  j["status"] = kStatus[static_cast<int>(r.status)];
  j["t_begin"] = r.t_begin, j["t_end"] = r.t_end, j["samples"] = r.samples;
  j["method"] = r.method;
  j["canonical"] = r.canonical;
  j["steps"] = r.totals.steps, j["rejected"] = r.totals.rejected;
  j["evaluations"] = r.totals.evaluations, j["jacobians"] = r.totals.jacobians;
  j["energy"] = nullptr;
  if (r.energy.known)
    j["energy"] = {{"conservative", r.energy.conservative},
                   {"start", r.energy.start},
                   {"end", r.energy.end},
                   {"largest_drift", r.energy.largest_drift},
                   {"relative_drift", r.energy.relative_drift()}};
  j["constraint_residual"] = r.constraints.configuration;
  j["speed_residual"] = r.constraints.motion;
  j["change_points"] = r.change_points;
  j["wall_seconds"] = r.times.total;
  j["processor_seconds"] = {
      {"total", r.times.processor},       {"kernel", r.times.kernel},           {"solve", r.times.solve},
      {"projection", r.times.projection}, {"integrator", r.times.integrator()}, {"output", r.times.output}};
  if (e.switched()) j["events"] = events(r, e), j["event_count"] = r.event_count;
  if (e.switched() && r.energy.known)
    j["energy"]["balanced"] = r.energy.balanced, j["energy"]["largest_rise"] = r.energy.largest_rise,
    j["energy"]["scale"] = r.energy.scale;
  if (r.stepping.steps > 0) {
    const auto& s = r.stepping;
    j["stepping"] = {{"steps", s.steps},
                     {"step", s.step},
                     {"takeovers", s.takeovers},
                     {"sweeps", s.sweeps},
                     {"contacts", s.places},
                     {"unconverged", s.unconverged},
                     {"residual", s.residual},
                     {"penetration", s.penetration},
                     {"energy_removed", s.energy_removed}};
  }
  j["warnings"] = r.warnings;
  if (r.failure) j["failure"] = {{"t", r.failure->t}, {"quantity", r.failure->quantity}, {"cause", r.failure->cause}};
  return j;
}

Json to_json(const AssemblyReport& report) {
  Json moved = Json::array();
  for (const AssemblyMove& m : report.moved)
    moved.push_back({{"name", m.name}, {"from", m.from}, {"to", m.to}, {"given", m.given}});
  return moved;
}

}  // namespace kane::wire
