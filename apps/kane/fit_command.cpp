// kane fit: parameters from measurements, or for a goal.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/mode_table.hpp"
#include "kane/analysis/fit.hpp"
#include "kane/base/error.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

/// A goal that is not met to this, relative to its value or 1, is called missed.
constexpr double kMissed = 1e-6;

struct FitCommandOptions {
  ModelSource source;
  std::string state, data, inputs;
  std::vector<std::string> parameters, goals, minimize, weights;
  std::optional<double> until, tolerance;
  int max_iterations = 100;
  bool hold = false, json = false;
};

double parse_number(const std::string& text, const std::string& option) {
  char* rest = nullptr;
  const double value = std::strtod(text.c_str(), &rest);
  require(!text.empty() && *rest == '\0' && !std::isnan(value), "{}: '{}' is not a number", option, text);
  return value;
}

/// "k", "k=0:100", "k=0:" or "k=:100".
FitParameter parse_parameter(const std::string& text) {
  FitParameter p;
  const auto equals = text.find('=');
  p.name = text.substr(0, equals);
  require(!p.name.empty(), "--parameter wants name or name=lower:upper, not '{}'", text);
  if (equals == std::string::npos) return p;
  const std::string range = text.substr(equals + 1);
  const auto colon = range.find(':');
  require(colon != std::string::npos, "--parameter wants name or name=lower:upper, not '{}'", text);
  if (colon > 0) p.lower = parse_number(range.substr(0, colon), "--parameter");
  if (colon + 1 < range.size()) p.upper = parse_number(range.substr(colon + 1), "--parameter");
  return p;
}

/// "EXPRESSION=VALUE" or "EXPRESSION=VALUE@TIME".
FitGoal parse_goal(const EquationsOfMotion& e, const std::string& text, double until) {
  const auto equals = text.rfind('=');
  require(equals != std::string::npos && equals > 0, "--goal wants expression=value or expression=value@time, not '{}'",
          text);
  const std::string right = text.substr(equals + 1);
  const auto at = right.find('@');
  FitGoal goal{parse_signal(e, text.substr(0, equals), "--goal"), parse_number(right.substr(0, at), "--goal"), until, 1,
               false};
  if (at != std::string::npos) goal.t = parse_number(right.substr(at + 1), "--goal");
  return goal;
}

void set_weights(const FitCommandOptions& options, std::vector<FitData>& data) {
  for (const auto& text : options.weights) {
    const auto [name, value] = split_assignment(text, "--sigma");
    const auto found =
        std::find_if(data.begin(), data.end(), [&column = name](const FitData& d) { return d.signal.name == column; });
    require(found != data.end(), "--sigma: the data have no column '{}'", name);
    const double sigma = parse_number(value, "--sigma");
    require(sigma > 0, "--sigma: the deviation of '{}' must be positive, not {}", name, sigma);
    found->weight = 1 / sigma;
  }
}

Json json_of(const FitReport& r, const FitOptions& fit) {
  static constexpr const char* kStatus[] = {"converged", "too many iterations", "stuck", "run failed"};
  Json a;
  a["status"] = kStatus[static_cast<int>(r.status)];
  a["parameters"] = Json::object();
  for (const auto& p : r.parameters)
    a["parameters"][p.name] = {{"start", p.start},
                               {"value", p.value},
                               {"standard_error", json_number(p.standard_error)},
                               {"at_bound", p.at_bound},
                               {"identifiable", p.identifiable}};
  a["iterations"] = r.iterations, a["runs"] = r.runs, a["residuals"] = r.residuals;
  a["runs_given_up"] = r.given_up;
  a["cost_start"] = r.cost_start, a["cost"] = r.cost;
  a["rms"] = Json::object();
  for (std::size_t i = 0; i < r.rms.size(); ++i)
    a["rms"][i < fit.data.size() ? fit.data[i].signal.name : fit.goals[i - fit.data.size()].signal.name] = r.rms[i];
  a["correlated"] = r.correlated, a["correlation"] = matrix_rows(r.correlation);
  a["condition"] = json_number(r.condition), a["unidentifiable"] = r.unidentifiable;
  return a;
}

