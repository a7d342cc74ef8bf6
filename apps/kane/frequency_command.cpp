// kane frequency: the response of an output to a harmonic input, about a state.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/mode_table.hpp"
#include "apps/kane/terminal_plot.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/frequency_response.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct FrequencyOptions {
  ModelSource source;
  std::string state, input, output, out;
  double low = 0.1, high = 1000;
  std::size_t count = 200;
  bool hertz = false, plot = false, json = false;
};

constexpr double kTurn = 2 * 3.14159265358979323846;

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

Json complex_list(const std::vector<std::complex<double>>& values) {
  Json list = Json::array();
  for (const auto& s : values) list.push_back({s.real(), s.imag()});
  return list;
}

void run_frequency(const FrequencyOptions& options) {
  // An input that has a law in the model is opened: the loop is cut there.
  std::vector<std::string> driven;
  if (!options.input.empty()) driven.push_back(options.input);
  AnalysisModel model(options.source, options.state, driven);
  const auto& inputs = model.system()->inputs();
  require(!inputs.empty(), "'{}' has no input; a frequency response needs one", model.equations().name);
  require(!options.input.empty() || inputs.size() == 1, "'{}' has {} inputs; choose one with --input",
          model.equations().name, inputs.size());
  const std::string input = options.input.empty() ? inputs.front() : options.input;
  const auto found = std::find(inputs.begin(), inputs.end(), input);
  if (found == inputs.end())
    throw ModelError(fmt::format("--input: there is no input '{}'{}", input, suggestion(input, inputs)));
  const Signal output = parse_signal(model.equations(), options.output, "--output");
  Linearizer linearizer(model.evaluator(), {.outputs = {output}, .only = {}});
  const State state = model.assembled();
  const LinearModel linear = linearizer.calc(state);
  const double unit = options.hertz ? kTurn : 1;
  const auto omega = log_spaced(options.low * unit, options.high * unit, options.count);
  const auto points = calc_frequency_response(linear, 0, static_cast<std::size_t>(found - inputs.begin()), omega);
  const auto zeros = calc_zeros(linear, 0, static_cast<std::size_t>(found - inputs.begin()));
  const ModeReport modes = calc_modes(linear.a);
  const Margins margins = calc_margins(points);
  const Reach controllable = calc_controllability(linear.a, linear.b),
              observable = calc_observability(linear.a, linear.c);

  if (!options.out.empty()) {
    TrajectoryFile file(options.out,
                        {"omega", "frequency_hz", "magnitude", "decibel", "phase_deg", "real", "imaginary"});
    for (const auto& p : points)
      file.write(std::vector<double>{p.omega, p.omega / kTurn, p.magnitude, p.decibel, p.phase, p.response.real(),
                                     p.response.imag()});
    file.finish();
  }
  const double drift =
      linear.drift.empty() ? 0 : *std::max_element(linear.drift.begin(), linear.drift.end(), [](double a, double b) {
        return std::abs(a) < std::abs(b);
      });
  if (options.json) {
    Json a;
    a["model"] = model.equations().name;
    a["input"] = input, a["output"] = options.output;
    for (const auto& p : points) {
      a["omega"].push_back(p.omega), a["magnitude"].push_back(json_number(p.magnitude));
      a["decibel"].push_back(json_number(p.decibel)), a["phase_deg"].push_back(json_number(p.phase));
    }
    a["poles"] = complex_list(modes.eigenvalues), a["zeros"] = complex_list(zeros);
    const auto optional = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
    a["gain_margin"] = optional(margins.gain), a["gain_margin_omega"] = optional(margins.gain_omega);
    a["phase_margin_deg"] = optional(margins.phase), a["phase_margin_omega"] = optional(margins.phase_omega);
    a["controllable"] = {{"rank", controllable.rank}, {"states", controllable.states}};
    a["observable"] = {{"rank", observable.rank}, {"states", observable.states}};
    a["drift"] = drift;
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{}: response of {} to {}\n\n", model.equations().name, options.output, input);
  fmt::print("  {:>12} {:>12} {:>14} {:>10} {:>10}\n", "rad/s", "Hz", "magnitude", "dB", "phase, °");
  const std::size_t rows = std::min<std::size_t>(points.size(), 13);
  for (std::size_t k = 0; k < rows; ++k) {
    const auto& p = points[rows == 1 ? 0 : k * (points.size() - 1) / (rows - 1)];
    fmt::print("  {:>12.5g} {:>12.5g} {:>14.6g} {:>10.3f} {:>10.2f}\n", p.omega, p.omega / kTurn, p.magnitude,
               p.decibel, p.phase);
  }
  fmt::print("\n");
  print_list("poles", modes.eigenvalues), print_list("zeros", zeros);
  if (margins.gain) fmt::print("  gain margin   {:.4g} at {:.4g} rad/s\n", *margins.gain, *margins.gain_omega);
  if (margins.phase) fmt::print("  phase margin  {:.4g}° at {:.4g} rad/s\n", *margins.phase, *margins.phase_omega);
  fmt::print("  the inputs control {} of {} states; {} observes {}\n", controllable.rank, controllable.states,
             options.output, observable.rank);
  if (options.plot) {
    std::vector<double> x;
    PlotCurve curve{"dB", {}};
    for (const auto& p : points) x.push_back(std::log10(p.omega)), curve.y.push_back(p.decibel);
    fmt::print("\nmagnitude in dB over log10(omega)\n{}\n", draw_plot(x, {curve}));
  }
  if (std::abs(drift) > 1e-6)
    fmt::print(stderr,
               "warning: the state is not an equilibrium (rates up to {:.3g}); find one with kane equilibrium\n",
               std::abs(drift));
}

}  // namespace

void add_frequency_command(CLI::App& app) {
  auto options = std::make_shared<FrequencyOptions>();
  CLI::App* command =
      app.add_subcommand("frequency", "Frequency response (Bode data), zeros and margins about a state");
  options->source.add_to(*command);
  command->add_option("--input", options->input, "The oscillating input (default: the only one)");
  command->add_option("--output", options->output, "A coordinate, speed, output, point component (P.x) or expression")
      ->required();
  command->add_option("--state", options->state,
                      "JSON file with the state to linearize about; '-' reads standard input");
  command->add_option("--low", options->low, "Lowest frequency, rad/s (default 0.1)");
  command->add_option("--high", options->high, "Highest frequency, rad/s (default 1000)");
  command->add_option("--count", options->count, "Number of frequencies (default 200)");
  command->add_flag("--hertz", options->hertz, "--low and --high are in Hz");
  command->add_option("--out", options->out, "FILE.csv, FILE.h5 or FILE.mat with all points; '-' prints CSV");
  command->add_flag("--plot", options->plot, "Plot the magnitude");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane frequency models/damped_pendulum.yaml --set q=0 --output q --low 1 --high 30 --plot");
  command->callback([options] { run_frequency(*options); });
}

}  // namespace kane
