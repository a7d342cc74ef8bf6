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
#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/option_text.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/fit_model.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct FitCommandOptions {
  ModelSource source;
  StateSource state;
  InputSeriesSource inputs;
  std::string data;
  std::vector<std::string> parameters, goals, minimize, weights;
  std::optional<double> until, tolerance;
  int max_iterations = 100;
  bool json = false;
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
  require(!p.name.empty(), "--parameter needs name or name=lower:upper, not '{}'", text);
  if (equals == std::string::npos) return p;
  const std::string range = text.substr(equals + 1);
  const auto colon = range.find(':');
  require(colon != std::string::npos, "--parameter needs name or name=lower:upper, not '{}'", text);
  if (colon > 0) p.lower = parse_number(range.substr(0, colon), "--parameter");
  if (colon + 1 < range.size()) p.upper = parse_number(range.substr(colon + 1), "--parameter");
  return p;
}

/// "EXPRESSION=VALUE" or "EXPRESSION=VALUE@TIME".
FitProblem::Goal parse_goal(const std::string& text) {
  const auto equals = text.rfind('=');
  require(equals != std::string::npos && equals > 0, "--goal needs expression=value or expression=value@time, not '{}'",
          text);
  const std::string right = text.substr(equals + 1);
  const auto at = right.find('@');
  FitProblem::Goal goal{text.substr(0, equals), parse_number(right.substr(0, at), "--goal"), {}};
  if (at != std::string::npos) goal.t = parse_number(right.substr(at + 1), "--goal");
  return goal;
}

FitProblem problem_of(const FitCommandOptions& options) {
  FitProblem problem;
  for (const auto& text : options.parameters) problem.parameters.push_back(parse_parameter(text));
  if (!options.data.empty()) problem.data = read_series(options.data);
  for (const auto& text : options.weights) {
    const auto [name, value] = split_assignment(text, "--sigma");
    problem.deviations[name] = parse_number(value, "--sigma");
  }
  for (const auto& text : options.goals) problem.goals.push_back(parse_goal(text));
  problem.minimize = options.minimize;
  problem.until = options.until, problem.tolerance = options.tolerance;
  problem.max_iterations = options.max_iterations;
  problem.inputs = options.inputs.read();
  return problem;
}

void print_fit(const ModelFit& fit) {
  const FitReport& r = fit.report;
  static constexpr const char* kStatus[] = {"converged", "stopped: too many iterations",
                                            "stopped: no step improves the fit", "the run failed"};
  fmt::print("{}: {} after {}, {}; {} compared\n\n", fit.model, kStatus[static_cast<int>(r.status)],
             counted(r.iterations, "iteration"), counted(r.runs, "run"), counted(r.residuals, "value"));
  const bool measured = fit.measured > 0;  // goals have no errors
  std::size_t name = 14;
  for (const auto& p : r.parameters) name = std::max(name, p.name.size());
  fmt::print("  {:<{}} {:>15} {:>15}", "parameter", name, "start", "value");
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
    fmt::print("  {:<{}} {:>15.9g} {:>15.9g}{}\n", p.name, name, p.start, p.value, error_of(p));
  fmt::print("\n");
  TextTable signals({"signal", "residual RMS"}, 24);
  for (std::size_t i = 0; i < r.rms.size(); ++i) signals.add(fit.signals[i], {r.rms[i]}, 6);
  signals.print();
  if (measured && r.correlated.size() > 1) print_labelled("correlation", r.correlation, r.correlated, r.correlated);
  for (const auto& sentence : fit.warnings) fmt::print(stderr, "warning: {}\n", sentence);
  for (const auto& sentence : fit.missed) fmt::print("\n  {} (--set name=value changes the start)\n", sentence);
  if (r.given_up > 0)
    fmt::print(
        "\n  {} of the runs were abandoned because they needed many times the steps of the best one: for those values "
        "the\n"
        "  motion runs away. Use bounds to exclude them: --parameter name=lower:upper\n",
        r.given_up);
  for (const auto& combination : r.unidentifiable)
    fmt::print("\n  the data cannot distinguish these (relative changes that leave every residual unchanged): {}\n",
               combination);
}

void run_fit(const FitCommandOptions& options) {
  FitProblem problem = problem_of(options);
  const bool drawing = isatty(STDERR_FILENO) != 0;
  if (drawing)
    problem.on_run = [](int runs, double cost) {
      fmt::print(stderr, "\r{}, sum of squares {:.6g}    ", counted(runs, "run"), cost);
      std::fflush(stderr);
    };
  const StartState start = options.state.read_one();
  const ModelFit fit = fit_model(options.source.load(driven_by(start, problem.inputs)), start, problem);
  if (drawing) fmt::print(stderr, "\r{: <60}\r", "");
  if (fit.report.status == FitStatus::RunFailed) throw RunFailed("the fit cannot start: " + fit.report.message);
  if (options.json)
    fmt::print("{}\n", wire::to_json(fit).dump());
  else
    print_fit(fit);
  if (!fit.report.ok()) throw RunFailed("the fit did not converge; the best result found is printed above");
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
  command->add_option("--goal", options->goals, "expression=value[@time]: a goal, at the end of the run by default")
      ->allow_extra_args(false);
  command->add_option("--minimize", options->minimize, "Expression whose mean square over the run is minimized")
      ->allow_extra_args(false);
  command->add_option("--until", options->until, "End time of runs for goals, s");
  command->add_option("--tolerance", options->tolerance, "Relative accuracy of the runs");
  command->add_option("--max-iterations", options->max_iterations, "Largest number of iterations (default 100)");
  options->state.add_to(*command, "JSON file with the initial state; '-' reads standard input");
  options->inputs.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "The search starts from the model's values, or from --set name=value. The exit code is 1 if the fit does not "
      "converge.\n"
      "Examples:\n"
      "  kane fit models/damped_pendulum.yaml --data models/damped_pendulum.csv --parameter l=0.1:2 --parameter b=0:1\n"
      "  kane fit models/damped_pendulum.yaml --set q=0 --parameter u=0:20 --goal q=1.57 --until 0.4");
  command->callback([options] { run_fit(*options); });
}

}  // namespace kane
