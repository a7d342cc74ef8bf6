// kane linearize: the linear equations about a state, their eigenvalues, and M, C, K in symbols.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/campbell_picture.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/local_analysis.hpp"
#include "apps/kane/mode_table.hpp"
#include "apps/kane/option_text.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/root_locus.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct LinearizeCommandOptions {
  ModelSource source;
  StateSource state;
  std::string sweep, out, picture;
  std::vector<double> orders;
  std::vector<std::string> at;
  LinearizeModelOptions linearize;
  bool json = false, force = false;
};

/// Few columns leave room for more digits.
void print_matrix(const std::string& name, const Matrix& m, const std::vector<std::string>& labels,
                  const std::vector<std::string>& columns) {
  if (m.rows() == 0 || m.columns() == 0) return;
  const int digits = columns.size() <= 4 ? 12 : 6;
  const std::size_t width = longest(columns, static_cast<std::size_t>(digits) + 7), label = longest(labels, 10);
  fmt::print("\n{:<{}}", name, label + 2);
  for (const std::string& c : columns) fmt::print(" {:>{}}", c, width);
  fmt::print("\n");
  for (std::size_t i = 0; i < m.rows(); ++i) {
    fmt::print("  {:<{}}", labels[i], label);
    for (std::size_t j = 0; j < m.columns(); ++j) fmt::print(" {:>{}}", number_text(m(i, j), digits), width);
    fmt::print("\n");
  }
}

void print_report(const LinearizationReport& r, const Model& model, const std::string& place) {
  const PointSummary& s = r.summary;
  fmt::print("{}: linear equations x' = A x + B r about the {}\n", s.model, place);
  print_loop(s.loop);
  if (!s.assembled.empty()) fmt::print("assembled:\n{}", s.assembled);
  print_matrix("A", r.a, r.states, r.states);
  print_matrix("B", r.b, r.states, r.inputs);
  if (!r.speeds.empty() && r.m.rows() == r.speeds.size()) {
    fmt::print("\nthe same as M du' + C du + K dq = F dr\n");
    print_matrix("M", r.m, r.speeds, r.speeds);
    print_matrix("C", r.c, r.speeds, r.speeds);
    print_matrix("K", r.k, r.speeds, r.coordinates);
    print_matrix("F", r.f, r.speeds, r.inputs);
  }
  fmt::print("\neigenvalues\n");
  for (const auto& lambda : r.modes.eigenvalues)
    fmt::print("  {:>16.10g} {:>+16.10g} i\n", lambda.real(), lambda.imag());
  fmt::print("\nmodes: {}\n", describe_stability(r.modes));
  print_modes(r.modes, r.states);
  if (!r.inputs.empty())
    fmt::print("\nthe inputs control {} of {}\n", r.controllable.rank, counted(r.controllable.states, "state"));
  if (!r.symbols.empty()) fmt::print("\nM du' + C du + K dq = F dr, entries that are not zero:\n");
  for (const SymbolicEntry& e : r.symbols) fmt::print("  {}[{}, {}] = {}\n", e.matrix, e.row, e.column, e.text);
  print_remarks(model, s);
}

void run_linearize(const LinearizeCommandOptions& options) {
  require(options.at.empty() && options.out.empty(), "--at and --out need --sweep");
  require(options.picture.empty() && options.orders.empty(), "--picture and --orders need --sweep");
  const Model model = load_continuous(options.source);
  const LinearizationReport report = linearize_model(model, options.state.read_one(), options.linearize);
  if (!report.failure.empty()) throw RunFailed(report.failure);
  if (options.json) {
    fmt::print("{}\n", wire::to_json(report).dump());
    return;
  }
  print_report(report, model,
               options.linearize.equilibrium ? options.linearize.steady ? "steady motion" : "equilibrium"
               : options.state.file.empty()  ? "initial state"
                                             : "given state");
}

