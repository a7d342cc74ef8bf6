#include "kane/export/export_plan.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"
#include "kane/codegen/emit/export_step.hpp"
#include "kane/export/export_start.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/simulation.hpp"
#include "kane/simulate/system/motion_export.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

class ExportPlanner {
 public:
  ExportPlanner(const Model& model, const StartState& start, const ExportOptions& options)
      : found_(find_export_start(model, start)), options_(options) {
    plan_.title = model.name();
    plan_.language = options.language;
    plan_.notes = find_left_out(model.mechanism(), start);
    plan_.assembly = found_.assembly;
    plan_.redundant = found_.redundant;
  }

  ExportPlan run() {
    plan_.model = form_motion_export(*model_.system(), motion_options());
    if (!options_.step) choose_step();
    plan_.model.description = describe();
    EmitOptions emit;
    emit.name = options_.name;
    plan_.files = emit_export(plan_.model, options_.language, emit);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] MotionExportOptions motion_options() {
    ExplicitMotion motion = form_explicit_motion(model_.equations(), found_.rows);
    MotionExportOptions m;
    m.udot = std::move(motion.udot);
    m.multipliers = std::move(motion.multipliers);
    m.start = start_.state;
    m.parameters = start_.parameters;
    m.inputs = start_.inputs;
    set_times(m);
    if (!model_.mechanism().tables.empty())
      m.write_out = [this](Graph& target, std::span<const Expr> es) {
        return write_out_tables(model_.mechanism(), target, es);
      };
    return m;
  }

  void set_times(MotionExportOptions& m) const {
    const SimulationSettings& settings = model_.mechanism().simulation;
    m.until = end_time(model_, m.start.t, options_.until);
    m.step = options_.step.value_or(settings.step.value_or(m.step));
    m.output_step = options_.output_step.value_or(settings.sample.value_or(0.0));
  }

  void choose_step() {
    const ExportStep chosen = choose_export_step(plan_.model, options_.tolerance);
    if (chosen.accurate)
      accuracy_ = fmt::format("Halving the step of the driver changes its states by less than {:.0e} (relative).",
                              std::max(chosen.change, 1e-15));
    else if (std::isfinite(chosen.change))
      plan_.notes.push_back(fmt::format(
          "with steps of {:.3g} s the driver's states are accurate to {:.0e} only; a shorter run or shorter "
          "steps are more accurate",
          plan_.model.step, chosen.change));
    else
      plan_.notes.emplace_back("the driver's method cannot compute the motion to its end; see kane simulate");
  }

  /// For the README.
  [[nodiscard]] std::string describe() const {
    std::string text = model_.mechanism().description;
    const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : "\n\n") + sentence; };
    if (!accuracy_.empty()) add(accuracy_);
    if (found_.constrained)
      add("The active constraints are enforced on the accelerations. The initial state satisfies them; during a long "
          "run the state drifts off them by the integration error, which shrinks with the fourth power of the step. "
          "Another initial state has to satisfy them too: `kane export --state FILE` moves the state in FILE onto the "
          "constraints and starts the driver there, and the first line of `kane simulate --state FILE` is that state.");
    if (plan_.redundant > 0)
      add(fmt::format("{} of them {} the others at the initial state and {} left out.", plan_.redundant,
                      plan_.redundant == 1 ? "repeats" : "repeat", plan_.redundant == 1 ? "is" : "are"));
    if (!model_.equations().quaternions.empty())
      add("Four coordinates that describe an orientation (Euler parameters) must have length one at the start.");
    for (const std::string& note : plan_.notes) add("Note: " + note + ".");
    return text;
  }

  ExportStart found_;
  const Model& model_ = found_.model;
  const Start& start_ = found_.start;
  const ExportOptions& options_;
  std::string accuracy_;
  ExportPlan plan_;
};

/// Existing files are left alone unless replacing them was requested.
void check_folder(const ExportPlan& plan, const fs::path& folder, ExistingFiles existing) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  require(fs::is_directory(folder, error), "'{}' exists and is not a folder; choose another name", folder.string());
  require(existing == ExistingFiles::Replace || fs::is_empty(folder, error),
          "the folder '{}' is not empty; choose another one, or use --force to replace files "
          "in it",
          folder.string());
  for (const SourceFile& f : plan.files) {
    const auto status = fs::symlink_status(folder / f.name, error);
    require(!fs::exists(status) || fs::is_regular_file(status),
            "'{}' exists and is not a regular file; it is not replaced", (folder / f.name).string());
  }
}

}  // namespace

void ExportOptions::check() const {
  const auto positive = [](const std::optional<double>& value, std::string_view what) {
    require(!value || (std::isfinite(*value) && *value > 0), "the {} must be positive, but it is {}", what,
            value.value_or(0));
  };
  positive(step, "step");
  positive(output_step, "output step");
  positive(tolerance, "tolerance");
  require(std::isfinite(until.value_or(0)), "the end of the run must be a number, but it is {}", until.value_or(0));
}

Language language_from(std::string_view name) {
  if (const auto language = find_language(name)) return *language;
  std::vector<std::string> known;
  std::string list;
  for (const LanguageInfo& l : languages()) {
    known.emplace_back(l.name);
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", l.name, l.title);
  }
  throw ModelError(fmt::format("there is no language '{}'{}; the languages are {}", name,
                               suggestion(std::string(name), known), list));
}

ExportPlan plan_export(const Model& model, const StartState& start, const ExportOptions& options) {
  options.check();
  return ExportPlanner(model, start, options).run();
}

std::vector<std::string> write_export(const ExportPlan& plan, const std::string& folder, ExistingFiles existing) {
  check_folder(plan, folder, existing);
  make_folder(folder);
  std::vector<std::string> paths;
  for (const SourceFile& f : plan.files) {
    paths.push_back((fs::path(folder) / f.name).string());
    write_file(paths.back(), f.text);
  }
  return paths;
}

}  // namespace kane
