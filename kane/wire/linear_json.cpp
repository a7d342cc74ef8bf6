// Linear equations, equilibria and frequency responses.

#include <nlohmann/json.hpp>

#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/root_locus.hpp"
#include "kane/wire/json.hpp"

namespace kane::wire {

namespace {

Json modes_json(const ModeReport& report, const std::vector<std::string>& states) {
  Json list = Json::array();
  for (const Mode& mode : report.modes) {
    Json m;
    m["eigenvalue"] = {mode.eigenvalue.real(), mode.eigenvalue.imag()};
    m["oscillates"] = mode.oscillates;
    m["frequency_hz"] = mode.frequency;
    m["natural_frequency"] = mode.natural_frequency;
    m["damping_ratio"] = mode.damping;
    m["time_constant"] = number(mode.time_constant);
    Json shape = Json::object();
    for (std::size_t k = 0; k < states.size(); ++k) shape[states[k]] = {mode.shape[k].real(), mode.shape[k].imag()};
    m["shape"] = shape;
    Json participation = Json::object();
    for (std::size_t k = 0; k < mode.participation.size(); ++k) participation[states[k]] = mode.participation[k];
    m["participation"] = participation;
    list.push_back(m);
  }
  return list;
}

Json or_null(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }

Json loop_json(const ControlLoop& loop) { return {{"closed", loop.closed}, {"open", loop.open}}; }

Json reach_json(const Reach& reach) { return {{"rank", reach.rank}, {"states", reach.states}}; }

/// Bounds of normal forces and of components of friction; null where nothing bounds them.
Json ranges_json(const std::vector<ForceRange>& ranges) {
  Json list = Json::array();
  for (const ForceRange& range : ranges) {
    Json one{{"name", range.name}, {"force", range.is_friction ? "friction" : "normal"}};
    if (range.is_friction) one["component"] = range.component;
    one["min"] = number(range.least), one["max"] = number(range.most);
    one["exact"] = !range.polygon;
    list.push_back(one);
  }
  return list;
}

Json equilibrium_json(const Equilibrium& found, const EquilibriaReport& report) {
  Json a;
  a["q"] = values_by_name(report.summary.coordinates, found.state.q);
  a["u"] = values_by_name(report.summary.speeds, found.state.u);
  a["inputs"] = values_by_name(report.summary.inputs, found.inputs);
  a["constraint_multipliers"] = values_by_name(report.constraints, found.lambda);
  a["residual"] = found.residual;
  a["family"] = found.family;
  if (!found.contacts.empty()) a["contacts"] = contacts_json(found.contacts), a["forces_unique"] = !found.indeterminate;
  if (!found.ranges.empty()) a["force_ranges"] = ranges_json(found.ranges);
  a["stability"] = found.stability();
  a["states"] = found.states;
  if (found.modes) {
    static constexpr const char* kNames[] = {"asymptotic", "marginal", "unstable"};
    a["verdict"] = kNames[static_cast<int>(found.modes->stability)];
    a["eigenvalues"] = complex_list(found.modes->eigenvalues);
    a["modes"] = modes_json(*found.modes, found.states);
  }
  return a;
}

}  // namespace

void add_summary(const PointSummary& s, Json& to) {
  to["loop"] = loop_json(s.loop);
  to["nominal"] = {{"t", s.t},
                   {"q", values_by_name(s.coordinates, s.q)},
                   {"u", values_by_name(s.speeds, s.u)},
                   {"inputs", values_by_name(s.inputs, s.input_values)}};
  if (!s.notes.empty()) to["notes"] = s.notes;
  to["warnings"] = s.warnings;
}

Json to_json(const LinearizationReport& r) {
  Json a;
  a["model"] = r.summary.model;
  a["states"] = r.states, a["coordinates"] = r.coordinates, a["speeds"] = r.speeds, a["inputs"] = r.inputs;
  a["A"] = rows(r.a), a["B"] = rows(r.b), a["M"] = rows(r.m), a["C"] = rows(r.c), a["K"] = rows(r.k);
  a["F"] = rows(r.f);
  a["eigenvalues"] = complex_list(r.modes.eigenvalues);
  a["modes"] = modes_json(r.modes, r.states);
  a["stability"] = describe_stability(r.modes);
  a["controllable_states"] = r.controllable.rank;
  a["largest_rate"] = r.largest_rate.value;
  for (const SymbolicEntry& entry : r.symbols)
    a["symbols"][entry.matrix].push_back({{"row", entry.row}, {"column", entry.column}, {"value", entry.text}});
  add_summary(r.summary, a);
  for (const std::string& warning : r.derivation_warnings) a["warnings"].push_back(warning);
  return a;
}

Json to_json(const RootLocus& locus) {
  Json a;
  a["model"] = locus.summary.model, a["parameter"] = locus.name, a["values"] = locus.values;
  a["eigenvalues"] = a["growing"] = Json::array();
  for (const auto& row : locus.eigenvalues) a["eigenvalues"].push_back(complex_list(row));
  for (const ModeReport& m : locus.modes) a["growing"].push_back(m.growing);
  a["loop"] = loop_json(locus.summary.loop);
  if (!locus.summary.notes.empty()) a["notes"] = locus.summary.notes;
  a["warnings"] = locus.summary.warnings;
  if (!locus.failure.empty()) a["message"] = locus.failure;
  return a;
}

Json to_json(const FrequencyReport& r) {
  Json a;
  a["model"] = r.summary.model;
  a["input"] = r.input, a["output"] = r.output;
  for (const FrequencyPoint& p : r.points) {
    a["omega"].push_back(p.omega), a["magnitude"].push_back(number(p.magnitude));
    a["decibel"].push_back(number(p.decibel)), a["phase_deg"].push_back(number(p.phase));
  }
  a["poles"] = complex_list(r.modes.eigenvalues), a["zeros"] = complex_list(r.zeros);
  a["gain_margin"] = or_null(r.margins.gain), a["gain_margin_omega"] = or_null(r.margins.gain_omega);
  a["phase_margin_deg"] = or_null(r.margins.phase), a["phase_margin_omega"] = or_null(r.margins.phase_omega);
  a["controllable"] = reach_json(r.controllable), a["observable"] = reach_json(r.observable);
  a["drift"] = r.drift;
  add_summary(r.summary, a);
  return a;
}

Json to_json(const EquilibriaReport& report) {
  Json a;
  a["model"] = report.summary.model;
  a["kind"] = report.steady ? "steady motion" : "equilibrium";
  a["found"] = Json::array();
  for (const Equilibrium& found : report.found) a["found"].push_back(equilibrium_json(found, report));
  a["other_starts"] = report.starts;
  a["ignorable"] = report.ignorable;
  a["warnings"] = report.warnings;
  if (!report.ok()) a["message"] = report.message;
  // With these, the answer is a state file that describes the same system.
  a["t"] = report.summary.t;
  if (!report.start.parameters.empty()) {
    Json& parameters = a["parameters"] = Json::object();
    for (const auto& [name, value] : report.start.parameters) parameters[name] = value;
  }
  if (report.start.active) a["active"] = *report.start.active;
  a["loop"] = loop_json(report.summary.loop);
  if (!report.summary.notes.empty()) a["notes"] = report.summary.notes;
  return a;
}

}  // namespace kane::wire
