// kane inverse: the inputs that make a prescribed motion happen; and a run that follows it by computed torque.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/inverse_dynamics.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct InverseCommandOptions {
  ModelSource source;
  std::string state, out;
  std::vector<std::string> motion, actuators;
  std::optional<double> from, until, step;
  double kp = 100, kd = 20, period = 1e-3;
  bool generalized = false, full = false, track = false, json = false;
};

/// Largest and root mean square values of a column.
struct Column {
  std::string name;
  double smallest = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();
  double squares = 0;
  long count = 0;
  void add(double x) { smallest = std::min(smallest, x), largest = std::max(largest, x), squares += x * x, ++count; }
  [[nodiscard]] double rms() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
};

class InverseCommand {
 public:
  explicit InverseCommand(const InverseCommandOptions& options)
      : options_(options), model_(options.source, options.state, options.actuators), path_(model_.evaluator()) {
    require(!options.motion.empty(), "--motion is missing: a CSV file, or expressions such as 'q1=sin(t)'");
    for (const auto& text : options.motion) {
      if (text.find('=') == std::string::npos || std::filesystem::exists(text)) {
        path_.add(read_series(text));
      } else {
        const auto [name, expression] = split_assignment(text, "--motion");
        path_.add(name, expression);
      }
    }
    begin_ = options.from.value_or(std::isfinite(path_.begin()) ? path_.begin() : model_.situation().t);
    end_ = options.until.value_or(std::isfinite(path_.end()) ? path_.end() : model_.until({}));
    require(begin_ >= path_.begin() && end_ <= path_.end(), "the table of the motion covers {} s to {} s only",
            path_.begin(), path_.end());
  }

  void run() {
    InverseDynamics inverse(model_.evaluator(), path_, {options_.actuators, options_.generalized});
    if (options_.track) return track(inverse);
    const std::string out = options_.out.empty() ? model_.equations().name + "_inputs.csv" : options_.out;
    std::vector<std::string> names{model_.equations().t.name()};
    for (const auto& name : inverse.actuators()) names.push_back(name);
    if (options_.full) add_full_names(names);
    for (const auto& name : inverse.actuators()) columns_.push_back({name});
    const SampleTimes times(begin_, end_, options_.step.value_or(0), 1000);
    InverseSample sample;
    sample.state = model_.start();
    // What is refused must not cost the file of an earlier run: the first sample comes before the file is opened.
    inverse.calc(times.time(0), sample);
    TrajectoryFile file(out, names);
    std::vector<double> row;
    for (long k = 0; k <= times.last(); ++k) {
      if (k > 0) calc_or_finish(inverse, times.time(k), sample, file);
      row.assign(1, sample.state.t);
      row.insert(row.end(), sample.force.begin(), sample.force.end());
      for (std::size_t i = 0; i < sample.force.size(); ++i) columns_[i].add(sample.force[i]);
      if (options_.full)
        for (const auto* part : {&sample.state.q, &sample.state.u, &sample.udot, &sample.lambda})
          row.insert(row.end(), part->begin(), part->end());
      file.write(row);
      if (sample.missing > missing_)
        missing_ = sample.missing, missing_time_ = sample.state.t, missing_speed_ = sample.missing_speed;
    }
    file.finish();
    print(out, times.last() + 1);
  }

 private:
  /// A sample that cannot be had ends the command; those before it stay readable.
  static void calc_or_finish(InverseDynamics& inverse, double t, InverseSample& sample, TrajectoryFile& file) {
    try {
      inverse.calc(t, sample);
    } catch (const ModelError&) {
      file.finish();
      throw;
    }
  }

  void add_full_names(std::vector<std::string>& names) const {
    const EquationsOfMotion& e = model_.equations();
    for (const auto* symbols : {&e.q, &e.u, &e.udot})
      for (const auto& s : *symbols) names.push_back(s.name());
    for (const auto& c : e.constraints) names.push_back("lambda." + c.name);
  }

  void print(const std::string& out, long samples) const {
    std::FILE* const to = out == "-" ? stderr : stdout;
    const std::string lacking =
        missing_speed_ < 0 ? "" : model_.equations().u[static_cast<std::size_t>(missing_speed_)].name();
    if (options_.json) {
      Json a;
      a["model"] = model_.equations().name;
      a["out"] = out, a["samples"] = samples, a["t_begin"] = begin_, a["t_end"] = end_;
      for (const auto& c : columns_)
        a["actuators"][c.name] = {{"min", c.smallest}, {"max", c.largest}, {"rms", c.rms()}};
      a["missing"] = missing_;
      if (missing_speed_ >= 0) a["missing_speed"] = lacking, a["missing_time"] = missing_time_;
      fmt::print(to, "{}\n", a.dump());
      return;
    }
    fmt::print(to, "{}: inverse dynamics from {:.6g} s to {:.6g} s, {} samples in {}\n\n", model_.equations().name,
               begin_, end_, samples, out == "-" ? "standard output" : out);
    fmt::print(to, "  {:<16} {:>14} {:>14} {:>14}\n", "actuator", "smallest", "largest", "rms");
    for (const auto& c : columns_)
      fmt::print(to, "  {:<16} {:>14.7g} {:>14.7g} {:>14.7g}\n", c.name, c.smallest, c.largest, c.rms());
    if (missing_speed_ >= 0)
      fmt::print(
          stderr,
          "warning: the actuators cannot make this motion: up to {:.6g} is missing along the speed '{}' (at t = {:.6g} "
          "s)\n",
          missing_, lacking, missing_time_);
  }

