#pragma once
// User-defined generalized speeds, u = Y(q) qdot + Z, determine the motion only where Y can be inverted. The tip of
// an arm that is stretched cannot move outwards: there its velocity does not determine the joint rates, and
//
//     qdot = Q(q) u + ...,     Q = Y^-1,
//
// has no limit unless u is what it has to be to the last digit. An integrator may step over such a place without noticing;
// the motion behind it is then anybody's guess. The determinant of Q changes its sign there (through infinity), which is
// looked at after every step. With u off by a little, the motion may also turn back just before the place: that shows in the
// pivots of Q, whose sizes grow apart.

#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

class SpeedMonitor {
 public:
  explicit SpeedMonitor(const SystemEvaluator& evaluator);

  /// False where Q does not depend on the configuration, or is not square (quaternions).
  [[nodiscard]] bool present() const { return runner_.present(); }
  /// Sign of det Q: -1, 1, or 0 where it is not finite. The evaluator has time and inputs of the state.
  [[nodiscard]] int calc_sign(const State& state);
  /// At the state of the last calc_sign(): least pivot over largest, relative to the most that this was in the run.
  [[nodiscard]] double independence() const { return most_ratio_ > 0 ? ratio_ / most_ratio_ : 1; }
  /// The sign that states are compared with.
  void set_sign(int sign) { sign_ = sign; }
  /// Begins a run at a state.
  void start(const State& state) {
    most_ratio_ = 0;
    sign_ = calc_sign(state);
  }
  [[nodiscard]] int sign() const { return sign_; }
  void exchange(MemoryArchive& a) { a(sign_, ratio_, most_ratio_); }

 private:
  KernelRunner runner_;
  std::vector<double> q_;  ///< Q, by rows
  std::size_t n_;
  int sign_ = 0;
  double ratio_ = 0, most_ratio_ = 0;
};

}  // namespace kane
