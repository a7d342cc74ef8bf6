#pragma once
// A model in motion: plain or switched (contacts, friction, events, modes), whichever the model requires. Inputs, start and
// settings are those of the model file unless the caller gives others.
//
//     Simulation run(read_model("arm.yaml"), {.q = {{"q1", 0.3}}}, {.tolerance = 1e-10});
//     RunReport report = run.run({.until = 2}, [&](const State& sample) { ...; return true; });
//
// or step by step, setting inputs along the way:
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

/// Options of a simulation. Those not set come from the `simulate:` section of the model, or are the defaults of
/// SimulatorOptions.
struct SimulationOptions {
  std::optional<Method> method{};                             ///< the integrator
  std::optional<double> tolerance{};                          ///< relative tolerance for the whole run
  std::optional<double> absolute_tolerance{};                 ///< absolute tolerance for the local error
  std::optional<double> step{};                               ///< step of fixed-step methods, s
  double max_step = std::numeric_limits<double>::infinity();  ///< longest step, s
  /// Method of solving for the motion under bilateral constraints, where constraints change.
  std::optional<ConstraintMethod> constraints{};
  std::optional<ContactScheme> contacts{};  ///< treatment of contacts: event by event or by time stepping
  std::optional<double> contact_step{};     ///< step of time stepping, s
  /// End the run where contacts have no solution, or too many events, instead of continuing by time stepping.
  bool strict_contacts = false;
  /// Time series and controllers. They replace the model's own laws and series of these inputs.
  std::vector<InputSource> inputs{};
  /// Sample all laws of the model's inputs with this period (s); values take effect after `control_delay` and are held.
  std::optional<double> control_period{};
  double control_delay = 0;  ///< delay of all laws that control_period samples, s

  /// Throws ModelError naming an option that is wrong.
  void check() const;
};

/// One run of a model.
class Simulation {
 public:
  /// Assembles the start. Throws ModelError for unknown names, wrong options, and a start that cannot be
  /// assembled.
  explicit Simulation(const Model& model, const StartState& start = {}, const SimulationOptions& options = {});

  /// The model, with the inputs driven that the start or the options set.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Equations of the model.
  [[nodiscard]] const EquationsOfMotion& equations() const { return model_.equations(); }
  /// The start before assembly.
  [[nodiscard]] const Start& start() const { return start_; }
  /// The values that assembly changed.
  [[nodiscard]] const AssemblyReport& assembly() const { return assembly_; }
  /// All parameters by name.
  [[nodiscard]] Values parameters() const { return model_.parameters(start_); }

  /// The present state.
  [[nodiscard]] const State& state() const { return simulator_->state(); }
  /// Time of state(), s.
  [[nodiscard]] double time() const { return state().t; }
  /// The value of a coordinate, speed, output or input at state(). Throws ModelError for an unknown name.
  [[nodiscard]] double value(std::string_view name);
  /// Sets an input from now on. Throws ModelError for an unknown name, and for an input driven by a series, controller or law.
  void set_input(std::string_view name, double value);

  /// Takes one step of the integrator, never past `limit`; in switched motion this may be the handling of one event.
  const StepReport& step(double limit = std::numeric_limits<double>::infinity()) { return simulator_->step(limit); }
  /// Continues for `duration` seconds, events included.
  RunReport advance(double duration);
  /// Runs until the end of the plan, an event that stops the run, or a callback that returns false.
  RunReport run(const RunPlan& plan, const SampleCallback& on_sample = {}, const StepCallback& on_step = {});
  /// A plan with the end and the sampling given, else those of the model file, else 10 s and 1000 intervals.
  [[nodiscard]] RunPlan plan(std::optional<double> until = {}, std::optional<double> output_step = {}) const;

  /// Everything that determines how the motion continues.
  [[nodiscard]] MotionSnapshot snapshot() { return simulator_->snapshot(); }
  /// Returns to a snapshot of the same model; the motion then repeats to the last bit (but see
  /// MotionSimulator::snapshot). Throws ModelError for a snapshot of another system.
  void restore(const MotionSnapshot& snapshot) { simulator_->restore(snapshot); }

  // ---- tables -----------------------------------------------------------------------------------------------------------
  /// Column names of a table of the run: t, coordinates, speeds, outputs.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// Values of the columns at a sample; outputs that cannot be evaluated there are not-a-number.
  [[nodiscard]] std::span<const double> row(const State& sample);

  /// The simulator, for everything else.
  [[nodiscard]] MotionSimulator& simulator() { return *simulator_; }
  /// The simulator, for everything else.
  [[nodiscard]] const MotionSimulator& simulator() const { return *simulator_; }

 private:
  void name_columns();

  Model model_;
  Start start_;
  std::unique_ptr<MotionSimulator> simulator_;
  AssemblyReport assembly_;
  bool warned_ = false;  ///< a warning of values changed by assembly has been given
  std::vector<std::string> columns_;
  std::vector<std::size_t> outputs_;  ///< indices in the reports
  std::vector<double> row_;
};

/// The simulator options that result from a model file and `options`; the inputs are those of the model, then of the
/// options.
[[nodiscard]] SimulatorOptions simulator_options(const Model& model, const SimulationOptions& options = {});

/// The end of a run that starts at `t`: as requested, else the model's, else 10 s later.
[[nodiscard]] double end_time(const Model& model, double t, std::optional<double> asked);

}  // namespace kane
