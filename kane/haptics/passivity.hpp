#pragma once
// Time-domain passivity (Hannaford and Ryu 2002). The observer sums up the energy that went into the loop at the device's
// port; where it becomes negative, energy has come out that nobody has put in, and the controller adds just the damping that
// takes it back in the same tick.
//
//     E_k = E_{k-1} + T f_k v_k          f: force displayed against the motion, v: speed of the device
//     E_k < 0:  alpha = -E_k / (T v^2),  f_k <- f_k + alpha v
//
// The force is bounded where v is too small to take the energy back at once; the rest is taken back in later ticks.

#include <algorithm>
#include <cmath>

namespace kane {

class PassivityController {
 public:
  /// `max_damping`: of what the controller adds; 0: no bound.
  explicit PassivityController(double period, double max_damping = 0) : period_(period), max_damping_(max_damping) {}

  void reset() { energy_ = least_ = added_ = 0, interventions_ = 0; }

  /// `resist`: the force that the loop opposes to the motion. Returns the one to display.
  double control(double resist, double speed) {
    energy_ += period_ * resist * speed;
    if (energy_ < 0 && speed != 0) {
      double alpha = -energy_ / (period_ * speed * speed);
      if (max_damping_ > 0) alpha = std::min(alpha, max_damping_);
      const double extra = alpha * speed;
      energy_ += period_ * extra * speed;
      added_ += period_ * extra * speed;
      resist += extra;
      ++interventions_;
    }
    least_ = std::min(least_, energy_);
    return resist;
  }
  /// The observer alone.
  void observe(double resist, double speed) {
    energy_ += period_ * resist * speed;
    least_ = std::min(least_, energy_);
  }

  [[nodiscard]] double energy() const { return energy_; }
  [[nodiscard]] double least_energy() const { return least_; }
  [[nodiscard]] double dissipated() const { return added_; }
  [[nodiscard]] long interventions() const { return interventions_; }

 private:
  double period_, max_damping_;
  double energy_ = 0, least_ = 0, added_ = 0;
  long interventions_ = 0;
};

}  // namespace kane
