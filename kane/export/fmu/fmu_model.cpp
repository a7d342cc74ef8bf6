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

/// Parts of the equations that the contacts of an FMU do not include.
std::vector<std::string> find_refused(const EquationsOfMotion& e) {
  std::vector<std::string> parts;
  for (const ContactPairEquation& pair : e.contact_pairs)
    parts.push_back(fmt::format("contact of shapes '{}'", pair.name));
  constexpr std::size_t kMostNamed = 4;
  if (parts.size() > kMostNamed) {
    const std::size_t more = parts.size() - kMostNamed;
    parts.resize(kMostNamed);
    parts.push_back(fmt::format("{} more contacts of shapes", more));
  }
  for (const ContactEquation& contact : e.contacts) {
    if (contact.law == RestitutionLaw::Poisson)
      parts.push_back(fmt::format("Poisson's restitution of contact '{}'", contact.name));
    if (contact.law == RestitutionLaw::Stronge)
      parts.push_back(fmt::format("Stronge's restitution of contact '{}'", contact.name));
    if (contact.phases) parts.push_back(fmt::format("phases of the impacts of contact '{}'", contact.name));
    if (!contact.adhesion.is_zero()) parts.push_back(fmt::format("adhesion of contact '{}'", contact.name));
  }
  if (e.has_given_forces()) parts.emplace_back("loads that depend on reactions, together with contacts or events");
  if (e.M.rows == 0)
    parts.emplace_back("contacts in equations without a mass matrix (--formulation composite has one)");
  return parts;
}

/// Contacts, friction, modes, constraints that change.
bool is_switched(const EquationsOfMotion& e) {
  return !e.contacts.empty() || !e.contact_pairs.empty() || !e.frictions.empty() || e.modes.size() > 1 ||
         std::any_of(e.switches.begin(), e.switches.end(), [](const SwitchEquation& s) {
           return !s.impose.empty() || !s.release.empty() || !s.from.empty() || !s.to.empty();
         });
}

