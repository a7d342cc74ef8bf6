// kane simulate: a trajectory and a summary of the run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/progress_bar.hpp"
#include "apps/kane/run_output.hpp"
#include "apps/kane/terminal_plot.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "apps/kane/waiting_note.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/text_place.hpp"
#include "kane/model/run_table.hpp"
#include "kane/model/simulation.hpp"
#include "kane/picture/run_pictures.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

using wire::Json;

struct SimulateOptions {
  ModelSource source;
  StateSource state;
  InputSeriesSource inputs;
  std::string out, method, constraints, contacts, frame_size;
  std::optional<double> until, output_step;
  SimulationOptions simulation;
  std::vector<std::string> plot, columns;
  PictureOptions pictures;
  bool json = false, quiet = false, interpreter = false, strict = false, no_report = false, force = false;
  bool allow_fmu = false;
};

/// Columns of the table to plot in the terminal.
class TerminalPlots {
 public:
  TerminalPlots(const std::vector<std::string>& wanted, const std::vector<std::string>& columns) {
    for (const auto& name : wanted) {
      const auto found = std::find(columns.begin(), columns.end(), name);
      if (found == columns.end())
        throw ModelError(fmt::format("--plot: the trajectory has no '{}'{}", name, suggestion(name, columns)));
      places_.push_back(static_cast<std::size_t>(found - columns.begin()));
      curves_.push_back({name, {}});
    }
  }

  void add(std::span<const double> row) {
    if (places_.empty()) return;
    times_.push_back(row.front());
    for (std::size_t i = 0; i < places_.size(); ++i) curves_[i].y.push_back(row[places_[i]]);
  }
  void print(std::FILE* to) const {
    if (!places_.empty()) fmt::print(to, "{}\n", draw_plot(times_, curves_));
  }

 private:
  std::vector<std::size_t> places_;
  std::vector<double> times_;
  std::vector<PlotCurve> curves_;
};

/// Outputs of the user that are not finite numbers at some samples: nobody should have to find them in the table.
class OutputWatch {
 public:
  OutputWatch(const Mechanism& mechanism, std::span<const std::string> columns) {
    for (const NamedQuantity& o : mechanism.outputs) {
      if (o.value.text.find("contact(") != std::string::npos) continue;  // there is none while nothing is near
      const auto at = std::find(columns.begin(), columns.end(), o.name);
      if (at != columns.end()) watched_.push_back({o.name, static_cast<std::size_t>(at - columns.begin())});
    }
  }

  void add(std::span<const double> row) {
    ++samples_;
    for (Watched& w : watched_)
      if (const double value = row[w.column]; !std::isfinite(value) && ++w.count == 1)
        w.first = row.front(),
        w.value = std::isnan(value) ? std::abs(value) : value;  // the sign of a NaN means nothing
  }

  void warn(std::vector<std::string>& warnings) const {
    for (const Watched& w : watched_) {
      if (w.count == 0) continue;
      const std::string samples = w.count == samples_ ? std::string(w.count == 1 ? "the only sample" : "every sample")
                                                      : fmt::format("{} of {} samples", w.count, samples_);
      warnings.push_back(fmt::format("the output '{}' is not a finite number in {} ({} at t = {:.9g} s)", w.name,
                                     samples, w.value, w.first));
    }
  }

 private:
  struct Watched {
    std::string name;
    std::size_t column;
    std::size_t count = 0;
    double first = 0, value = 0;  ///< time and value of the first of them
  };
  std::vector<Watched> watched_;
  std::size_t samples_ = 0;
};

class SimulateCommand {
 public:
  explicit SimulateCommand(const SimulateOptions& options)
      : options_(options), pictures_(options.pictures), columns_(table_columns_from(options.columns)) {
    if (!options.frame_size.empty()) pictures_.frame.set_size(options.frame_size);
    pictures_.check();
    const StartState start = options.state.read_one();
    const SimulationOptions simulation = simulation_options();
    const Model model = load(start, simulation.inputs);
    out_ = options.out.empty() ? file_stem(model.name()) + ".csv" : options.out;
    check_outputs();
    run_.emplace(model, start, simulation);
    plan_ = run_->plan(options.until, options.output_step);
    if (!run_->assembly().moved.empty() && !options_.quiet && !options_.json)
      fmt::print(stderr, "assembled: moved to the nearest state that satisfies the constraints:\n{}",
                 run_->assembly().to_string());
  }

