#pragma once
// A simulation that cannot continue: when, where, which quantity, and the likely cause, in words.

#include <string>

#include "kane/simulate/motion/motion_problem.hpp"

namespace kane {

struct RunFailure {
  StepStatus status = StepStatus::Ok;
  double t = 0;
  State state;           ///< the last one that was reached
  std::string quantity;  ///< the quantity at fault, by name
  std::string cause;     ///< sentences: the likely cause, and possible remedies

  /// One paragraph with all of it.
  [[nodiscard]] std::string message(const EquationsOfMotion& equations) const;
};

/// Everything expressions may be written with, at a state.
[[nodiscard]] Values named_values(const SystemEvaluator& evaluator, const State& state);

/// "1/q is inf": the first expression of the equations, operands before users, that is not finite at a state although its
/// operands are; "" if there is none.
[[nodiscard]] std::string find_not_finite(const SystemEvaluator& evaluator, const State& state);

/// The generalized speeds do not determine the motion at `state`.
[[nodiscard]] RunFailure explain_lost_speeds(const State& state, const EquationsOfMotion& equations);

[[nodiscard]] RunFailure explain_failure(const StepReport& report, const State& state, const MotionProblem& problem,
                                         const ConstraintProjector& projector, SystemEvaluator& evaluator);

}  // namespace kane
