#pragma once
// A model at a state: the starting point of every analysis. The evaluator has the parameters, inputs, time and active
// constraints of the state.
//
//     Situation at(model, {.q = {{"q1", 0.3}}});
//     EquilibriumReport report = EquilibriumFinder(at.evaluator()).find(at.state());

#include <memory>
#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

/// A model at a state.
class Situation {
 public:
  /// Inputs named in the state take their values from it.
  explicit Situation(const Model& model, const StartState& state = {});

  /// The model, with the inputs named in the state driven by it.
  [[nodiscard]] const Model& model() const { return model_; }
  /// The system in machine code.
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& system() const { return model_.system(); }
  /// The equations in symbols.
  [[nodiscard]] const EquationsOfMotion& equations() const { return model_.equations(); }
  /// An evaluator with the parameters, inputs, time and active constraints of the state.
  [[nodiscard]] SystemEvaluator& evaluator() { return *evaluator_; }
  /// The state, completed.
  [[nodiscard]] const Start& start() const { return start_; }
  /// The state as given, not assembled.
  [[nodiscard]] const State& state() const { return start_.state; }
  /// The nearest state on the constraints. Throws ModelError if there is none.
  [[nodiscard]] State assembled(AssemblyReport* report = nullptr);

 private:
  Model model_;
  Start start_;
  std::unique_ptr<SystemEvaluator> evaluator_;
};

/// The parts of a model that switch during a run, by name: "contact 'floor', friction 'pin.friction', event 'release'". Empty if
/// there are none.
/// Stops that the coordinates stay away from are left out: see describe_outside().
[[nodiscard]] std::string describe_switching(const EquationsOfMotion& equations);

/// Throws ModelError if the model has contacts, friction, events or modes: `analysis` cannot follow them.
void require_smooth(const EquationsOfMotion& equations, const std::string& analysis);

}  // namespace kane
