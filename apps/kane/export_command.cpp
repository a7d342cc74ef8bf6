// kane export: the equations of a model as source code to carry away, with a driver that simulates and a README.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/analysis/independent_constraints.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/codegen/emit/emit_export.hpp"
#include "kane/codegen/emit/export_step.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/simulate/motion/simulator.hpp"
#include "kane/simulate/system/motion_export.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ExportOptions {
  ModelSource source;
  std::string language, directory, state, name;
  std::optional<double> until, step, output_step;
  bool force = false, json = false;
};

std::string language_list() {
  std::string text;
  for (const LanguageInfo& l : languages()) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", l.name, l.title);
  return text;
}

Language language_of(const std::string& name) {
  if (const auto language = find_language(name)) return *language;
  std::vector<std::string> known;
  for (const LanguageInfo& l : languages()) known.emplace_back(l.name);
  throw ModelError(
      fmt::format("--to: there is no language '{}'{}; there are {}", name, suggestion(name, known), language_list()));
}

/// Nothing that exists is touched unless that was asked for.
void check_directory(const ExportOptions& options, const std::vector<SourceFile>& files) {
  const fs::path directory = options.directory;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(directory, error))) return;
  require(fs::is_directory(directory, error), "'{}' exists and is not a folder; choose another name with -o",
          options.directory);
  require(options.force || fs::is_empty(directory, error),
          "the folder '{}' is not empty; choose another one with -o, or say --force to replace files in it",
          options.directory);
  for (const SourceFile& f : files) {
    const auto status = fs::symlink_status(directory / f.name, error);
    require(!fs::exists(status) || fs::is_regular_file(status),
            "'{}' is there already and is not a plain file; it is not replaced", (directory / f.name).string());
  }
}

/// What the model says and straight-line equations of motion do not contain.
std::vector<std::string> left_out(const Mechanism& mechanism) {
  std::vector<std::string> notes;
  const auto is_set = [](const Expr& e) { return !e.is_zero(); };
  for (const Joint& joint : mechanism.joints)
    for (const auto& motion : joint.motions) {
      if (is_set(motion.law.friction))
        notes.push_back(fmt::format("Coulomb friction of joint '{}' is not in the exported equations", joint.name));
      if (motion.law.lower || motion.law.upper)
        notes.push_back(fmt::format("limits of joint '{}' are not in the exported equations", joint.name));
    }
  for (const MechanismBody& body : mechanism.bodies)
    for (const Shape& shape : body.shapes)
      if (shape.contact) {
        notes.push_back(fmt::format("contact of body '{}' is not in the exported equations", body.name));
        break;
      }
  const Switching& switching = mechanism.switching;
  const auto name_all = [&](const auto& rules, std::string_view what, std::string_view kept) {
    for (const auto& rule : rules) notes.push_back(fmt::format("{} '{}' {}", what, rule.name, kept));
  };
  constexpr std::string_view kMissing = "is not in the exported equations";
  name_all(switching.contacts, "contact", kMissing);
  name_all(switching.frictions, "dry friction", kMissing);
  name_all(switching.switches, "event", kMissing);
  if (switching.modes.size() > 1) notes.push_back("the exported equations stay in the mode in which the model starts");
  for (const InputSampling& sampled : mechanism.sampled_inputs)
    notes.push_back(fmt::format("input '{}' follows its law at every instant, not sampled", sampled.input));
  for (const InputSeries& series : mechanism.input_series)
    notes.push_back(fmt::format("input '{}' is constant in the driver, not given by points in time", series.input));
  return notes;
}

/// Of the driver, if no step is given.
constexpr double kTolerance = 1e-6;