  void run() {
    RunTable table(*run_, columns_);
    TerminalPlots plots(options_.plot, table.columns());
    OutputWatch outputs(run_->model().mechanism(), table.columns());
    TrajectoryFile file(out_, table.columns(), run_->model().name(), table.units());
    std::optional<RunPictures> pictures;
    if (pictures_.wanted()) pictures.emplace(pictures_, *run_);
    ProgressBar progress(run_->time(), plan_.until, !options_.quiet && !options_.json);
    const auto on_sample = [&](const State& sample) {
      const auto row = table.row(sample);
      file.write(row);
      plots.add(row);
      outputs.add(row);
      if (pictures) pictures->add(sample);
      return interrupted_by() == 0;
    };
    const auto on_step = [&](double t) {
      progress.show(t);
      return interrupted_by() == 0;
    };
    {
      const InterruptScope scope;
      report_ = run_->run(plan_, on_sample, on_step);
    }
    interrupted_ = interrupted_by() != 0 && report_.status == RunStatus::Stopped;
    name_place_of_jump();
    outputs.warn(report_.warnings);
    progress.clear();
    working_on("writing the files");
    file.finish();
    if (pictures) {
      pictures->finish(report_, options_.source.model, option_rows(),
                       interrupted_ ? fmt::format("interrupted at t = {:.9g} s", report_.t_end) : "");
      pictures_written_ = pictures->written();
    }
    print(plots);
    if (interrupted_) throw_if_interrupted();
    if (report_.failure)
      throw RunFailed(report_.failure->message(run_->equations()) +
                      fmt::format("\nThe results up to then are in {}.", out_));
  }

 private:
  [[nodiscard]] Model load(const StartState& start, const std::vector<InputSource>& inputs) {
    ModelOptions model = driven_by(start, inputs);
    model.strict = options_.strict, model.interpreter = options_.interpreter;
    model.allow_fmu = options_.allow_fmu;
    return options_.source.load(std::move(model), [&](Mechanism& mechanism) {
      // If no files are named, the trajectory and the page are written.
      if (options_.out.empty() && !options_.no_report && pictures_.report.empty())
        pictures_.report = file_stem(mechanism.name) + ".html";
      if (pictures_.wanted()) add_scene_outputs(mechanism), add_contact_outputs(mechanism);
      add_table_outputs(mechanism, columns_);
    });
  }

  /// A force that keeps the motion at its own jump is written somewhere in the model.
  void name_place_of_jump() {
    if (!report_.failure || report_.failure->cause.find("it jumps ") == std::string::npos) return;
    std::string& quantity = report_.failure->quantity;
    const std::string places = find_text_places(run_->model().mechanism(), quantity);
    if (!places.empty()) quantity += fmt::format(" ({})", places);
  }

  void check_outputs() const {
    OutputGuard guard(options_.force, {options_.source.model, options_.state.file, options_.inputs.file});
    guard.claim(out_, options_.out.empty() ? "--out" : nullptr);
    guard.claim(pictures_.report, options_.pictures.report.empty() ? "--report" : nullptr);
    guard.claim(pictures_.video);
    guard.claim_folder(pictures_.frames, "frame_");
  }

  [[nodiscard]] SimulationOptions simulation_options() const {
    SimulationOptions o = options_.simulation;
    if (!options_.method.empty()) o.method = method_from(options_.method);
    if (!options_.constraints.empty()) o.constraints = constraint_method_from(options_.constraints);
    if (!options_.contacts.empty()) o.contacts = contact_scheme_from(options_.contacts);
    o.inputs = options_.inputs.read();
    return o;
  }

