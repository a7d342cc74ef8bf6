// kane frequency: the response of an output to a harmonic input, about a state.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/local_analysis.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/terminal_plot.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/base/counted.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct FrequencyCommandOptions {
  ModelSource source;
  StateSource state;
  std::string out;
  FrequencyOptions frequency;
  bool hertz = false, plot = false, json = false, force = false;
};

constexpr double kRadPerTurn = 2 * std::numbers::pi;

void print_list(const char* title, const std::vector<std::complex<double>>& values) {
  fmt::print("  {:<8}", title);
  std::string text;
  for (const auto& s : values) {
    if (s.imag() < -1e-9 * std::abs(s)) continue;
    const bool real = std::abs(s.imag()) <= 1e-9 * std::abs(s);
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        real ? fmt::format("{:.6g}", s.real()) : fmt::format("{:.6g} ± {:.6g}i", s.real(), s.imag()));
  }
  fmt::print("{}\n", text.empty() ? "none" : text);
}

void write_points(const std::string& out, const std::vector<FrequencyPoint>& points) {
  TrajectoryFile file(out, {"omega", "frequency_hz", "magnitude", "decibel", "phase_deg", "real", "imaginary"});
  for (const auto& p : points)
    file.write(std::vector<double>{p.omega, p.omega / kRadPerTurn, p.magnitude, p.decibel, p.phase, p.response.real(),
                                   p.response.imag()});
  file.finish();
}

void print_report(const FrequencyReport& r, const Model& model, bool plot) {
  fmt::print("{}: response of {} to {}\n", r.summary.model, r.output, r.input);
  print_loop(r.summary.loop);
  fmt::print("\n  {:>12} {:>12} {:>14} {:>10} {:>10}\n", "rad/s", "Hz", "magnitude", "dB", "phase, °");
  const std::size_t rows = std::min<std::size_t>(r.points.size(), 13);
  for (std::size_t k = 0; k < rows; ++k) {
    const auto& p = r.points[rows == 1 ? 0 : k * (r.points.size() - 1) / (rows - 1)];
    fmt::print("  {:>12.5g} {:>12.5g} {:>14.6g} {:>10.3f} {:>10.2f}\n", p.omega, p.omega / kRadPerTurn, p.magnitude,
               p.decibel, p.phase);
  }
  fmt::print("\n");
  print_list("poles", r.modes.eigenvalues), print_list("zeros", r.zeros);
  const Margins& m = r.margins;
  if (m.gain) fmt::print("  gain margin   {:.4g} at {:.4g} rad/s\n", *m.gain, *m.gain_omega);
  if (m.phase) fmt::print("  phase margin  {:.4g}° at {:.4g} rad/s\n", *m.phase, *m.phase_omega);
  fmt::print("  the inputs control {} of {}; {} observes {}\n", r.controllable.rank,
             counted(r.controllable.states, "state"), r.output, r.observable.rank);
  if (plot) {
    std::vector<double> x;
    PlotCurve curve{"dB", {}};
    for (const auto& p : r.points) x.push_back(std::log10(p.omega)), curve.y.push_back(p.decibel);
    fmt::print("\nmagnitude in dB over log10(omega)\n{}\n", draw_plot(x, {curve}));
  }
  print_remarks(model, r.summary);
}

void run_frequency(const FrequencyCommandOptions& options) {
  OutputGuard(options.force, {options.source.model, options.state.file}).claim(options.out);
  const Model model = load_continuous(options.source);
  FrequencyOptions frequency = options.frequency;
  if (options.hertz) frequency.low *= kRadPerTurn, frequency.high *= kRadPerTurn;
  const FrequencyReport report = find_frequency_response(model, options.state.read_one(), frequency);
  if (!report.failure.empty()) throw RunFailed(report.failure);
  if (!options.out.empty()) write_points(options.out, report.points);
  if (options.json)
    fmt::print("{}\n", wire::to_json(report).dump());
  else
    print_report(report, model, options.plot);
}

}  // namespace

void add_frequency_command(CLI::App& app) {
  auto options = std::make_shared<FrequencyCommandOptions>();
  CLI::App* command =
      app.add_subcommand("frequency", "Frequency response (Bode data), zeros and margins about a state");
  options->source.add_to(*command);
  FrequencyOptions& frequency = options->frequency;
  command->add_option("--input", frequency.input,
                      "The oscillating input (default: the only one); if it has a law, the loop is opened there");
  command->add_option("--output", frequency.output, "A coordinate, speed, output, point component (P.x) or expression")
      ->required();
  options->state.add_to(
      *command,
      "JSON file with the state to linearize about, or the output of kane equilibrium --json; '-' reads "
      "standard input");
  command->add_flag("--equilibrium", frequency.equilibrium, "Find the equilibrium first, from the given state");
  command->add_flag("--open-loop", frequency.open_loop, "Leave out the laws of all inputs");
  command->add_option("--low", frequency.low, "Lowest frequency, rad/s (default 0.1)");
  command->add_option("--high", frequency.high, "Highest frequency, rad/s (default 1000)");
  command->add_option("--count", frequency.count, "Number of frequencies (default 200)");
  command->add_flag("--hertz", options->hertz, "--low and --high are in Hz");
  command->add_option("--out", options->out, "FILE.csv, FILE.h5 or FILE.mat with all points; '-' prints CSV");
  command->add_flag("--plot", options->plot, "Plot the magnitude");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane frequency models/damped_pendulum.yaml --set q=0 --output q --low 1 --high 30 --plot\n"
      "  kane frequency models/cartpole.yaml --equilibrium --input F --output theta --plot");
  command->callback([options] { run_frequency(*options); });
}

}  // namespace kane