class Export {
 public:
  explicit Export(const ExportOptions& options)
      : options_(options), language_(language_of(options.language)), mechanism_(options.source.read()) {
    if (!options.state.empty()) given_state_ = read_state_file(options.state);
    require(given_state_.is_object(), "the driver starts from one state, not from a list of them");
    FormOptions form;
    form.formulation = formulation_from(options.source.formulation);
    CompileOptions compile;
    compile.functions = table_functions(mechanism_);
    compile.driven_inputs = inputs_named(given_state_);
    system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism_, form), compile);
  }

  void run() {
    ExportModel model = form_motion_export(*system_, motion_options());
    notes_ = left_out(mechanism_);
    if (!options_.step) choose_step(model);
    model.description = description();
    EmitOptions emit;
    emit.name = options_.name;
    const std::vector<SourceFile> files = emit_export(model, language_, emit);
    check_directory(options_, files);
    print(emit_export(model, language_, fs::path(options_.directory), emit));
  }

 private:
  [[nodiscard]] MotionExportOptions motion_options() {
    const EquationsOfMotion& e = system_->equations();
    const FileSituation situation = make_situation(given_state_, mechanism_, *system_);
    MotionExportOptions m;
    m.parameters = situation.parameters;
    m.inputs = situation.inputs;
    const std::vector<bool> active = active_rows(e, situation);
    constrained_ = std::find(active.begin(), active.end(), true) != active.end();
    m.start = start_state(mechanism_, given_state_, situation);
    Simulator simulator(system_);
    simulator.set_parameters(situation.parameters);
    simulator.set_inputs(situation.inputs);
    simulator.set_active(active);
    m.start = simulator.assemble(m.start, given_values(mechanism_, e, given_state_));
    ExplicitMotion motion = form_explicit_motion(e, independent_rows(simulator, m.start, active));
    m.udot = std::move(motion.udot);
    m.multipliers = std::move(motion.multipliers);
    const SimulationSettings& settings = mechanism_.simulation;
    constexpr double kDefaultDuration = 10;
    m.until = options_.until.value_or(settings.until.value_or(m.start.t + kDefaultDuration));
    m.step = options_.step.value_or(settings.step.value_or(m.step));
    m.output_step = options_.output_step.value_or(settings.sample.value_or(0.0));
    require(options_.output_step.value_or(1) > 0, "--output-step must be positive, but it is {}",
            options_.output_step.value_or(1));
    if (!mechanism_.tables.empty())
      m.write_out = [this](Graph& target, std::span<const Expr> es) {
        return write_out_tables(mechanism_, target, es);
      };
    return m;
  }

  /// Without those active constraints that repeat others where the mechanism is closed, which no expression can tell.
  std::vector<bool> independent_rows(Simulator& simulator, const State& start, std::vector<bool> active) {
    if (!constrained_) return active;
    simulator.evaluator().set_time(start.t);
    const IndependentConstraints chosen = IndependentConstraintFinder(simulator.evaluator()).choose(start.q, start.u);
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = active[i] && chosen.motion[i];
    redundant_ = chosen.redundant;
    return active;
  }

  void choose_step(ExportModel& model) {
    const ExportStep chosen = choose_export_step(model, kTolerance);
    if (chosen.accurate)
      accuracy_ = fmt::format("Halving the step of the driver changes its states by less than {:.0e} (relative).",
                              std::max(chosen.change, 1e-15));
    else if (std::isfinite(chosen.change))
      notes_.push_back(
          fmt::format("with steps of {:.3g} s the driver's states are good to {:.0e} only; a shorter run (--until) or "
                      "shorter steps (--step) give more",
                      model.step, chosen.change));
    else
      notes_.push_back("the motion could not be computed to its end with the driver's method; see kane simulate");
  }

  [[nodiscard]] std::string description() const {
    std::string text = mechanism_.description;
    const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : "\n\n") + sentence; };
    if (!accuracy_.empty()) add(accuracy_);
    if (constrained_)
      add("The active constraints are enforced on the accelerations. The state above satisfies them; over long runs it "
          "leaves them by the error of the integration, which shrinks with the fourth power of the step. Of another "
          "initial state, check that it satisfies them (`kane evaluate` assembles one).");
    if (redundant_ > 0)
      add(fmt::format("{} of them {} the others at the initial state and {} left out.", redundant_,
                      redundant_ == 1 ? "repeats" : "repeat", redundant_ == 1 ? "is" : "are"));
    if (!system_->equations().quaternions.empty())
      add("Four coordinates that describe an orientation (Euler parameters) must have length one at the start.");
    for (const std::string& note : notes_) add("Note: " + note + ".");
    return text;
  }

  void print(const std::vector<fs::path>& paths) const {
    if (options_.json) {
      Json j;
      j["model"] = mechanism_.name;
      j["language"] = info(language_).name;
      j["files"] = Json::array();
      for (const auto& path : paths) j["files"].push_back(path.string());
      j["notes"] = notes_;
      fmt::print("{}\n", j.dump());
      return;
    }
    for (const std::string& note : notes_) fmt::print(stderr, "warning: {}\n", note);
    fmt::print("{} in {}:\n", mechanism_.name, info(language_).title);
    for (const auto& path : paths) fmt::print("  {}\n", path.string());
    fmt::print("{} says how to go on.\n", paths.back().string());
  }

  const ExportOptions& options_;
  Language language_;
  Mechanism mechanism_;
  nlohmann::json given_state_ = nlohmann::json::object();
  std::shared_ptr<const CompiledSystem> system_;
  bool constrained_ = false;
  int redundant_ = 0;
  std::string accuracy_;
  std::vector<std::string> notes_;
};

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Source code of the equations of motion, with a driver that simulates and a README");
  options->source.add_to(*command);
  command->add_option("--to", options->language, "Language: " + language_list())->required();
  command->add_option("-o,--out", options->directory, "Folder to write; made if need be")->required();
  command->add_flag("--force", options->force, "Replace files in a folder that is not empty");
  command->add_option("--name", options->name, "Name of files and functions (default: the model's)");
  command->add_option("--state", options->state, "JSON file with the state to start from; '-' reads standard input");
  command->add_option("--until", options->until, "Time at which the driver ends, s");
  command->add_option(
      "--step", options->step,
      "Longest step of the driver's Runge-Kutta method, s (default: such that halving it changes little)");
  command->add_option("--output-step", options->output_step, "Time between lines, s (default: 1000 intervals)");
  command->add_flag("--json", options->json, "Print the list of files as JSON");
  command->callback([options] { Export(*options).run(); });
}

}  // namespace kane
