#include "kane/export/fmu/fmu_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kane/base/error.hpp"
#include "kane/base/identifier.hpp"
#include "kane/codegen/kernel.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/export/export_start.hpp"
#include "kane/export/fmu/fmu_dependencies.hpp"
#include "kane/export/fmu/fmu_expressions.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/model/simulation.hpp"
#include "kane/program/lower.hpp"
#include "kane/solve/column_basis.hpp"

namespace kane {

namespace {

/// Parts of the mechanism that straight-line equations and events with resets cannot express.
std::vector<std::string> find_refused(const Mechanism& mechanism) {
  std::vector<std::string> parts = find_switched_parts(mechanism);
  for (const SwitchRule& rule : mechanism.switching.switches)
    if (!rule.impose.empty() || !rule.release.empty() || !rule.from.empty() || !rule.to.empty())
      parts.push_back(fmt::format("event '{}' changes constraints, which is not in the exported equations", rule.name));
  if (mechanism.switching.modes.size() > 1)
    parts.emplace_back("the exported equations stay in the mode in which the model starts");
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// "m" gives "m/s", "rad/s" gives "rad/s^2".
std::string rate_unit(const std::string& unit) {
  if (unit.empty()) return "";
  if (unit == "1") return "1/s";
  if (unit.ends_with("/s")) return unit + "^2";
  if (unit.ends_with("/s^2")) return unit.substr(0, unit.size() - 1) + "3";
  return unit + "/s";
}

class FmuBuilder {
 public:
  FmuBuilder(const Model& model, const StartState& start, const FmuModelOptions& options)
      : options_(options), from_(find_export_start(model, start, options.inputs)), e_(from_.model.equations()) {
    r_.name = model.name();
    r_.description = model.mechanism().description;
    r_.identifier = identifier_of(options.name.empty() ? model.name() : options.name);
    constexpr std::size_t kLongest = 60;  // it is the name of a file, and the beginning of names of functions
    if (r_.identifier.size() > kLongest) r_.identifier.resize(kLongest);
    std::vector<std::string> refused = find_refused(model.mechanism());
    find_sampled(model.mechanism(), start, refused);
    require(refused.empty() || options.leave_out,
            "'{}' has parts that an FMU does not contain: {}; --leave-out exports it without them (--ignore-limits: "
            "without limits)",
            model.name(), joined(refused));
    r_.notes = refused;
    note_inputs(model.mechanism(), start);
  }

  FmuModel run() {
    const FmuExpressions x = form_fmu_expressions(from_);
    r_.coordinates = e_.q.size(), r_.speeds = e_.u.size();
    r_.phi = x.phi.size(), r_.motion_rows = x.motion_rows.size();
    r_.rows = x.row_names;
    lower_programs(x);
    const std::vector<bool> dependent = choose_dependent();
    add_variables(x, dependent);
    add_events();
    set_dependencies(r_, x);
    set_experiment();
    return std::move(r_);
  }

 private:
  [[nodiscard]] bool is_open(const std::string& input, const StartState& start) const {
    return start.inputs.contains(input) ||
           std::find(options_.inputs.begin(), options_.inputs.end(), input) != options_.inputs.end();
  }

  /// Laws that act at instants, which the equations do not know. Those that only feed an FMU of the model do not matter.
  void find_sampled(const Mechanism& mechanism, const StartState& start, std::vector<std::string>& parts) const {
    for (const InputSampling& sampled : mechanism.sampled_inputs) {
      const bool measured = std::any_of(mechanism.fmus.begin(), mechanism.fmus.end(), [&](const FmuController& fmu) {
        return std::any_of(fmu.measured.begin(), fmu.measured.end(),
                           [&](const auto& m) { return m.second == sampled.input; });
      });
      if (!measured && !is_open(sampled.input, start))
        parts.push_back(
            fmt::format("the law of input '{0}' acts at every instant, not sampled (--input {0} leaves the input open)",
                        sampled.input));
    }
  }

  void note_inputs(const Mechanism& mechanism, const StartState& start) {
    for (const InputSeries& series : mechanism.input_series)
      if (!is_open(series.input, start))
        r_.notes.push_back(
            fmt::format("input '{}' is an input of the FMU; its points in time are left out", series.input));
    for (const FmuController& fmu : mechanism.fmus)
      for (const auto& [input, output] : fmu.outputs)
        r_.notes.push_back(fmt::format("input '{}' is an input of the FMU; '{}' is left out", input, fmu.given));
  }

  void lower_programs(const FmuExpressions& x) {
    ProgramInputs inputs{x.parameters, x.inputs, {}};
    inputs.inputs.push_back(e_.t.name());
    for (const Expr& q : e_.q) inputs.state.push_back(q.name());
    for (const Expr& u : e_.u) inputs.state.push_back(u.name());
    r_.motion = lower(r_.identifier + "_motion", x.motion_outputs(), inputs);
    r_.closure = lower(r_.identifier + "_closure", x.closure_outputs(), inputs);
    for (const std::string& seed : x.seeds) inputs.state.push_back(seed);
    r_.tangent = lower(r_.identifier + "_tangent", x.tangent_outputs(), inputs);
    for (const Program* p : {&r_.motion, &r_.closure, &r_.tangent})
      require(p->functions.empty(), "'{}' calls the function '{}', which an FMU does not contain", r_.name,
              p->functions.empty() ? "" : p->functions.front().name);
  }

  [[nodiscard]] std::vector<double> parameter_values() const {
    const Values all = from_.model.parameters(from_.start);
    std::vector<double> values;
    for (std::size_t i = 0; i < r_.motion.input_count[Stage::Parameters]; ++i)
      values.push_back(all.at(r_.motion.inputs[i].name));
    return values;
  }

  /// The states determined by the constraints, preferably those that neither the model nor the user gives.
  [[nodiscard]] std::vector<bool> choose_dependent() const {
    const std::size_t nq = r_.coordinates, nu = r_.speeds;
    std::vector<bool> flags(nq + nu, false);
    if (r_.phi + r_.motion_rows == 0) return flags;
    const Kernel kernel = compile_kernel(r_.closure);
    Workspace workspace(kernel);
    std::vector<double> inputs = from_.start.inputs, state = from_.start.state.q;
    inputs.push_back(from_.start.state.t);
    state.insert(state.end(), from_.start.state.u.begin(), from_.start.state.u.end());
    std::vector<double> y(r_.closure.outputs.size());
    kernel.set_parameters(parameter_values(), workspace);
    kernel.set_inputs(inputs, workspace);
    kernel.evaluate(state, y, workspace);
    const auto choose = [&](const double* rows, std::size_t n, std::size_t columns, const std::vector<bool>& given,
                            const std::vector<bool>& insisted, std::size_t first) {
      std::vector<int> classes;
      for (std::size_t i = 0; i < columns; ++i)
        classes.push_back(i < insisted.size() && insisted[i] ? 2 : (i < given.size() && given[i] ? 1 : 0));
      const std::vector<bool> basis = choose_basis(ConstMatrixView(rows, n, columns), classes);
      require(static_cast<std::size_t>(std::count(basis.begin(), basis.end(), true)) == n,
              "the constraints of '{}' repeat each other at the start, so that an FMU could not close them", r_.name);
      std::copy(basis.begin(), basis.end(), flags.begin() + static_cast<std::ptrdiff_t>(first));
    };
    const GivenValues& g = from_.start.given;
    if (r_.phi > 0) choose(y.data() + r_.phi, r_.phi, nq, g.q, g.insisted_q, 0);
    const std::size_t a = r_.phi + r_.phi * nq + r_.motion_rows;
    if (r_.motion_rows > 0) choose(y.data() + a, r_.motion_rows, nu, g.u, g.insisted_u, nq);
    return flags;
  }

  void add(FmuKind kind, std::size_t index, std::string name, std::string unit, double start = 0) {
    const auto taken = [&](const std::string& n) {
      return std::any_of(r_.variables.begin(), r_.variables.end(), [&](const FmuVariable& v) { return v.name == n; });
    };
    while (taken(name)) name += "_";
    r_.variables.push_back({kind, index, std::move(name), std::move(unit), start});
  }

  void add_variables(const FmuExpressions& x, const std::vector<bool>& dependent) {
    const auto units = symbol_units(from_.model.mechanism());
    const auto unit = [&](const std::string& name) {
      const auto found = units.find(name);
      return found == units.end() ? std::string() : found->second;
    };
    std::vector<std::string> states;
    for (const Expr& q : e_.q) states.push_back(q.name());
    for (const Expr& u : e_.u) states.push_back(u.name());
    std::vector<double> values = from_.start.state.q;
    values.insert(values.end(), from_.start.state.u.begin(), from_.start.state.u.end());
    const bool time_taken = std::find(states.begin(), states.end(), "time") != states.end() ||
                            std::find(x.inputs.begin(), x.inputs.end(), "time") != x.inputs.end() ||
                            std::find(x.parameters.begin(), x.parameters.end(), "time") != x.parameters.end();
    add(FmuKind::Time, 0, time_taken ? "t" : "time", "s");
    for (std::size_t i = 0; i < states.size(); ++i) {
      add(FmuKind::State, i, states[i], unit(states[i]), values[i]);
      r_.variables.back().dependent = dependent[i];
    }
    for (std::size_t i = 0; i < states.size(); ++i)
      add(FmuKind::Rate, i, fmt::format("der({})", states[i]), rate_unit(unit(states[i])));
    for (std::size_t i = 0; i < x.inputs.size(); ++i)
      add(FmuKind::Input, i, x.inputs[i], unit(x.inputs[i]), from_.start.inputs[i]);
    for (std::size_t i = 0; i < x.output_names.size(); ++i)
      add(FmuKind::Output, i, x.output_names[i], unit(x.output_names[i]));
    const std::vector<double> parameters = parameter_values();
    for (std::size_t i = 0; i < x.parameters.size(); ++i)
      add(FmuKind::Parameter, i, x.parameters[i], unit(x.parameters[i]), parameters[i]);
    for (std::size_t i = 0; i < x.calculated_names.size(); ++i)
      add(FmuKind::Calculated, i, x.calculated_names[i], unit(x.calculated_names[i]));
    for (std::size_t i = 0; i < x.guards.size(); ++i)
      add(FmuKind::Indicator, i, fmt::format("guard({})", e_.switches[x.switches[i]].name), "");
    switches_ = x.switches;
  }

  void add_events() {
    for (const std::size_t i : switches_) {
      const SwitchEquation& s = e_.switches[i];
      FmuEvent event{s.name, s.direction, {}, s.stop};
      for (const auto& reset : s.resets) event.resets.push_back(static_cast<std::size_t>(reset.index));
      r_.events.push_back(std::move(event));
    }
  }

  void set_experiment() {
    const SimulationSettings& settings = from_.model.mechanism().simulation;
    r_.start = from_.start.state.t;
    r_.stop = end_time(from_.model, r_.start, options_.until);
    r_.step = options_.step.value_or(settings.sample.value_or((r_.stop - r_.start) / 1000));
    if (settings.tolerance) r_.tolerance = *settings.tolerance;
    require(std::isfinite(r_.step) && r_.step > 0, "the step must be positive, but it is {}", r_.step);
  }

  const FmuModelOptions& options_;
  ExportStart from_;
  const EquationsOfMotion& e_;
  std::vector<std::size_t> switches_;
  FmuModel r_;
};

}  // namespace

std::size_t FmuModel::count(FmuKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(variables.begin(), variables.end(), [&](const FmuVariable& v) { return v.kind == kind; }));
}

std::size_t FmuModel::first(FmuKind kind) const {
  return static_cast<std::size_t>(
      std::find_if(variables.begin(), variables.end(), [&](const FmuVariable& v) { return v.kind == kind; }) -
      variables.begin());
}

FmuModel form_fmu_model(const Model& model, const StartState& start, const FmuModelOptions& options) {
  return FmuBuilder(model, start, options).run();
}

}  // namespace kane
