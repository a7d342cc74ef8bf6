#pragma once
// A compiled system at the states of a state file: accelerations, multipliers, and everything that is reported.

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "apps/kane/model_source.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

/// A number of a table for people: zero where it is only the rounding error of others of this size.
[[nodiscard]] inline double shown(double x, double size) { return std::abs(x) <= 1e-13 * size ? 0.0 : x; }

class StateEvaluation {
 public:
  StateEvaluation(const Mechanism& mechanism, std::shared_ptr<const CompiledSystem> system)
      : mechanism_(mechanism), system_(std::move(system)), evaluator_(system_) {}

  /// One state of the file; `entry` counts them for messages (-1: the only one). Throws RunFailed where the motion cannot
  /// be found.
  void run(const nlohmann::json& state, int entry);

  [[nodiscard]] const EquationsOfMotion& equations() const { return system_->equations(); }
  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  [[nodiscard]] const Situation& situation() const { return situation_; }
  [[nodiscard]] const std::vector<double>& qdot() const { return qdot_; }
  [[nodiscard]] const std::vector<double>& udot() const { return udot_; }
  /// One for each constraint; zero for those that are not active.
  [[nodiscard]] const std::vector<double>& multipliers() const { return lambda_; }
  /// As CompiledSystem::report_items() says.
  [[nodiscard]] std::span<const double> calc_reports() {
    return evaluator_.calc_reports(situation_.q, situation_.u, udot_, lambda_);
  }

 private:
  const Mechanism& mechanism_;
  std::shared_ptr<const CompiledSystem> system_;
  SystemEvaluator evaluator_;
  Situation situation_;
  std::vector<double> qdot_, udot_, lambda_;
};

}  // namespace kane
