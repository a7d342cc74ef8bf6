// kane simulate: a trajectory, and what is to be known about it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/progress_bar.hpp"
#include "apps/kane/run_pictures.hpp"
#include "apps/kane/terminal_plot.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "apps/kane/video_writer.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/input_sources.hpp"
#include "kane/model/mode_systems.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct SimulateOptions {
  ModelSource source;
  std::string out, state, method, inputs, constraints;
  std::optional<double> until, tolerance, absolute_tolerance, step, output_step, control_period;
  double control_delay = 0;
  std::vector<std::string> plot;
  PictureOptions pictures;
  bool hold = false, json = false, quiet = false, interpreter = false, strict = false, no_report = false;
};

// Only a handler can hear Ctrl-C, and only a flag of this kind may be set in one.
volatile std::sig_atomic_t interrupted = 0;

/// Hears Ctrl-C for as long as it lives; a second one ends the program as usual.
class InterruptGuard {
 public:
  InterruptGuard() : before_(std::signal(SIGINT, &InterruptGuard::handle)) { interrupted = 0; }
  ~InterruptGuard() { std::signal(SIGINT, before_); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static void handle(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  }
  void (*before_)(int);
};

class Simulation {
 public:
  explicit Simulation(const SimulateOptions& options)
      : options_(options), pictures_(options.pictures), mechanism_(options.source.read()) {
    for (const auto& file : {options.out, pictures_.report, pictures_.video}) options.source.check_output(file);
    (void)pictures_.checked_frames();
    if (!pictures_.video.empty()) check_video(pictures_.video);
    // Whoever says nothing about files gets the trajectory and the page.
    if (options.out.empty() && !options.no_report && pictures_.report.empty())
      pictures_.report = mechanism_.name + ".html";
    if (pictures_.wanted()) add_scene_outputs(mechanism_);
    if (!options.state.empty()) given_state_ = read_state_file(options.state);
    require(given_state_.is_object(), "a simulation starts from one state, not from a list of them");
    read_sources();
    compile();
    simulator_ = make_simulator(system_, simulator_options());
    assemble();
    plan();
  }

  void run() {
    const std::string out = options_.out.empty() ? mechanism_.name + ".csv" : options_.out;
    const std::vector<std::string> names = column_names();
    choose_plots(names);
    TrajectoryFile file(out, names);
    row_.resize(names.size());
    std::optional<RunPictures> pictures;
    if (pictures_.wanted()) pictures.emplace(pictures_, mechanism_, *simulator_, parameters_);
    const InterruptGuard guard;
    ProgressBar progress(plan_.t0, plan_.run.until, !options_.quiet && !options_.json);
    const auto on_sample = [&](const State& sample) {
      fill_row(sample);
      file.write(row_);
      if (pictures) pictures->add(sample);
      keep_plots();
      return interrupted == 0;
    };
    const auto on_step = [&](double t) {
      progress.show(t);
      return interrupted == 0;
    };
    report_ = simulator_->run(plan_.run, on_sample, on_step);
    progress.clear();
    file.finish();
    if (pictures) {
      pictures->finish(report_, options_.source.model, option_rows(out));
      pictures_written_ = pictures->written();
    }
    print(out);
    if (report_.failure)
      throw RunFailed(report_.failure->message(system_->equations()) +
                      fmt::format("\nWhat was computed until then is in {}.", out));
  }

 private:
  // ---- preparing -------------------------------------------------------------------------------------------------------
  void read_sources() {
    if (!options_.constraints.empty()) (void)constraint_method_from(options_.constraints);
    require(options_.control_delay == 0 || options_.control_period,
            "--control-delay needs --control-period: only laws that are sampled are delayed");
    driven_ = inputs_named(given_state_);
    if (!options_.inputs.empty()) {
      const SeriesTable table = read_series(options_.inputs);
      sources_ = series_inputs(table, options_.hold ? Interpolation::Hold : Interpolation::Linear);
      driven_.insert(driven_.end(), table.names.begin(), table.names.end());
    }
    if (options_.control_period) {
      SampledInput sampled{{}, *options_.control_period, options_.control_delay, {}};
      for (const auto& law : mechanism_.input_laws)
        if (std::find(driven_.begin(), driven_.end(), law.name) == driven_.end()) sampled.inputs.push_back(law.name);
      require(!sampled.inputs.empty(), "--control-period: the model has no input with a law that could be sampled");
      driven_.insert(driven_.end(), sampled.inputs.begin(), sampled.inputs.end());
      sources_.emplace_back(std::move(sampled));
    }
    InputSources own = model_input_sources(mechanism_, driven_);
    driven_.insert(driven_.end(), own.driven.begin(), own.driven.end());
    std::move(own.sources.begin(), own.sources.end(), std::back_inserter(sources_));
  }

