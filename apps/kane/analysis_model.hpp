#pragma once
// Shared by the analysis commands: a model compiled with everything they need, at the state that the user gives.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/kane/model_source.hpp"
#include "apps/kane/option_text.hpp"
#include "apps/kane/print.hpp"
#include "kane/simulate/motion/simulator.hpp"

namespace kane {

class AnalysisModel {
 public:
  /// `state`: file of a state, or empty. `driven`: inputs given from outside although the model has a law for them.
  AnalysisModel(const ModelSource& source, const std::string& state, std::vector<std::string> driven = {},
                const std::vector<std::string>& settings = {});
  /// For a model that has already been read.
  AnalysisModel(Mechanism mechanism, nlohmann::json state, const std::string& formulation);

  [[nodiscard]] const Mechanism& mechanism() const { return mechanism_; }
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& system() const { return system_; }
  [[nodiscard]] const EquationsOfMotion& equations() const { return system_->equations(); }
  /// With the parameters, inputs and active constraints of the situation.
  [[nodiscard]] SystemEvaluator& evaluator() { return *evaluator_; }
  [[nodiscard]] const FileSituation& situation() const { return situation_; }
  /// All parameters by name, as they are set.
  [[nodiscard]] Values parameters() const;
  /// As written, not assembled.
  [[nodiscard]] State start() const { return {situation_.t, situation_.q, situation_.u}; }
  /// Which values the user gave, in the model or the state file.
  [[nodiscard]] GivenValues given() const;
  /// The nearest state on the constraints. Throws ModelError if there is none.
  [[nodiscard]] State assembled(AssemblyReport* report = nullptr);
  /// For runs: parameters, inputs and active constraints set, not started.
  [[nodiscard]] std::unique_ptr<Simulator> make_simulator(SimulatorOptions options = {}) const;
  /// Method, tolerance and step that the model asks for.
  [[nodiscard]] SimulatorOptions simulator_options() const;
  [[nodiscard]] double until(std::optional<double> asked) const;

 private:
  void compile(const std::string& formulation, std::vector<std::string> driven);

  Mechanism mechanism_;
  nlohmann::json state_ = nlohmann::json::object();
  std::shared_ptr<const CompiledSystem> system_;
  FileSituation situation_;
  std::unique_ptr<SystemEvaluator> evaluator_;
};

/// Rows of a matrix as JSON.
[[nodiscard]] nlohmann::ordered_json matrix_rows(ConstMatrixView m);
}  // namespace kane