  /// How the run was made, for its page.
  [[nodiscard]] std::vector<PageRow> option_rows() const {
    const SimulatorOptions& o = run_->simulator().options();
    const RunReport& r = report_;
    std::vector<PageRow> rows;
    rows.push_back({"time", fmt::format("{:.9g} s to {:.9g} s", r.t_begin, r.t_end)});
    rows.push_back({"method", fmt::format("{}{}", r.method, r.canonical ? ", canonical variables" : "")});
    if (has_fixed_step(o.method))
      rows.push_back({"step", fmt::format("{} s", o.step)});
    else
      rows.push_back({"tolerance", fmt::format("{}", o.tolerance)});
    rows.push_back({"steps", fmt::format("{} ({} rejected)", r.totals.steps, r.totals.rejected)});
    rows.push_back({"evaluations", fmt::format("{}", r.totals.evaluations)});
    rows.push_back({"formulation", run_->equations().formulation});
    rows.push_back({"samples", fmt::format("{} in {}", r.samples, out_)});
    if (run_->equations().switched())
      rows.push_back({"events", fmt::format("{}; {:.6g} J lost in impacts", r.event_count, r.energy_lost)});
    for (const auto& setting : options_.source.settings) rows.push_back({"set", setting});
    for (const auto& m : run_->assembly().moved)
      rows.push_back(
          {"assembled", fmt::format("{}: {:.9g} to {:.9g}{}", m.name, m.from, m.to, m.given ? " (was given)" : "")});
    return rows;
  }

  [[nodiscard]] Json summary() const {
    Json j = wire::to_json(report_, run_->equations());
    if (interrupted_) j["interrupted"] = true;
    j["out"] = out_;
    if (!pictures_written_.empty()) j["pictures"] = pictures_written_;
    j["assembly"] = wire::to_json(run_->assembly());
    return j;
  }

  void print(const TerminalPlots& plots) const {
    std::FILE* const to = out_ == "-" ? stderr : stdout;
    if (options_.json) {
      fmt::print(to, "{}\n", summary().dump());
      return;
    }
    plots.print(to);
    if (!options_.quiet) print_for_people(to);
    print_warnings(stderr, report_.warnings);
  }

  void print_for_people(std::FILE* to) const {
    const RunReport& r = report_;
    const EquationsOfMotion& e = run_->equations();
    const double simulated = r.t_end - r.t_begin;
    if (interrupted_) fmt::print(to, "interrupted at t = {:.9g} s\n", r.t_end);
    fmt::print(to, "{}: {:.6g} s simulated in {:.3g} s ({:.3g} x real time), {} in {}\n", e.name, simulated,
               r.times.total, r.times.total > 0 ? simulated / r.times.total : 0.0, counted(r.samples, "sample"),
               out_ == "-" ? "standard output" : out_);
    if (!pictures_written_.empty()) fmt::print(to, "  {:<12} {}\n", "report", pictures_written_);
    fmt::print(to, "  {:<12} {}, {} rejected, {}, {} ({}{})\n", "integration", counted(r.totals.steps, "step"),
               r.totals.rejected, counted(r.totals.evaluations, "evaluation"), counted(r.totals.jacobians, "Jacobian"),
               r.method, r.canonical ? ", canonical variables" : "");
    print_energy(to, r.energy);
    if (e.switched()) print_events(to, r);
    print_contacts(to, r);
    if (!e.constraints.empty() || !e.quaternions.empty())
      fmt::print(to, "  {:<12} largest residual {:.2e} of configuration, {:.2e} of speeds{}\n", "constraints",
                 r.constraints.configuration, r.constraints.motion,
                 r.change_points == 0 ? "" : fmt::format("; {} passed", counted(r.change_points, "change point")));
    fmt::print(to,
               "  {:<12} kernel {:.0f} %, linear solve {:.0f} %, projection {:.0f} %, integrator {:.0f} %, output "
               "{:.0f} %\n",
               "time", r.times.percent(r.times.kernel), r.times.percent(r.times.solve),
               r.times.percent(r.times.projection), r.times.percent(r.times.integrator()),
               r.times.percent(r.times.output));
  }

  static void print_contacts(std::FILE* to, const RunReport& r) {
    if (r.stepping.steps > 0) {
      const auto& s = r.stepping;
      fmt::print(to,
                 "  {:<12} {} of {:.3g} s with up to {}, {:.1f} sweeps each; overlaps below {:.1e} of "
                 "the shapes\n",
                 "stepping", counted(s.steps, "step"), s.step, counted(s.places, "contact"),
                 static_cast<double>(s.sweeps) / static_cast<double>(s.steps), s.penetration);
      if (s.unconverged > 0)
        fmt::print(to, "  {:<12} {} not solved to the end, by up to {:.1e} m/s\n", "", counted(s.unconverged, "time"),
                   s.residual);
    }
    if (r.energy.conservative || !r.energy.balanced || r.energy.largest_rise < 0)
      return;  // conserved energy was printed
    fmt::print(to, "  {:<12} energy never rose by more than {:.2g} J ({:.1e} of the energy exchanged)\n", "balance",
               r.energy.largest_rise, r.energy.scale > 0 ? r.energy.largest_rise / r.energy.scale : 0.0);
  }