  [[nodiscard]] CompileOptions compile_options() const {
    CompileOptions compile;
    compile.strict = options_.strict;
    compile.use_interpreter = options_.interpreter;
    compile.functions = table_functions(mechanism_);
    compile.driven_inputs = driven_;
    return compile;
  }

  void compile() {
    FormOptions form;
    form.formulation = formulation_from(options_.source.formulation);
    system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism_, form), compile_options());
  }

  [[nodiscard]] SimulatorOptions simulator_options() const {
    const SimulationSettings& settings = mechanism_.simulation;
    SimulatorOptions o;
    const std::string method = options_.method.empty() ? settings.method : options_.method;
    if (!method.empty()) o.method = method_from(method);
    o.tolerance = options_.tolerance.value_or(settings.tolerance.value_or(o.tolerance));
    const auto absolute =
        options_.absolute_tolerance ? options_.absolute_tolerance : number_setting(settings, "absolute_tolerance");
    o.absolute_tolerance = absolute.value_or(0.0);
    o.step = options_.step.value_or(settings.step.value_or(o.step));
    o.inputs = sources_;
    if (!system_->equations().switched()) return o;
    const auto own = mechanism_.simulation.other.find("constraints");
    const std::string constraints = !options_.constraints.empty()              ? options_.constraints
                                    : own != mechanism_.simulation.other.end() ? own->second
                                                                               : std::string("embedded");
    o.constraints = constraint_method_from(constraints);
    if (o.constraints == ConstraintMethod::Modes) o.modes = form_mode_systems(mechanism_, compile_options());
    return o;
  }

  void assemble() {
    const EquationsOfMotion& e = system_->equations();
    const Situation situation = make_situation(given_state_, mechanism_, *system_);
    State state = start_state(mechanism_, given_state_, situation);
    simulator_->set_parameters(situation.parameters);
    simulator_->set_inputs(situation.inputs);
    if (situation.active) simulator_->set_active(active_rows(e, situation));
    state = simulator_->assemble(state, given_values(mechanism_, e, given_state_), &assembly_);
    simulator_->start(state);
    const auto names = system_->parameters();
    const auto values = system_->calc_parameters(situation.parameters);
    for (std::size_t i = 0; i < names.size(); ++i) parameters_[names[i]] = values[i];
    plan_.t0 = state.t;
    if (!assembly_.moved.empty() && !options_.quiet && !options_.json)
      fmt::print(stderr, "assembled; moved to the nearest state on the constraints:\n{}", assembly_.to_string());
  }

  void plan() {
    constexpr double kDefaultDuration = 10;
    const SimulationSettings& settings = mechanism_.simulation;
    plan_.run.until = options_.until.value_or(settings.until.value_or(plan_.t0 + kDefaultDuration));
    const auto sample = options_.output_step ? options_.output_step : number_setting(settings, "sample");
    plan_.run.output_step = sample.value_or(0.0);
    require(options_.output_step.value_or(1) > 0, "--output-step must be positive, but it is {}",
            options_.output_step.value_or(1));
  }

  // ---- while it runs ---------------------------------------------------------------------------------------------------
  std::vector<std::string> column_names() {
    const EquationsOfMotion& e = system_->equations();
    std::vector<std::string> names{e.t.name()};
    for (const auto& q : e.q) names.push_back(q.name());
    for (const auto& u : e.u) names.push_back(u.name());
    for (const auto& item : system_->report_items()) {
      if (item.kind != ReportItem::Kind::Output || is_scene_output(item.name)) continue;
      names.push_back(item.name);
      outputs_.push_back(item.first);
    }
    return names;
  }

  void fill_row(const State& sample) {
    auto to = row_.begin();
    *to++ = sample.t;
    to = std::copy(sample.q.begin(), sample.q.end(), to);
    to = std::copy(sample.u.begin(), sample.u.end(), to);
    if (outputs_.empty()) return;
    const auto reports = simulator_->calc_reports(sample);
    for (const std::size_t i : outputs_) *to++ = reports.empty() ? std::nan("") : reports[i];
  }

  void choose_plots(const std::vector<std::string>& names) {
    for (const auto& wanted : options_.plot) {
      const auto found = std::find(names.begin(), names.end(), wanted);
      if (found == names.end())
        throw ModelError(fmt::format("--plot: the trajectory has no '{}'{}", wanted, suggestion(wanted, names)));
      plotted_.push_back(static_cast<std::size_t>(found - names.begin()));
      curves_.push_back({wanted, {}});
    }
  }

  void keep_plots() {
    if (plotted_.empty()) return;
    times_.push_back(row_.front());
    for (std::size_t i = 0; i < plotted_.size(); ++i) curves_[i].y.push_back(row_[plotted_[i]]);
  }

  /// How the run was made, for its page.
  [[nodiscard]] Json option_rows(const std::string& out) const {
    const SimulatorOptions& o = simulator_->options();
    const RunReport& r = report_;
    Json rows = Json::array();
    rows.push_back({"time", fmt::format("{:.9g} s to {:.9g} s", r.t_begin, r.t_end)});
    rows.push_back({"method", fmt::format("{}{}", r.method, r.canonical ? ", canonical variables" : "")});
    if (has_fixed_step(o.method))
      rows.push_back({"step", fmt::format("{} s", o.step)});
    else
      rows.push_back({"tolerance", fmt::format("{}", o.tolerance)});
    rows.push_back({"steps", fmt::format("{} ({} rejected)", r.totals.steps, r.totals.rejected)});
    rows.push_back({"evaluations", fmt::format("{}", r.totals.evaluations)});
    rows.push_back({"formulation", system_->equations().formulation});
    rows.push_back({"samples", fmt::format("{} in {}", r.samples, out)});
    if (simulator_->switched())
      rows.push_back({"events", fmt::format("{}; {:.6g} J lost in impacts", report_.event_count, report_.energy_lost)});
    for (const auto& setting : options_.source.settings) rows.push_back({"set", setting});
    for (const auto& m : assembly_.moved)
      rows.push_back(
          {"assembled", fmt::format("{}: {:.9g} to {:.9g}{}", m.name, m.from, m.to, m.given ? " (was given)" : "")});
    return rows;
  }

  // ---- afterwards ------------------------------------------------------------------------------------------------------
  [[nodiscard]] Json summary(const std::string& out) const {
    static constexpr const char* kStatus[] = {"done", "stopped", "failed"};
    const RunReport& r = report_;
    Json j;
    j["model"] = system_->equations().name;
    j["status"] = kStatus[static_cast<int>(r.status)];
    j["out"] = out;
    if (!pictures_written_.empty()) j["pictures"] = pictures_written_;
    j["t_begin"] = r.t_begin, j["t_end"] = r.t_end, j["samples"] = r.samples;
    j["method"] = r.method;
    j["canonical"] = r.canonical;
    j["steps"] = r.totals.steps, j["rejected"] = r.totals.rejected;
    j["evaluations"] = r.totals.evaluations, j["jacobians"] = r.totals.jacobians;
    j["energy"] = nullptr;
    if (r.energy.known)
      j["energy"] = {{"conservative", r.energy.conservative},
                     {"start", r.energy.start},
                     {"end", r.energy.end},
                     {"largest_drift", r.energy.largest_drift},
                     {"relative_drift", r.energy.relative_drift()}};
    j["constraint_residual"] = r.constraints.configuration;
    j["speed_residual"] = r.constraints.motion;
    j["change_points"] = r.change_points;
    j["wall_seconds"] = r.times.total;
    j["processor_seconds"] = {
        {"total", r.times.processor},       {"kernel", r.times.kernel},           {"solve", r.times.solve},
        {"projection", r.times.projection}, {"integrator", r.times.integrator()}, {"output", r.times.output}};
    Json moved = Json::array();
    for (const auto& m : assembly_.moved)
      moved.push_back({{"name", m.name}, {"from", m.from}, {"to", m.to}, {"given", m.given}});
    j["assembly"] = moved;
    if (simulator_->switched()) j["events"] = events_json(), j["event_count"] = report_.event_count;
    j["warnings"] = r.warnings;
    if (r.failure) j["failure"] = {{"t", r.failure->t}, {"quantity", r.failure->quantity}, {"cause", r.failure->cause}};
    return j;
  }

  [[nodiscard]] Json events_json() const {
    const EquationsOfMotion& e = system_->equations();
    const auto speeds = [&](const std::vector<double>& u) {
      Json j = Json::object();
      for (std::size_t i = 0; i < u.size(); ++i) j[e.u[i].name()] = u[i];
      return j;
    };
    Json events = Json::array();
    for (const SwitchRecord& r : report_.events) {
      Json impulses = Json::object();
      for (const auto& [row, impulse] : r.impulses) impulses[row] = impulse;
      events.push_back({{"t", r.t},
                        {"causes", r.causes},
                        {"changes", r.changes},
                        {"u_before", speeds(r.u_before)},
                        {"u_after", speeds(r.u_after)},
                        {"impulses", impulses},
                        {"kinetic_before", r.kinetic_before},
                        {"kinetic_after", r.kinetic_after},
                        {"mode", r.mode}});
    }
    return events;
  }

  void print_events(std::FILE* to) const {
    if (!simulator_->switched()) return;
    constexpr std::size_t kShown = 12;
    fmt::print(to, "  {:<12} {}; {:.6g} J lost in impacts\n", "events", report_.event_count, report_.energy_lost);
    for (std::size_t i = 0; i < std::min(kShown, report_.events.size()); ++i) {
      const SwitchRecord& r = report_.events[i];
      fmt::print(to, "    t = {:<14.9g} {}\n", r.t, describe(r));
    }
    if (report_.events.size() > kShown) fmt::print(to, "    ... (all of them with --json)\n");
  }

  void print(const std::string& out) const {
    std::FILE* const to = out == "-" ? stderr : stdout;
    if (options_.json) {
      fmt::print(to, "{}\n", summary(out).dump());
      return;
    }
    if (!plotted_.empty()) fmt::print(to, "{}\n", draw_plot(times_, curves_));
    if (!options_.quiet) print_for_people(to, out);
    for (const auto& warning : report_.warnings) fmt::print(stderr, "warning: {}\n", warning);
  }

  void print_for_people(std::FILE* to, const std::string& out) const {
    const RunReport& r = report_;
    const double simulated = r.t_end - r.t_begin;
    if (r.status == RunStatus::Stopped) fmt::print(to, "interrupted at t = {:.9g} s\n", r.t_end);
    fmt::print(to, "{}: {:.6g} s simulated in {:.3g} s ({:.3g} x real time), {} samples in {}\n",
               system_->equations().name, simulated, r.times.total, r.times.total > 0 ? simulated / r.times.total : 0.0,
               r.samples, out == "-" ? "standard output" : out);
    if (!pictures_written_.empty()) fmt::print(to, "  {:<12} {}\n", "to look at", pictures_written_);
    fmt::print(to, "  {:<12} {} steps, {} rejected, {} evaluations, {} Jacobians ({}{})\n", "integration",
               r.totals.steps, r.totals.rejected, r.totals.evaluations, r.totals.jacobians, r.method,
               r.canonical ? ", canonical variables" : "");
    print_energy(to);
    print_events(to);
    if (!system_->equations().constraints.empty() || !system_->equations().quaternions.empty())
      fmt::print(to, "  {:<12} largest residual {:.2e} of configuration, {:.2e} of speeds{}\n", "constraints",
                 r.constraints.configuration, r.constraints.motion,
                 r.change_points == 0 ? "" : fmt::format("; {} change points passed", r.change_points));
    fmt::print(
        to,
        "  {:<12} kernel {:.0f} %, linear solve {:.0f} %, projection {:.0f} %, integrator {:.0f} %, output {:.0f} "
        "%\n",
        "time", r.times.percent(r.times.kernel), r.times.percent(r.times.solve), r.times.percent(r.times.projection),
        r.times.percent(r.times.integrator()), r.times.percent(r.times.output));
  }

  void print_energy(std::FILE* to) const {
    const EnergyReport& energy = report_.energy;
    if (!energy.known) return;
    if (energy.conservative)
      fmt::print(to, "  {:<12} {:.9g} J, conserved up to {:.2e} ({:.2e} of what is exchanged)\n", "energy",
                 energy.start, energy.largest_drift, energy.relative_drift());
    else
      fmt::print(to, "  {:<12} {:.9g} J at the start, {:.9g} J at the end (loads or moving constraints do work)\n",
                 "energy", energy.start, energy.end);
  }

  struct Plan {
    double t0 = 0;
    RunPlan run;
  };

  const SimulateOptions& options_;
  PictureOptions pictures_;
  std::string pictures_written_;
  Mechanism mechanism_;
  Values parameters_;
  nlohmann::json given_state_ = nlohmann::json::object();
  std::vector<std::string> driven_;
  std::vector<InputSource> sources_;
  std::shared_ptr<const CompiledSystem> system_;
  std::unique_ptr<MotionSimulator> simulator_;
  AssemblyReport assembly_;
  Plan plan_;
  std::vector<std::size_t> outputs_, plotted_;
  std::vector<double> row_, times_;
  std::vector<PlotCurve> curves_;
  RunReport report_;
};

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Motion of a model through time, as a table of samples");
  options->source.add_to(*command);
  command->add_option("--out", options->out, "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME.csv)");
  command->add_option("--until", options->until, "Time at which to end, s");
  command->add_option("--tolerance", options->tolerance, "Accuracy asked for, relative (default 1e-9)");
  command->add_option("--absolute-tolerance", options->absolute_tolerance, "Absolute tolerance of a step's error");
  command->add_option("--state", options->state, "JSON file with the initial state; '-' reads standard input");
  command->add_option("--method", options->method,
                      "auto, rk4, dopri5, dop853, cvode, arkode, midpoint, gauss4, gauss6, verlet, verlet4");
  command->add_option("--constraints", options->constraints,
                      "How changing constraints are kept: embedded, modes (equations of every declared mode derived "
                      "beforehand), multipliers");
  command->add_option("--step", options->step, "Step of methods with a fixed step, s (default 1e-3)");
  command->add_option("--output-step", options->output_step, "Time between samples, s (default: 1000 intervals)");
  command->add_option("--inputs", options->inputs,
                      "CSV file with time series of inputs: columns t and names of inputs");
  command->add_flag("--hold", options->hold, "Hold inputs of the file between its points instead of interpolating");
  command->add_option("--control-period", options->control_period,
                      "Sample the model's input laws with this period and hold them in between, s");
  command->add_option("--control-delay", options->control_delay, "Time from a sample to its effect, s (default 0)");
  command->add_option("--plot", options->plot, "Names of columns to draw in the terminal, e.g. q1,q2")->delimiter(',');
  command->add_option("--report", options->pictures.report,
                      "FILE.html: one page with plots, moving picture, checks (default without --out: NAME.html)");
  command->add_flag("--no-report", options->no_report, "Do not write the page that comes by default");
  command->add_option("--frames", options->pictures.frames,
                      "Folder for pictures of the motion, one SVG file per frame");
  command->add_option("--video", options->pictures.video,
                      "FILE.mp4 or FILE.webm: film of the motion at its own pace; needs the program ffmpeg");
  command->add_option("--frame-rate,--fps", options->pictures.frame_rate,
                      "Pictures per second of simulated time, for --frames and --video (default 25)");
  command->add_option("--size", options->pictures.size, "WIDTHxHEIGHT of these pictures in pixels (default 960x720)");
  command->add_flag("--json", options->json, "Print the summary as JSON");
  command->add_flag("--quiet", options->quiet, "Print warnings and errors only");
  command->add_flag("--interpreter", options->interpreter, "Do not use the JIT");
  command->add_flag("--strict", options->strict, "No fused multiply-adds: the same bits on every machine");
  command->callback([options] { Simulation(*options).run(); });
}

}  // namespace kane
