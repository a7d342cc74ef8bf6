#pragma once
// Passing through change points: configurations in which constraints become dependent on each other for an instant (a
// parallelogram whose links lie in one line), although the motion itself continues smoothly. Near to such a place accelerations
// are known to the error of the configuration divided by the square of the distance, and at the place not at all, so no
// integrator can step onto it. But the motion before it is known as well as ever, and tells the motion beyond: from the
// rates f_j of the last steps, at the distance where they are still good,
//
//     y(t + h) = y(t) + sum_j f_j int_t^(t+h) L_j,     L_j Lagrange's polynomials of their instants,
//
// Adams' formula of that order on uneven steps, then projected onto the constraints. The order is the one whose last term is
// smallest, and that term has to be within the tolerance; else the next step comes nearer, and the jump is shorter. Beyond the
// place the rates are known again, and the formula is used once more with f(t + h) among the f_j: what was extrapolated is
// now interpolated, with an error that is smaller by orders of magnitude. (Hairer, Norsett, Wanner, Solving ODEs I, section
// III.5: variable step Adams methods, predictor and corrector.)
//
// The distance shows in s, how independent the least independent constraint is: it vanishes in proportion to the
// distance. Other branches of the motion (the parallelogram that folds) are about as far away as the place itself, and
// configurations are known to the tolerance of the constraints over s. So s has to be far above both errors at every step:
// steps go at most half of the way to the place, and a step that happened to end too near to it is made again, shorter.

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/function_ref.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

class ChangePoint {
 public:
  /// qdot and udot at a state; false if there are none.
  using Motion = std::function<bool(const State& state, std::span<double> qdot, std::span<double> udot)>;

  /// `motion`: the rates, if they are others than the evaluator's own.
  ChangePoint(SystemEvaluator& evaluator, ConstraintProjector& projector, double tolerance, Motion motion = {});

  /// Before another run.
  void start() {
    forget();
    usual_s_ = 0;
  }
  /// Forgets the past, which is of no use for the motion to come.
  void forget() {
    count_ = 0, skip_ = steps_between_ = most_rank_ = 0;
    planned_ = last_look_ = pace_ = 0;
    set_fine(false);
  }
  /// Whether a place is near; time and inputs as for observe().
  [[nodiscard]] bool is_near(const State& state);
  /// How long a step from `state` may be.
  [[nodiscard]] double most_step(const State& state) const;
  /// After a step that led to `state`; the evaluator has its time and inputs. False: the step ended so near to the place
  /// that it should be made again; `was_independent`: how independent the constraints were where it began.
  [[nodiscard]] bool observe(const State& state, FunctionRef<double()> was_independent);
  /// How independent the least independent of the active constraints is, 1 at most; time and inputs as above.
  [[nodiscard]] double calc_independence(const State& state);
  /// The length of the jump that is needed where a step from `state` would come too close; 0: step as usual.
  [[nodiscard]] double find_jump(const State& state);
  /// Makes the jump that find_jump() planned; the evaluator has time and inputs of its end. False: it leads nowhere.
  [[nodiscard]] bool jump(State& state);
  [[nodiscard]] long jumps() const { return jumps_; }

  /// Whether the last jump led over this instant, and the state there (not projected).
  [[nodiscard]] bool covers(double t) const { return planned_ > 0 && t > begin_.t && t < end_.t; }
  void interpolate(double t, State& state);
  /// Writes or reads the remembered history.
  void exchange(MemoryArchive& a);

 private:
  static constexpr std::size_t kMoments = 5;
  struct Moment {
    double t = 0, independence = 1;
    std::vector<double> rates;
  };
  /// Nodes of the formula: the end of the jump if it is known, then the newest moments.
  [[nodiscard]] const Moment& moment(std::size_t i) const {
    return corrected_ ? i == 0 ? beyond_ : moments_[i - 1] : moments_[i];
  }

  [[nodiscard]] bool vanishes() const;
  /// Below this s it is time to watch, and to jump.
  [[nodiscard]] double watch() const;
  [[nodiscard]] double near() const;
  /// Near the place rates are known to the residual over s^2, so that states are projected to rounding there.
  void set_fine(bool fine);
  void plan_look(double independence);
  /// begin_ + h (...) with the newest `order` moments, and the rates at the end of the jump if `corrected_`.
  void predict(double h, std::size_t order, State& state) const;
  void correct();

  SystemEvaluator& evaluator_;
  ConstraintProjector& projector_;
  double tolerance_;
  double usual_;       ///< the projector's tolerance
  bool fine_ = false;  ///< it is finer now
  Motion motion_;
  std::array<Moment, kMoments> moments_;  ///< newest first
  Moment beyond_;                         ///< the end of the jump
  bool corrected_ = false;                ///< its rates are known
  std::size_t count_ = 0, order_ = 2;
  long jumps_ = 0;
  double planned_ = 0, last_look_ = 0, pace_ = 0;
  double usual_s_ = 0;  ///< the largest s so far
  int skip_ = 0, steps_between_ = 0, most_rank_ = 0;
  State begin_, end_, lower_, higher_, predicted_;
};

}  // namespace kane