void print_fit(const FitReport& r, const FitOptions& fit, const std::string& name) {
  static constexpr const char* kStatus[] = {"converged", "stopped: too many iterations",
                                            "stopped: no step improves any more", "the run failed"};
  fmt::print("{}: {} after {} iterations, {} runs; {} values compared\n\n", name, kStatus[static_cast<int>(r.status)],
             r.iterations, r.runs, r.residuals);
  const bool measured = !fit.data.empty();  // goals have no errors
  fmt::print("  {:<14} {:>15} {:>15}", "parameter", "start", "value");
  fmt::print("{}\n", measured ? fmt::format(" {:>13}  95 % interval", "std. error") : "");
  const auto error_of = [&](const FittedParameter& p) -> std::string {
    if (p.at_bound) return "  at its bound";
    if (!p.identifiable) return "  not identifiable";
    if (!measured) return "";
    if (!std::isfinite(p.standard_error)) return "  -";
    return fmt::format(" {:>13.4g}  {:.7g} ... {:.7g}", p.standard_error, p.value - 1.96 * p.standard_error,
                       p.value + 1.96 * p.standard_error);
  };
  for (const auto& p : r.parameters)
    fmt::print("  {:<14} {:>15.9g} {:>15.9g}{}\n", p.name, p.start, p.value, error_of(p));
  fmt::print("\n  {:<24} {:>14}\n", "signal", "rms of what is left");
  for (std::size_t i = 0; i < r.rms.size(); ++i)
    fmt::print("  {:<24} {:>14.6g}\n",
               i < fit.data.size() ? fit.data[i].signal.name : fit.goals[i - fit.data.size()].signal.name, r.rms[i]);
  if (measured && r.correlated.size() > 1) print_labelled("correlation", r.correlation, r.correlated, r.correlated);
  for (std::size_t i = 0; i < fit.goals.size() && r.ok(); ++i)
    if (const double left = r.rms[fit.data.size() + i];
        !fit.goals[i].squares && left > kMissed * std::max(1.0, std::abs(fit.goals[i].value)))
      fmt::print(
          "\n  the goal {} = {:.6g} is missed by {:.4g}: no small change of the parameters comes nearer. Another start "
          "may\n"
          "  (--set name=value), or the goal cannot be met\n",
          fit.goals[i].signal.name, fit.goals[i].value, left);
  if (r.given_up > 0)
    fmt::print(
        "\n  {} of the runs were given up because they needed many times the steps of the best one: for those values "
        "the\n"
        "  motion runs away. Bounds keep the search out of there: --parameter name=lower:upper\n",
        r.given_up);
  for (const auto& combination : r.unidentifiable)
    fmt::print("\n  the data cannot tell these apart (relative changes that leave every residual alone): {}\n",
               combination);
}

void run_fit(const FitCommandOptions& options) {
  const SeriesTable table = options.inputs.empty() ? SeriesTable{} : read_series(options.inputs);
  AnalysisModel model(options.source, options.state, table.names);
  const EquationsOfMotion& e = model.equations();
  FitOptions fit;
  for (const auto& text : options.parameters) fit.parameters.push_back(parse_parameter(text));
  if (!options.data.empty()) fit.data = fit_data(e, read_series(options.data));
  set_weights(options, fit.data);
  fit.until = model.until(options.until);
  for (const auto& text : options.goals) fit.goals.push_back(parse_goal(e, text, fit.until));
  for (const auto& text : options.minimize) fit.goals.push_back({parse_signal(e, text, "--minimize"), 0, 0, 1, true});
  fit.tolerance = options.tolerance.value_or(model.simulator_options().tolerance);
  fit.max_iterations = options.max_iterations;
  if (!options.inputs.empty())
    fit.inputs = series_inputs(table, options.hold ? Interpolation::Hold : Interpolation::Linear);
  const bool drawing = isatty(STDERR_FILENO) != 0;
  if (drawing)
    fit.on_run = [](int runs, double cost) {
      fmt::print(stderr, "\r{} runs, sum of squares {:.6g}    ", runs, cost);
      std::fflush(stderr);
    };
  Fit solver(model.system(), fit);
  solver.run().set_inputs(model.situation().inputs);
  if (model.situation().active) solver.run().evaluator().set_active(active_rows(e, model.situation()));
  const FitReport report = solver.solve(model.situation().parameters, model.start(), model.given());
  if (drawing) fmt::print(stderr, "\r{: <60}\r", "");
  if (report.status == FitStatus::RunFailed) throw RunFailed("the fit cannot begin: " + report.message);
  if (options.json) {
    Json a = json_of(report, fit);
    a["model"] = e.name;
    fmt::print("{}\n", a.dump());
  } else {
    print_fit(report, fit, e.name);
  }
  if (!report.ok()) throw RunFailed("the fit did not converge; what is printed is the best that was found");
}

}  // namespace

void add_fit_command(CLI::App& app) {
  auto options = std::make_shared<FitCommandOptions>();
  CLI::App* command = app.add_subcommand("fit", "Parameters from measured data, or for a goal");
  options->source.add_to(*command);
  command
      ->add_option("--parameter", options->parameters,
                   "name or name=lower:upper: a parameter, or the initial value of a coordinate or speed")
      ->allow_extra_args(false)
      ->required();
  command->add_option("--data", options->data, "CSV file: column t, and columns named like signals (q1, tip_x, P.x)");
  command->add_option("--sigma", options->weights, "name=deviation of a column (default: spread of its values)")
      ->allow_extra_args(false);
  command->add_option("--goal", options->goals, "expression=value[@time]: what should hold, at the end unless told")
      ->allow_extra_args(false);
  command->add_option("--minimize", options->minimize, "expression whose mean square over the run should be small")
      ->allow_extra_args(false);
  command->add_option("--until", options->until, "End of the run for goals, s");
  command->add_option("--tolerance", options->tolerance, "Accuracy of the runs, relative");
  command->add_option("--max-iterations", options->max_iterations, "Default 100");
  command->add_option("--state", options->state, "JSON file with the initial state; '-' reads standard input");
  command->add_option("--inputs", options->inputs, "CSV file with time series of inputs");
  command->add_flag("--hold", options->hold, "Hold inputs of the file between its points instead of interpolating");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("The start is the model's value, or --set name=value. Exit code 1 if the fit does not converge.");
  command->callback([options] { run_fit(*options); });
}

}  // namespace kane
