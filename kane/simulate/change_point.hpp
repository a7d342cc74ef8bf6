#pragma once
// Passing through change points: configurations in which constraints become dependent on each other for an instant (a
// parallelogram whose links lie in one line), although the motion itself goes on smoothly. Near to such a place accelerations
// are known to the error of the configuration divided by the square of the distance, and at the place not at all, so no
// integrator can step onto it. But the motion before it is known as well as ever, and tells the motion beyond: from the
// rates f_j of the last steps, at the distance where they are still good,
//
//     y(t + h) = y(t) + sum_j f_j int_t^(t+h) L_j,     L_j Lagrange's polynomials of their instants,
//
// Adams' formula of that order on uneven steps, then projected onto the constraints. The order is the one whose last term is
// smallest, and that term has to be within the tolerance; else the next step comes nearer, and the jump is shorter.

#include <array>
#include <span>
#include <vector>

#include "kane/simulate/constraint_projector.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system_evaluator.hpp"

namespace kane {

class ChangePoint {
 public:
  ChangePoint(SystemEvaluator& evaluator, ConstraintProjector& projector, double tolerance);

  /// What lies before is of no use for what comes.
  void forget() { count_ = 0, planned_ = 0, skip_ = steps_between_ = 0, last_look_ = 0; }
  /// After a step that led to `state`; the evaluator has its time and inputs.
  void observe(const State& state);
  /// Where a step from `state` would come too close: how long the jump has to be. 0: step on.
  [[nodiscard]] double find_jump(const State& state);
  /// Makes the jump that find_jump() planned; the evaluator has time and inputs of its end. False: it leads nowhere.
  [[nodiscard]] bool jump(State& state);
  [[nodiscard]] long jumps() const { return jumps_; }

  /// Whether the last jump led over this instant, and the state there (not projected).
  [[nodiscard]] bool covers(double t) const { return planned_ > 0 && t > begin_.t && t < end_.t; }
  void interpolate(double t, State& state);

 private:
  static constexpr std::size_t kMoments = 5;
  struct Moment {
    double t = 0, independence = 1;
    std::vector<double> rates;
  };

  [[nodiscard]] double calc_independence(const State& state);
  void plan_look(double independence);
  /// begin_ + h (...) with the newest `order` moments.
  void predict(double h, std::size_t order, State& state) const;

  SystemEvaluator& evaluator_;
  ConstraintProjector& projector_;
  double tolerance_;
  std::array<Moment, kMoments> moments_;  ///< newest first
  std::size_t count_ = 0, order_ = 2;
  long jumps_ = 0;
  double planned_ = 0, last_look_ = 0;
  int skip_ = 0, steps_between_ = 0;
  State begin_, end_, lower_, higher_;
};

}  // namespace kane
