#pragma once
// Model: a mechanism with its equations derived and compiled, constant from then on. Every run and every analysis starts
// from one, so that the same file, state and options mean the same system everywhere.
//
//     Model model = read_model("arm.yaml");               // kane/formats; or Model(mechanism)
//     Simulation run(model, {.q = {{"q1", 0.3}}});        // kane/model/simulation.hpp
//     run.run({.until = 2});
//
// A Model is a small handle to shared, constant data: copying it is cheap, and threads may use the same one.

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

/// How a model treats the laws of inputs that a digital controller samples (`sampled:`).
enum class SampledLaws : std::uint8_t {
  Sampled,     ///< as in reality: the law acts at its instants, held in between
  Continuous,  ///< the law acts at every instant, as linear analyses need it
};

/// How a mechanism becomes a model.
struct ModelOptions {
  Formulation formulation = Formulation::Automatic;  ///< Automatic: the shortest
  /// "name=value" settings, applied before anything is derived (settings.hpp).
  std::vector<std::string> set{};
  /// "name=value": coordinates and speeds that assembly starts from and may move.
  std::vector<std::string> guess{};
  /// Inputs that the caller gives values to, whatever law or series the model has for them.
  std::vector<std::string> driven{};
  SampledLaws sampled_laws = SampledLaws::Sampled;  ///< how laws of digital controllers act
  bool stops = true;                                ///< limits of joints are stops; else they are only told
  bool motor_limits = true;  ///< motors have their max_force and max_speed; else these are only told
  /// Simulations may run the native code of the FMUs that drive inputs; else such inputs keep their start values.
  bool allow_fmu = false;
  /// No fused multiply-adds: the same bits on every machine.
  bool strict = false;
  /// Never use machine code.
  bool interpreter = false;
  /// Compile what is reported of a state: points, bodies, energies, reactions, outputs.
  bool reports = true;
  /// Constraints that may be added at run time and held at once (kane/simulate/tick/written_constraint.hpp).
  std::size_t free_rows = 0;
};

/// A compiled mechanism.
class Model {
 public:
  /// Derives and compiles. Throws ModelError if the mechanism or an option is wrong.
  explicit Model(Mechanism mechanism, ModelOptions options = {});
  /// With equations that the caller has formed of the same mechanism, for instance to report other quantities. Settings and
  /// automatic speeds must have been applied before.
  Model(Mechanism mechanism, EquationsOfMotion equations, ModelOptions options);

  /// Name of the mechanism.
  [[nodiscard]] const std::string& name() const;
  /// As it is run: settings applied, automatic speeds chosen.
  [[nodiscard]] const Mechanism& mechanism() const;
  /// As they were given.
  [[nodiscard]] const ModelOptions& options() const;
  /// In symbols.
  [[nodiscard]] const EquationsOfMotion& equations() const { return system()->equations(); }
  /// In machine code.
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& system() const;
  /// Inputs that change with time during a run: series, and laws sampled by a controller.
  [[nodiscard]] const std::vector<InputSource>& input_sources() const;
  /// Notes for the user: which speeds were chosen, which sampled laws act continuously.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  /// The same mechanism with further inputs driven by the caller; itself if they all are.
  [[nodiscard]] Model driving(const std::vector<std::string>& inputs) const;
  /// The same mechanism with other settings, for parameters and initial values that change often use a StartState.
  [[nodiscard]] Model with_options(ModelOptions options) const;
  /// driving() the inputs that the state names.
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