  /// A run under computed torque, from the model's initial state.
  void track(InverseDynamics& inverse) {
    require(!options_.generalized, "--track needs inputs of the model, not generalized forces");
    const EquationsOfMotion& e = model_.equations();
    SimulatorOptions simulation = model_.simulator_options();
    bool lost = false;
    simulation.inputs.emplace_back(
        SampledInput{model_.system()->inputs(), options_.period, 0,
                     [&](const State& state, std::span<const double> inputs, std::span<double> values) {
                       std::copy(inputs.begin(), inputs.end(), values.begin());
                       lost = lost || !inverse.calc_feedback(state, options_.kp, options_.kd, values);
                     }});
    const auto simulator = model_.make_simulator(simulation);
    State state = model_.start();
    state.t = begin_;
    simulator->start(simulator->assemble(state, model_.given()));
    const std::string out = options_.out.empty() ? e.name + "_tracked.csv" : options_.out;
    std::vector<std::string> names{e.t.name()};
    for (const auto* symbols : {&e.q, &e.u})
      for (const auto& s : *symbols) names.push_back(s.name());
    for (const auto& name : model_.system()->inputs()) names.push_back(name);
    TrajectoryFile file(out, names);
    std::vector<CurvePoint> reference(path_.coordinates().size());
    for (const std::size_t k : path_.coordinates()) columns_.push_back({e.q[k].name()});
    std::vector<double> row, last(reference.size());
    const RunReport report =
        simulator->run({.until = end_, .output_step = options_.step.value_or(0)}, [&](const State& s) {
          row.assign(1, s.t);
          row.insert(row.end(), s.q.begin(), s.q.end()), row.insert(row.end(), s.u.begin(), s.u.end());
          const auto inputs = simulator->evaluator().inputs();
          row.insert(row.end(), inputs.begin(), inputs.end());
          file.write(row);
          path_.calc(s.t, reference);
          for (std::size_t i = 0; i < reference.size(); ++i) {
            last[i] = s.q[path_.coordinates()[i]] - reference[i].value;
            columns_[i].add(std::abs(last[i]));
          }
          return !lost;
        });
    file.finish();
    if (options_.json) {
      Json a;
      a["model"] = e.name, a["out"] = out;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        a["errors"][columns_[i].name] = {
            {"largest", columns_[i].largest}, {"rms", columns_[i].rms()}, {"last", last[i]}};
      fmt::print("{}\n", a.dump());
    } else {
      fmt::print("{}: computed torque every {:.4g} s, kp = {:.6g}, kd = {:.6g}, {} samples in {}\n\n", e.name,
                 options_.period, options_.kp, options_.kd, report.samples, out);
      fmt::print("  {:<16} {:>14} {:>14} {:>14}\n", "error of", "largest", "rms", "at the end");
      for (std::size_t i = 0; i < columns_.size(); ++i)
        fmt::print("  {:<16} {:>14.4e} {:>14.4e} {:>14.4e}\n", columns_[i].name, columns_[i].largest, columns_[i].rms(),
                   last[i]);
    }
    if (report.failure) throw RunFailed(report.failure->message(e));
    if (lost)
      throw RunFailed("the run stopped: the mechanism came into a singular position, where no torque is determined");
  }

  const InverseCommandOptions& options_;
  AnalysisModel model_;
  MotionPath path_;
  double begin_ = 0, end_ = 0;
  std::vector<Column> columns_;
  double missing_ = 0, missing_time_ = 0;
  int missing_speed_ = -1;
};

}  // namespace

void add_inverse_command(CLI::App& app) {
  auto options = std::make_shared<InverseCommandOptions>();
  CLI::App* command = app.add_subcommand("inverse", "Inputs that make a prescribed motion happen");
  options->source.add_to(*command);
  command
      ->add_option("--motion", options->motion,
                   "FILE.csv with columns t and coordinates, or expressions of t and parameters: --motion 'q1=sin(t)' "
                   "'q2=0.3*t'")
      ->expected(1, -1);
  command->add_option("--actuators", options->actuators, "Only these inputs act")->delimiter(',');
  command->add_flag("--generalized", options->generalized, "Generalized forces along the speeds instead of inputs");
  command->add_option("--from", options->from, "Begin, s (default: of the table, or the model)");
  command->add_option("--until", options->until, "End, s");
  command->add_option("--step", options->step, "Time between samples, s (default: 1000 intervals)");
  command->add_option("--state", options->state,
                      "JSON file with parameters, active constraints, guesses of the other coordinates");
  command->add_option(
      "--out", options->out,
      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_inputs.csv); kane simulate --inputs "
      "reads it");
  command->add_flag("--full", options->full, "Write coordinates, speeds, accelerations and multipliers too");
  command->add_flag("--track", options->track, "Simulate from the initial state under computed torque instead");
  command->add_option("--kp", options->kp, "--track: position gain, 1/s^2 (default 100)");
  command->add_option("--kd", options->kd, "--track: rate gain, 1/s (default 20)");
  command->add_option("--period", options->period, "--track: sampling period of the controller, s (default 1e-3)");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { InverseCommand(*options).run(); });
}

}  // namespace kane
