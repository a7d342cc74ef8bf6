#pragma once
// Where the equations of motion jump or have a corner: zeros of the arguments of sign, abs and comparisons, equal arguments of
// min and max, whole numbers of floor and mod. An integrator that steps over such a place takes its order of accuracy for
// granted there and is wrong, or makes thousands of tiny steps. So a run with a variable step ends a step just beyond the
// place and restarts there (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.6):
// a step across it is repeated, first up to a thousandth before it, then just past it, until the step that crosses is
// as short as rounding allows and its error does not matter.
//
// If the equations lead back on both sides (a sliding mode; A. F. Filippov, Differential equations with discontinuous
// righthand sides, 1988), there is no motion beyond: -F sign(u) holds u at zero, and sign(0) is not the force that holds it.
// Sliding is recognised after a few crossings at one instant, and reported by name. Corners do not cause it; one that is
// crossed again and again (a motion along it) is left to the error control.
//
// Equations without these functions have nothing to look for, and their runs stay as they are.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/simulate/motion/run_failure.hpp"
#include "kane/simulate/system/kernel_runner.hpp"
#include "kane/solve/function_ref.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

class JumpLocator {
 public:
  /// `watch` off: no place is known.
  explicit JumpLocator(SystemEvaluator& evaluator, bool watch = true);
  ~JumpLocator();
  JumpLocator(const JumpLocator&) = delete;
  JumpLocator& operator=(const JumpLocator&) = delete;

  [[nodiscard]] bool present() const { return !places_.empty(); }
  /// On which side of each place a state is, with the evaluator at its time and inputs. Zero: on it.
  [[nodiscard]] std::span<const double> calc_sides(const State& state);
  /// Begins at these sides.
  void start(std::span<const double> sides);
  /// Takes the sides of the state reached as those to compare with from now on.
  void settle(std::span<const double> sides);

  /// The longest step from t that need not be made again, as far as is known.
  [[nodiscard]] double most_step(double t) const;
  using Sides = FunctionRef<std::span<const double>(double t)>;
  /// Examines a step. Returns its permitted length if it leads over a place and is not short enough; infinity if it may stay.
  /// `sides` gives those inside the step, none if they are not known.
  [[nodiscard]] double find(double begin, double end, Sides sides);
  /// The last step examined has crossed a place: the integrator restarts.
  [[nodiscard]] bool crossed() const { return crossed_; }
  /// The failure to report if the motion crosses the same place again and again without moving on.
  [[nodiscard]] std::optional<RunFailure> find_chatter(const State& state) const;
  /// A sentence for runs that do not look for these places; "" if no force jumps.
  [[nodiscard]] std::string describe_fixed_step() const;
  void exchange(MemoryArchive& a);

 private:
  struct Place {
    std::string text;      ///< text of the function
    std::string argument;  ///< argument of sign
    bool jumps = false;    ///< or else a corner
    bool of_state = false;
  };
  [[nodiscard]] bool differs(std::size_t k, double side) const;
  [[nodiscard]] double least_step(double t) const;
  void note_crossing(double end);
  void take_sides(std::span<const double> sides);

  std::vector<Place> places_;
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
  std::vector<double> sides_, found_, last_;  ///< at the begin of a step; at its end; time of the last crossing of each
  std::vector<int> quick_;                    ///< crossings in a row that followed at once
  std::vector<bool> ignored_;
  double expected_;        ///< time of the next crossing, where it is known
  double scale_ = 0;       ///< the longest step so far
  double grow_ = 1;        ///< of the least step, where shorter ones do not move the state
  bool on_place_ = false;  ///< the step begins where a function jumps, which has no value there that would count
  bool crossed_ = false;
  int chatters_ = -1;
};

}  // namespace kane