void run_sweep(const LinearizeCommandOptions& options) {
  require(options.linearize.dependent.empty() && !options.linearize.symbols,
          "--dependent and --symbols cannot be used with --sweep, which works with numbers");
  const auto [name, range] = split_assignment(options.sweep, "--sweep");
  RootLocusOptions sweep;
  sweep.name = name, sweep.values = parse_range(range, "--sweep");
  for (const auto& text : options.at) {
    const auto [held, value] = split_assignment(text, "--at");
    sweep.at.push_back({held, value});
  }
  const LinearizeModelOptions& linearize = options.linearize;
  sweep.only = linearize.only, sweep.open_loop = linearize.open_loop;
  sweep.equilibrium = linearize.equilibrium && !linearize.steady;
  sweep.steady = linearize.equilibrium && linearize.steady;
  require(options.picture.empty() || options.picture.ends_with(".svg"), "--picture writes FILE.svg, not '{}'",
          options.picture);
  require(options.orders.empty() || !options.picture.empty(), "--orders are lines of --picture");
  OutputGuard guard(options.force, {options.source.model, options.state.file});
  guard.claim(options.out), guard.claim(options.picture);
  const Model model = load_continuous(options.source);
  const RootLocus locus = find_root_locus(model, options.state.read_one(), sweep);
  if (!options.out.empty()) write_root_locus(options.out, locus);
  if (!options.picture.empty() && !locus.values.empty())
    write_file(options.picture, draw_campbell(locus, options.orders));
  if (options.json)
    fmt::print("{}\n", wire::to_json(locus).dump());
  else if (options.out != "-")
    print_root_locus(locus, model);
  if (!locus.failure.empty()) throw RunFailed(locus.failure);
}

}  // namespace

void add_linearize_command(CLI::App& app) {
  auto options = std::make_shared<LinearizeCommandOptions>();
  CLI::App* command = app.add_subcommand("linearize", "Linear equations about a state and their eigenvalues");
  options->source.add_to(*command);
  LinearizeModelOptions& linearize = options->linearize;
  options->state.add_to(
      *command,
      "JSON file with the state to linearize about, or the output of kane equilibrium --json; '-' reads "
      "standard input");
  command->add_flag("--equilibrium", linearize.equilibrium,
                    "Find the equilibrium (--steady: the steady motion) first, from the given state");
  command->add_flag("--steady", linearize.steady, "The state is a steady motion: derivatives of the speeds are zero");
  command->add_flag("--open-loop", linearize.open_loop,
                    "Leave out the laws of inputs: inputs keep the values of their laws at the state");
  command->add_option("--only", linearize.only, "Vary only these coordinates and speeds")->delimiter(',');
  command->add_option("--dependent", linearize.dependent, "Dependent coordinates")->delimiter(',');
  command->add_flag("--symbols", linearize.symbols, "Also print M, C and K in symbols");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option(
      "--sweep", options->sweep,
      "name=begin:end:step: eigenvalues over a parameter, a coordinate, a speed, or a name used by --at");
  command
      ->add_option(
          "--at", options->at,
          "--sweep: name=expression, the value of a coordinate or speed at each step; the others are assembled")
      ->allow_extra_args(false);
  command->add_option("--csv,--out", options->out, "--sweep: FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV");
  command->add_option("--picture", options->picture,
                      "--sweep: FILE.svg, frequencies over the swept quantity (a Campbell diagram)");
  command
      ->add_option("--orders", options->orders,
                   "--picture: lines at these multiples of the swept quantity, such as 1,2,3 for a spin in rad/s")
      ->delimiter(',');
  command->footer(
      "Laws of inputs are part of the system, unless --open-loop leaves them out.\n"
      "Examples:\n"
      "  kane linearize models/damped_pendulum.yaml --set q=0\n"
      "  kane linearize models/cartpole.yaml --equilibrium --open-loop --symbols\n"
      "  kane linearize models/bicycle_linear.yaml --steady --only phi,delta,u_phi,u_delta\n"
      "  kane linearize models/damped_pendulum.yaml --set q=0 --sweep b=0:1:0.1   # root locus\n"
      "  kane linearize models/rotating_beam.yaml --set t=15 --sweep omega_s=0:12:0.5 --picture campbell.svg --orders "
      "1,2");
  command->callback([options] {
    if (options->sweep.empty()) return run_linearize(*options);
    run_sweep(*options);
  });
}

}  // namespace kane
