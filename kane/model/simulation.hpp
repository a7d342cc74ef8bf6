#pragma once
// A model in motion: plain or switched (contacts, friction, events, modes), whichever the model asks for, with the inputs,
// the start and the settings that the model file gives unless the caller says otherwise.
//
//     Simulation run(read_model("arm.yaml"), {.q = {{"q1", 0.3}}}, {.tolerance = 1e-10});
//     RunReport report = run.run({.until = 2}, [&](const State& sample) { ...; return true; });
//
// or step by step, with inputs set on the way:
//
//     while (run.time() < 2) {
//       run.set_input("T", -k * run.value("q1"));
//       run.advance(1e-3);
//     }

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/model/model.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/switching/mode_equations.hpp"

namespace kane {

/// Options that are not set come from the `simulate:` section of the model, or have the defaults of SimulatorOptions.
struct SimulationOptions {
  std::optional<Method> method{};                             ///< the integrator
  std::optional<double> tolerance{};                          ///< relative, for the whole run
  std::optional<double> absolute_tolerance{};                 ///< for the local error
  std::optional<double> step{};                               ///< of methods with a fixed step, s
  double max_step = std::numeric_limits<double>::infinity();  ///< s
  /// How the motion under bilateral constraints is found, where constraints change.
  std::optional<ConstraintMethod> constraints{};
  /// Time series and controllers. They replace whatever the model says of these inputs.
  std::vector<InputSource> inputs{};
  /// Samples all laws of the model's inputs with this period (s), held in between, in force after `control_delay`.
  std::optional<double> control_period{};
  double control_delay = 0;  ///< s, of all laws that control_period samples

  /// Throws ModelError naming the option that is wrong.
  void check() const;
};

/// One run of a model.
class Simulation {
 public:
  /// Assembles the start and begins there. Throws ModelError for unknown names, wrong options, and a start that cannot be
  /// assembled.
  explicit Simulation(const Model& model, const StartState& start = {}, const SimulationOptions& options = {});

  /// With the inputs driven that the start or the options drive.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Equations of the model.
  [[nodiscard]] const EquationsOfMotion& equations() const { return model_.equations(); }
  /// The start before assembly.
  [[nodiscard]] const Start& start() const { return start_; }
  /// The values that assembly changed.
  [[nodiscard]] const AssemblyReport& assembly() const { return assembly_; }
  /// All parameters by name.
  [[nodiscard]] Values parameters() const { return model_.parameters(start_); }

  /// The present one.
  [[nodiscard]] const State& state() const { return simulator_->state(); }
  /// Time of state(), s.
  [[nodiscard]] double time() const { return state().t; }
  /// A coordinate, a speed, an output or an input by its name, at state(). Throws ModelError for an unknown name.
  [[nodiscard]] double value(std::string_view name);
  /// From now on. Throws ModelError for an unknown name, and for an input that a series, a controller or a law feeds.
  void set_input(std::string_view name, double value);

  /// One step of the integrator, never past `limit`; switched motion: or the handling of one event.
  const StepReport& step(double limit = std::numeric_limits<double>::infinity()) { return simulator_->step(limit); }
  /// Goes on for `duration` seconds, events included.
  RunReport advance(double duration);
  /// Until the end of the plan, an event that stops it, or a callback that returns false.
  RunReport run(const RunPlan& plan, const SampleCallback& on_sample = {}, const StepCallback& on_step = {});
  /// A plan with the end and the sampling of the model file where they are not given: 10 s and 1000 intervals if the file
  /// does not say.
  [[nodiscard]] RunPlan plan(std::optional<double> until = {}, std::optional<double> output_step = {}) const;

  /// Everything that decides how the motion goes on.
  [[nodiscard]] MotionSnapshot snapshot() { return simulator_->snapshot(); }
  /// Goes back to a snapshot of the same model, and on from there to the last bit as before (but see
  /// MotionSimulator::snapshot). Throws ModelError for a snapshot of another system.
  void restore(const MotionSnapshot& snapshot) { simulator_->restore(snapshot); }

  // ---- tables -----------------------------------------------------------------------------------------------------------
  /// Names of a table of the run: t, coordinates, speeds, outputs.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// Values of the columns at a sample; outputs that cannot be evaluated there are not-a-number.
  [[nodiscard]] std::span<const double> row(const State& sample);

  /// For everything else.
  [[nodiscard]] MotionSimulator& simulator() { return *simulator_; }
  /// For everything else.
  [[nodiscard]] const MotionSimulator& simulator() const { return *simulator_; }

 private:
  void name_columns();

  Model model_;
  Start start_;
  std::unique_ptr<MotionSimulator> simulator_;
  AssemblyReport assembly_;
  bool warned_ = false;  ///< of values that had to move
  std::vector<std::string> columns_;
  std::vector<std::size_t> outputs_;  ///< places in the reports
  std::vector<double> row_;
};

/// The simulator options that a model file and `options` ask for together; the inputs are those of the model, then of the
/// options.
[[nodiscard]] SimulatorOptions simulator_options(const Model& model, const SimulationOptions& options = {});

/// The end of a run that starts at `t`: as asked, else the model's, else 10 s later.
[[nodiscard]] double end_time(const Model& model, double t, std::optional<double> asked);

}  // namespace kane
