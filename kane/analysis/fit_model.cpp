#include "kane/analysis/fit_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/analysis/joint_ranges.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/model/simulation.hpp"

namespace kane {

namespace {

/// A goal that is not met to this accuracy, relative to its value or 1, is missed.
constexpr double kMissed = 1e-6;

void set_weights(const FitProblem& problem, std::vector<FitData>& data) {
  for (const auto& [column, deviation] : problem.deviations) {
    const auto found =
        std::find_if(data.begin(), data.end(), [&name = column](const FitData& d) { return d.signal.name == name; });
    require(found != data.end(), "the data has no column '{}'", column);
    require(deviation > 0 && std::isfinite(deviation), "the deviation of '{}' must be positive, not {}", column,
            deviation);
    found->weight = 1 / deviation;
  }
}

std::vector<std::string> find_missed(const FitOptions& fit, const FitReport& report) {
  std::vector<std::string> missed;
  for (std::size_t i = 0; i < fit.goals.size() && report.ok(); ++i) {
    const double left = report.rms[fit.data.size() + i];
    const FitGoal& goal = fit.goals[i];
    if (!goal.squares && left > kMissed * std::max(1.0, std::abs(goal.value)))
      missed.push_back(
          fmt::format("the goal {} = {:.6g} is missed by {:.4g}: no small change of the parameters brings "
                      "it closer. Another start may help, or the goal cannot be met",
                      goal.signal.name, goal.value, left));
  }
  return missed;
}

/// A fit does not follow stops of joints: says whether the motion that was found meets one.
std::vector<std::string> find_stops(const Situation& at, const FitOptions& fit, const FitReport& report,
                                    const std::vector<InputSource>& inputs) {
  std::vector<JointRange> stops = find_joint_ranges(at.model(), at.start());
  std::erase_if(stops, [](const JointRange& range) { return !range.rigid; });
  if (stops.empty() || !at.model().mechanism().stops || !report.ok()) return {};
  ModelOptions options = at.model().options();
  options.stops = false;
  const Model free = at.model().with_options(std::move(options));
  const auto known = [](const std::vector<Expr>& symbols, const std::string& name) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.name() == name; });
  };
  StartState start;
  start.t = at.state().t;
  start.parameters = at.start().parameters;
  for (std::size_t i = 0; i < at.equations().q.size(); ++i) start.q[at.equations().q[i].name()] = at.state().q[i];
  for (std::size_t i = 0; i < at.equations().u.size(); ++i) start.u[at.equations().u[i].name()] = at.state().u[i];
  for (const FittedParameter& p : report.parameters)
    (known(at.equations().q, p.name)   ? start.q
     : known(at.equations().u, p.name) ? start.u
                                       : start.parameters)[p.name] = p.value;
  SimulationOptions simulation;
  simulation.inputs = inputs;
  Simulation run(free, start, simulation);
  std::string met;
  (void)run.run({.until = fit.until}, [&](const State& s) {
    met = describe_outside(stops, s.q);
    if (!met.empty()) met += fmt::format(" at t = {:.6g} s", s.t);
    return met.empty();
  });
  if (met.empty()) return {};
  return {"a fit does not follow the stops of joints, and the motion it found passes one: " + met};
}

}  // namespace

ModelFit fit_model(const Model& model, const StartState& start, const FitProblem& problem) {
  Situation at(drive_series(model, problem.inputs), start);
  const EquationsOfMotion& e = at.equations();
  require_smooth(e, "a fit");
  FitOptions fit;
  fit.parameters = problem.parameters;
  if (problem.data) fit.data = fit_data(e, *problem.data);
  set_weights(problem, fit.data);
  fit.until = end_time(at.model(), at.state().t, problem.until);
  for (const auto& g : problem.goals)
    fit.goals.push_back({parse_signal(e, g.expression, "goal"), g.value, g.t.value_or(fit.until), 1, false});
  for (const auto& text : problem.minimize) fit.goals.push_back({parse_signal(e, text, "minimize"), 0, 0, 1, true});
  fit.tolerance = problem.tolerance.value_or(simulator_options(at.model()).tolerance);
  fit.max_iterations = problem.max_iterations;
  fit.on_run = problem.on_run;
  fit.inputs = all_sources(at.model(), problem.inputs);
  fit.initial = initial_by_parameters(at.model(), start);

  ModelFit result;
  result.model = e.name;
  for (const auto& d : fit.data) result.signals.push_back(d.signal.name);
  for (const auto& g : fit.goals) result.signals.push_back(g.signal.name);
  result.measured = fit.data.size();
  Fit solver(at.system(), fit);
  solver.run().set_inputs(at.start().inputs);
  solver.run().evaluator().set_active(at.start().active);
  result.report = solver.solve(at.start().parameters, at.state(), at.start().given);
  result.missed = find_missed(fit, result.report);
  result.warnings = find_stops(at, fit, result.report, problem.inputs);
  return result;
}

}  // namespace kane