  const SimulateOptions& options_;
  PictureOptions pictures_;
  TableColumns columns_;
  std::string out_, pictures_written_;
  std::optional<Simulation> run_;
  RunPlan plan_;
  RunReport report_;
  bool interrupted_ = false;
};

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Simulate a model through time");
  options->source.add_to(*command);
  command->add_option("--out", options->out, "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME.csv)");
  command->add_option("--until", options->until, "End time, s");
  command->add_option("--tolerance", options->simulation.tolerance, "Relative accuracy (default 1e-9)");
  command->add_option("--absolute-tolerance", options->simulation.absolute_tolerance,
                      "Absolute tolerance of the error of a step");
  options->state.add_to(*command, "JSON file with the initial state; '-' reads standard input");
  command->add_option("--method", options->method,
                      "auto, rk4, dopri5, dop853, cvode, arkode, midpoint, gauss4, gauss6, verlet, verlet4");
  command->add_option(
      "--constraints", options->constraints,
      "How changing constraints are enforced: embedded, modes (equations of every declared mode derived "
      "beforehand), multipliers");
  command->add_option("--contacts", options->contacts,
                      "How contacts are followed: automatic, events (each one located), stepping (many at once)");
  command->add_option("--contact-step", options->simulation.contact_step,
                      "Step of --contacts stepping, s (default: from the sizes of the shapes)");
  command->add_flag("--strict-contacts", options->simulation.strict_contacts,
                    "End a run where contacts have no solution, instead of continuing by stepping");
  command->add_option("--step", options->simulation.step, "Step of fixed-step methods, s (default 1e-3)");
  command->add_option("--output-step", options->output_step, "Time between samples, s (default: 1000 intervals)");
  options->inputs.add_to(*command);
  command->add_option("--control-period", options->simulation.control_period,
                      "Sample the model's input laws with this period, s, and hold them in between");
  command->add_option("--control-delay", options->simulation.control_delay,
                      "Time from a sample to its effect, s (default 0)");
  command
      ->add_option(
          "--columns", options->columns,
          "Further columns of the table: inputs, prescribed (motions of joints), energy, reactions, contacts, or all")
      ->delimiter(',');
  command->add_option("--plot", options->plot, "Columns to plot in the terminal, e.g. q1,q2")->delimiter(',');
  command->add_option("--report", options->pictures.report,
                      "FILE.html: one page with plots, animation and checks (default without --out: NAME.html)");
  command->add_flag("--no-report", options->no_report, "Do not write the default page");
  command->add_option("--frames", options->pictures.frames,
                      "Folder for pictures of the motion, one SVG file per frame");
  command->add_option("--video", options->pictures.video,
                      "FILE.mp4 or FILE.webm: video of the motion in real time; needs the program ffmpeg");
  command->add_option("--frame-rate,--fps", options->pictures.frame.rate,
                      "Frames per second of simulated time, for --frames and --video (default 25)");
  command->add_option("--size", options->frame_size, "WIDTHxHEIGHT of the frames in pixels (default 960x720)");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print the summary as JSON");
  command->add_flag("--quiet", options->quiet, "Print warnings and errors only");
  command->add_flag("--interpreter", options->interpreter, "Do not use the JIT");
  command->add_flag("--allow-fmu", options->allow_fmu,
                    "Run the native code of FMUs that drive inputs of the model; only if you trust them");
  command->add_flag("--strict", options->strict, "No fused multiply-adds: the same bits on every machine");
  command->footer(
      "Examples:\n"
      "  kane simulate models/planar2r.yaml                              # planar2r.csv and planar2r.html\n"
      "  kane simulate models/fourbar.yaml --until 1 --out fourbar.csv --plot q1,q2\n"
      "  kane simulate models/bouncing_ball.yaml --set \"e=0.5\" --out - > ball.csv");
  command->callback([options] { SimulateCommand(*options).run(); });
}

}  // namespace kane
