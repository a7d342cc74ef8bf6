// kane forces: free and constrained axes with what they bear at a state (forces_table.cpp), or constraint forces and joint
// reactions along a run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/forces_table.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct ForcesOptions {
  ModelSource source;
  std::string state, out, inputs;
  std::vector<std::string> only;
  std::optional<double> until, tolerance, output_step;
  bool hold = false, json = false;
  ForcesTableOptions table;

  /// Whether anything says that a run is wanted.
  [[nodiscard]] bool run() const {
    return until || tolerance || output_step || hold || !out.empty() || !inputs.empty() || !only.empty();
  }
};

/// One thing that transmits a force: columns of the table, and its largest values.
struct Group {
  std::string name, kind, frame, point;
  std::vector<std::size_t> report;  ///< places in the reports; empty for multipliers
  std::size_t multiplier = 0;
  double force = 0, force_time = 0, torque = 0, torque_time = 0;
};

class Forces {
 public:
  explicit Forces(const ForcesOptions& options)
      : options_(options),
        table_(options.inputs.empty() ? SeriesTable{} : read_series(options.inputs)),
        model_(options.source, options.state, table_.names) {
    collect();
    choose();
  }

  void run() {
    const EquationsOfMotion& e = model_.equations();
    SimulatorOptions simulation = model_.simulator_options();
    if (options_.tolerance) simulation.tolerance = *options_.tolerance;
    if (!options_.inputs.empty())
      simulation.inputs = series_inputs(table_, options_.hold ? Interpolation::Hold : Interpolation::Linear);
    const auto simulator = model_.make_simulator(simulation);
    simulator->start(simulator->assemble(model_.start(), model_.given()));
    const std::string out = options_.out.empty() ? e.name + "_forces.csv" : options_.out;
    TrajectoryFile file(out, column_names());
    std::vector<double> row;
    const RunReport report = simulator->run(
        {.until = model_.until(options_.until), .output_step = options_.output_step.value_or(0)}, [&](const State& s) {
          const auto reports = simulator->calc_reports(s);
          row.assign(1, s.t);
          for (auto& g : groups_) add(g, reports, simulator->multipliers(), s.t, row);
          file.write(row);
          return true;
        });
    file.finish();
    print(out, report);
    if (report.failure) throw RunFailed(report.failure->message(e));
  }

 private:
  void collect() {
    const EquationsOfMotion& e = model_.equations();
    std::size_t reaction = 0;
    for (const auto& item : model_.system()->report_items()) {
      Group g{item.name, {}, {}, {}, {}, 0, 0, 0, 0, 0};
      for (std::size_t k = 0; k < item.count; ++k) g.report.push_back(item.first + k);
      if (item.kind == ReportItem::Kind::Reaction) {
        const auto& r = e.reactions[reaction++];
        g.kind = "reaction", g.frame = r.frame, g.point = r.point;
      } else if (item.kind == ReportItem::Kind::Auxiliary) {
        g.kind = "auxiliary";
      } else {
        continue;
      }
      groups_.push_back(g);
    }
    for (std::size_t k = 0; k < e.constraints.size(); ++k)
      groups_.push_back({e.constraints[k].name, "multiplier", {}, {}, {}, k, 0, 0, 0, 0});
    require(!groups_.empty(), "'{}' has no joints with reactions, no auxiliary forces and no constraints", e.name);
  }

  void choose() {
    if (options_.only.empty()) return;
    std::vector<std::string> known;
    for (const auto& g : groups_) known.push_back(g.name);
    for (const auto& name : options_.only)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw ModelError(fmt::format("--only: no joint, auxiliary force or constraint is called '{}'{}", name,
                                     suggestion(name, known)));
    std::erase_if(groups_, [&](const Group& g) {
      return std::find(options_.only.begin(), options_.only.end(), g.name) == options_.only.end();
    });
  }

