#pragma once
// Model: a mechanism with its equations derived and compiled, constant from then on. Every run and every analysis starts
// from a Model, so that the same file, state and options mean the same system everywhere.
//
//     Model model = read_model("arm.yaml");               // kane/formats; or Model(mechanism)
//     Simulation run(model, {.q = {{"q1", 0.3}}});        // kane/model/simulation.hpp
//     run.run({.until = 2});
//
// A Model is a small handle to shared, constant data: copying is cheap, and threads may share one.

#include <memory>
#include <string>
#include <vector>

#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/mechanism.hpp"
#include "kane/model/start_state.hpp"
#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

/// Treatment of input laws that a digital controller samples (`sampled:`).
enum class SampledLaws : std::uint8_t {
  Sampled,     ///< as in reality: the law is evaluated at its sampling instants and held in between
  Continuous,  ///< the law acts continuously, as linear analyses require
};

/// Options of a model.
struct ModelOptions {
  Formulation formulation = Formulation::Automatic;  ///< Automatic: the shortest
  /// "name=value" settings, applied before anything is derived (settings.hpp).
  std::vector<std::string> set{};
  /// "name=value": values of coordinates and speeds that assembly starts from and may change.
  std::vector<std::string> guess{};
  /// Inputs whose values the caller supplies, whatever law or series the model has for them.
  std::vector<std::string> driven{};
  SampledLaws sampled_laws = SampledLaws::Sampled;  ///< how laws of digital controllers act
  bool stops = true;                                ///< limits of joints are stops; otherwise they are only reported
  bool motor_limits = true;  ///< max_force and max_speed limit motors; otherwise they are only reported
  /// Simulations may run the native code of FMUs that drive inputs; otherwise such inputs keep their start values.
  bool allow_fmu = false;
  /// No fused multiply-adds: the same bits on every machine.
  bool strict = false;
  /// Never use machine code.
  bool interpreter = false;
  /// Compile the reports on a state: points, bodies, energies, reactions, outputs.
  bool reports = true;
  /// Compile less where no more is wanted: the mass matrix is not formed where it is large and the accelerations are found
  /// without it, and reports leave out bodies, momentum, and velocities and accelerations of points.
  bool brief = false;
  /// Number of constraints added at run time that may act at once (kane/simulate/tick/written_constraint.hpp).
  std::size_t free_rows = 0;
};

/// A compiled mechanism.
class Model {
 public:
  /// Derives and compiles the equations. Throws ModelError if the mechanism or an option is wrong.
  explicit Model(Mechanism mechanism, ModelOptions options = {});
  /// Uses equations that the caller has formed for the same mechanism, for instance to report other quantities. Settings and
  /// automatic speeds must already have been applied.
  Model(Mechanism mechanism, EquationsOfMotion equations, ModelOptions options);

  /// Name of the mechanism.
  [[nodiscard]] const std::string& name() const;
  /// The mechanism as it is run: settings applied, automatic speeds chosen.
  [[nodiscard]] const Mechanism& mechanism() const;
  /// The options as given.
  [[nodiscard]] const ModelOptions& options() const;
  /// The equations in symbols.
  [[nodiscard]] const EquationsOfMotion& equations() const { return system()->equations(); }
  /// The equations in machine code.
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& system() const;
  /// Inputs that change by themselves during a run: series, and laws sampled by a controller.
  [[nodiscard]] const std::vector<InputSource>& input_sources() const;
  /// Notes for the user: speeds that were chosen, sampled laws that act continuously.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  /// The same mechanism with further inputs driven by the caller; this model itself if they all are already.
  [[nodiscard]] Model driving(const std::vector<std::string>& inputs) const;
  /// The same mechanism with other options. For parameters and initial values that change often, use a StartState.
  [[nodiscard]] Model with_options(ModelOptions options) const;
  /// The same with the inputs that the state names.
  [[nodiscard]] Model driving(const StartState& start) const;

  /// Completes a state. Throws ModelError for unknown names and impossible values.
  [[nodiscard]] Start start(const StartState& state = {}) const;
  /// All parameters by name.
  [[nodiscard]] Values parameters(const Start& start) const;
  /// An evaluator with the parameters, inputs, time and active constraints of a start.
  [[nodiscard]] std::unique_ptr<SystemEvaluator> make_evaluator(const Start& start) const;

 private:
  struct Data;
  void compile(Mechanism mechanism, EquationsOfMotion equations, ModelOptions options, std::vector<std::string> notes);

  std::shared_ptr<const Data> data_;
};

/// Sets an evaluator of the model to the parameters, inputs, time and active constraints of a start.
void set_evaluator(SystemEvaluator& evaluator, const Start& start);

/// Moves the start's state onto its active constraints. Throws ModelError if that is impossible.
[[nodiscard]] AssemblyReport assemble_start(SystemEvaluator& evaluator, Start& start);

}  // namespace kane