/// What is left out on request.
std::vector<std::string> find_left_out_parts(const Mechanism& mechanism) {
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
    constexpr std::size_t kLongest = 24;  // with "_closure" added, names of programs are cut after 32
    if (r_.identifier.size() > kLongest) r_.identifier.resize(kLongest);
    r_.switched = is_switched(e_) && !options.leave_out;
    std::vector<std::string> refused;
    if (options.leave_out)
      refused = find_left_out_parts(model.mechanism());
    else if (r_.switched)
      refused = find_refused(e_);
    find_sampled(model.mechanism(), start, refused);
    require(refused.empty() || options.leave_out,
            "'{}' has parts that an FMU does not contain: {}; --leave-out exports it without contacts, friction and "
            "modes",
            model.name(), joined(refused));
    r_.notes = refused;
    note_inputs(model.mechanism(), start);
  }

  FmuModel run() {
    const FmuExpressions x = form_fmu_expressions(from_, r_.switched);
    r_.coordinates = e_.q.size(), r_.speeds = e_.u.size();
    r_.phi = x.phi.size(), r_.motion_rows = x.motion_rows.size();
    r_.rows = x.row_names;
    r_.phi_rows = x.phi_rows;
    note_switching();
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

  [[nodiscard]] bool own_row(std::size_t row) const {
    const int i = static_cast<int>(row);
    return std::any_of(e_.contacts.begin(), e_.contacts.end(), [&](const auto& c) { return c.normal == i; }) ||
           std::any_of(e_.frictions.begin(), e_.frictions.end(), [&](const FrictionEquation& f) {
             return std::find(f.rows.begin(), f.rows.end(), i) != f.rows.end();
           });
  }

  /// Rows of a group of constraints, or of one of them.
  [[nodiscard]] std::vector<int> rows_of(const std::vector<std::string>& groups) const {
    std::vector<int> rows;
    for (const std::string& group : groups)
      for (std::size_t i = 0; i < e_.constraints.size(); ++i)
        if ((e_.constraints[i].group == group || e_.constraints[i].name == group) && !own_row(i))
          rows.push_back(static_cast<int>(i));
    return rows;
  }

  void note_switching() {
    if (!r_.switched) {
      r_.held.assign(r_.motion_rows, 3);
      return;
    }
    for (std::size_t i = 0; i < e_.constraints.size(); ++i)
      r_.held.push_back(own_row(i) ? 0 : (from_.rows[i] ? 1 : 0) + (from_.configuration[i] ? 2 : 0));
    for (const ContactEquation& c : e_.contacts)
      ensure(e_.constraints[static_cast<std::size_t>(c.normal)].phi.has_value(), "contact '{}' has no gap", c.name);
    for (const ContactEquation& c : e_.contacts) r_.contacts.push_back({c.name, c.normal, c.force.has_value()});
    for (const FrictionEquation& f : e_.frictions)
      r_.frictions.push_back({f.name, f.rows[0], f.rows.size() > 1 ? f.rows[1] : -1, f.contact});
    for (const ModeEquation& mode : e_.modes) {
      std::vector<int> rows(e_.constraints.size(), 0);
      for (const int row : rows_of(mode.active)) rows[static_cast<std::size_t>(row)] = 3;
      r_.modes.push_back(std::move(rows));
    }
    r_.start_mode = mode_of(e_.initial_mode);
  }

  [[nodiscard]] int mode_of(const std::string& name) const {
    const auto found =
        std::find_if(e_.modes.begin(), e_.modes.end(), [&](const ModeEquation& m) { return m.name == name; });
    return name.empty() || found == e_.modes.end() ? -1 : static_cast<int>(found - e_.modes.begin());
  }

  void lower_programs(const FmuExpressions& x) {
    ProgramInputs inputs{x.parameters, x.inputs, {}};
    inputs.inputs.push_back(e_.t.name());
    for (const Expr& q : e_.q) inputs.state.push_back(q.name());
    for (const Expr& u : e_.u) inputs.state.push_back(u.name());
    r_.closure = lower(r_.identifier + "_closure", x.closure_outputs(), inputs);
    if (r_.switched) r_.terms = lower(r_.identifier + "_forces", x.term_outputs(), inputs);
    for (const std::string& name : x.solved) inputs.state.push_back(name);
    r_.motion = lower(r_.identifier + "_motion", x.motion_outputs(), inputs);
    for (const std::string& seed : x.seeds) inputs.state.push_back(seed);
    r_.tangent = lower(r_.identifier + "_tangent", x.tangent_outputs(), inputs);
    for (const Program* p : {&r_.motion, &r_.closure, &r_.tangent, &r_.terms})
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
    std::vector<double> phi_q, a;
    const auto add = [&](std::vector<double>& rows, std::size_t first, std::size_t row, std::size_t columns) {
      const auto begin = y.begin() + static_cast<std::ptrdiff_t>(first + row * columns);
      rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    };
    for (std::size_t i = 0; i < r_.phi; ++i)
      if (r_.phi_rows[i] < 0 || (r_.held[static_cast<std::size_t>(r_.phi_rows[i])] & 2) != 0) add(phi_q, r_.phi, i, nq);
    for (std::size_t i = 0; i < r_.motion_rows; ++i)
      if ((r_.held[i] & 1) != 0) add(a, r_.phi + r_.phi * nq + r_.motion_rows, i, nu);
    if (!phi_q.empty()) choose(phi_q.data(), phi_q.size() / nq, nq, g.q, g.insisted_q, 0);
    if (!a.empty()) choose(a.data(), a.size() / nu, nu, g.u, g.insisted_u, nq);
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
    std::size_t i = x.guards.size();
    for (const FmuContact& c : r_.contacts) add(FmuKind::Indicator, i++, fmt::format("guard({})", c.name), "");
    for (const FmuFriction& f : r_.frictions) add(FmuKind::Indicator, i++, fmt::format("guard({})", f.name), "");
    switches_ = x.switches;
  }

  void add_events() {
    for (const std::size_t i : switches_) {
      const SwitchEquation& s = e_.switches[i];
      FmuEvent event{s.name, s.direction, {}, s.stop};
      if (r_.switched) {
        event.imposed = rows_of(s.impose), event.released = rows_of(s.release);
        event.from = mode_of(s.from), event.to = mode_of(s.to);
      }
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