  [[nodiscard]] std::vector<std::string> column_names() const {
    std::vector<std::string> names{model_.equations().t.name()};
    for (const auto& g : groups_) {
      if (g.kind == "reaction")
        for (const char* part : {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"}) names.push_back(g.name + "." + part);
      else
        names.push_back(g.kind == "multiplier" ? "lambda." + g.name : g.name);
    }
    return names;
  }

  static void add(Group& g, std::span<const double> reports, std::span<const double> lambda, double t,
                  std::vector<double>& row) {
    const auto keep = [&](double size, double& largest, double& time) {
      if (size > largest) largest = size, time = t;
    };
    const auto value = [&](std::size_t k) { return reports.empty() ? std::nan("") : reports[k]; };
    if (g.report.empty()) {
      row.push_back(lambda[g.multiplier]);
      keep(std::abs(row.back()), g.force, g.force_time);
      return;
    }
    for (const std::size_t k : g.report) row.push_back(value(k));
    if (g.report.size() == 1) return keep(std::abs(row.back()), g.force, g.force_time);
    const auto length = [&](std::size_t k) {
      return std::hypot(value(g.report[k]), value(g.report[k + 1]), value(g.report[k + 2]));
    };
    keep(length(0), g.force, g.force_time), keep(length(3), g.torque, g.torque_time);
  }

  void print(const std::string& out, const RunReport& report) const {
    std::FILE* const to = out == "-" ? stderr : stdout;
    if (options_.json) {
      Json a;
      a["model"] = model_.equations().name, a["out"] = out, a["samples"] = report.samples;
      for (const auto& g : groups_) {
        Json one{{"kind", g.kind}, {"largest", g.force}, {"at", g.force_time}};
        if (g.kind == "reaction")
          one["largest_torque"] = g.torque, one["torque_at"] = g.torque_time, one["frame"] = g.frame,
          one["point"] = g.point;
        a["forces"][g.name] = one;
      }
      fmt::print(to, "{}\n", a.dump());
      return;
    }
    fmt::print(to, "{}: forces from {:.6g} s to {:.6g} s, {} samples in {}\n\n", model_.equations().name,
               report.t_begin, report.t_end, report.samples, out == "-" ? "standard output" : out);
    fmt::print(to, "  {:<18} {:<11} {:>12} {:>10} {:>12} {:>10}  {}\n", "of", "kind", "largest", "at, s", "torque",
               "at, s", "on the outer body, components in, about");
    for (const auto& g : groups_) {
      // A torque of the force times a nanometre is rounding.
      const double torque = g.torque > 1e-9 * g.force ? g.torque : 0.0;
      fmt::print(to, "  {:<18} {:<11} {:>12.6g} {:>10.5g}", g.name, g.kind, g.force, g.force_time);
      if (g.kind == "reaction")
        fmt::print(to, " {:>12.6g} {:>10}  {}, {}", torque, torque > 0 ? fmt::format("{:.5g}", g.torque_time) : "-",
                   g.frame, g.point);
      fmt::print(to, "\n");
    }
  }

  const ForcesOptions& options_;
  SeriesTable table_;
  AnalysisModel model_;
  std::vector<Group> groups_;
};

}  // namespace

void add_forces_command(CLI::App& app) {
  auto options = std::make_shared<ForcesOptions>();
  CLI::App* command = app.add_subcommand(
      "forces", "Free and constrained axes of every joint, constraint forces, reactions: at a state, or along a run");
  options->source.add_to(*command);
  command->add_option("--out", options->out,
                      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_forces.csv)");
  command->add_option("--only", options->only, "Joints, auxiliary forces and constraints, by name")->delimiter(',');
  command->add_option("--until", options->until, "Time at which to end, s");
  command->add_option("--tolerance", options->tolerance, "Accuracy asked for, relative");
  command->add_option("--output-step", options->output_step, "Time between samples, s (default: 1000 intervals)");
  command->add_option(
      "--state", options->state,
      "JSON file with a state or an array of states (of a run: where it begins); '-' reads standard input; "
      "else the initial state");
  command->add_option("--joint", options->table.joint, "At a state: only this joint");
  command->add_option(
      "--frame", options->table.view.frame,
      "At a state: components of the reactions along the axes of this body or frame (default: the child)");
  command->add_option("--point", options->table.view.point,
                      "At a state: torques about this point (default: the joint's point on its child)");
  command->add_option("--inputs", options->inputs, "CSV file with time series of inputs");
  command->add_flag("--hold", options->hold, "Hold inputs of the file between its points instead of interpolating");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "At a state: F is free, C constrained; the force of a constrained axis acts from the parent on the child, along "
      "or "
      "about the axis. Along a run, if --until, --out or another option of a run is given.");
  command->callback([options] {
    if (options->run())
      Forces(*options).run();
    else
      run_forces_table(options->source, options->state, options->table, options->json);
  });
}

}  // namespace kane
