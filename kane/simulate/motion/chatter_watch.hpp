#pragma once
// Runs that make no headway because a force holds the motion at its own jump.
//
// A force -F sign(u) brings u to zero and, if nothing pushes harder, keeps it there: on both sides it drives the motion back
// (a sliding mode; A. F. Filippov, Differential equations with discontinuous righthand sides, 1988). An integrator crosses
// the jump in every step, and its steps become as small as the tolerance. This is no failure that a step could notice, so
// the steps are watched: if they become so short that the run would not come to its end in a reasonable time, the functions
// that jump (sign, floor, mod, comparisons) are evaluated after each of the next steps, and one that depends on the state and
// changes again and again is named.
//
// While all is well this costs an addition and a comparison per step.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/simulate/motion/run_failure.hpp"

namespace kane {

class ChatterWatch {
 public:
  explicit ChatterWatch(SystemEvaluator& evaluator);
  ~ChatterWatch();
  ChatterWatch(const ChatterWatch&) = delete;
  ChatterWatch& operator=(const ChatterWatch&) = delete;

  /// After each step of a run to `until`. What is the matter, if the run chatters.
  [[nodiscard]] std::optional<RunFailure> observe(const State& state, double until);
  /// The jump at which a run cannot go on: a function that changes within a rounding error of the state. A step of an
  /// implicit method need not exist there; u+ = u + h f(u+) has no solution if f changes its sign in between.
  [[nodiscard]] std::optional<RunFailure> find_obstacle(const State& state);

 private:
  class Jumps;
  [[nodiscard]] RunFailure name(const State& state, std::size_t jump) const;
  [[nodiscard]] std::string advice(std::size_t jump) const;
  [[nodiscard]] RunFailure explain(const State& state, std::size_t jump, double step, double left) const;

  SystemEvaluator& evaluator_;
  std::unique_ptr<Jumps> jumps_;
  bool has_none_ = false;
  bool looking_ = false;
  double t_last_ = 0, longest_ = 0;  ///< of the last step; the longest step so far
  long steps_ = 0;                   ///< in the present window
  double t_window_ = 0;              ///< its beginning
  bool started_ = false;
};

}  // namespace kane
