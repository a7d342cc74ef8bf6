#pragma once
// Time-domain passivity (Hannaford and Ryu 2002, "Time-Domain Passivity Control of Haptic Interfaces", IEEE Trans. Robotics
// and Automation 18(1)). The observer sums the energy that enters the loop at the device's port; the controller modifies
// the displayed force or motion so that no more energy comes out than has gone in.
//
// Impedance display. The force f_k opposed to the motion is held from tick k to tick k+1, so its work is known exactly as
// soon as the device is read again; no speed enters:
//
//     E_{k+1} = E_k + f_k (x_{k+1} - x_k)
//
// The next tick is predicted: the device of mass m continues with its speed v and yields to the force, so
// x_{k+1} - x_k = T v - c f with c = T^2 / (2 m). The forces that leave no deficit are those between the roots of
//
//     E_k + f (T v - c f) >= 0,       f = (T v -+ sqrt((T v)^2 + 4 c E_k)) / (2 c)
//
// and the one nearest to the force that the loop asks for is displayed. With energy in store, E_k > 0, zero is among
// them: the force is reduced. With a deficit, E_k < 0, all of them resist the motion. If there are none, the deficit cannot be
// removed within this tick, and f = T v / (2 c) reduces it most.
//
// Bound. With the prediction error delta_k = f_k (x_{k+1} - x_k - T v_k + c f_k), which is due to the hand, E_{k+1} >= delta_k
// in the first case, and E_{k+1} = E_k + (T v)^2 / (4 c) + delta_k in the second. So a deficit is at most the prediction error of
// one tick, plus the energy given while a deficit cannot be removed and the hand reverses the device; largest_error() returns
// the former, turned() the latter.
//
// Two ports (loop_link.hpp, device_link.hpp): where the loop is at the other end of a network, energy may also be released only
// as far as the other end says that it gave it, allow(). Work that takes nothing out is always possible.
//
// Admittance display. Here the motion d_k of the tick is displayed and known, and the hand's force g is sensed; it decreases with
// the hand's stiffness and damping, g_{k+1} = g_k - (K + B / T) d_k at most. With c = (K + B / T) / 2 the rest is the same:
//
//     E_{k+1} = E_k + (g_k + g_{k+1}) / 2 d_k,       predicted E_k + d_k (g_k - c d_k)

#include <algorithm>
#include <cmath>

namespace kane {

class PassivityController {
 public:
  /// `give`: c, positive; T^2 / (2 m), or (K + B / T) / 2. `stored`: energy that the loop stores at the start and may release.
  explicit PassivityController(double period, double give, double stored = 0)
      : period_(period), give_(give), stored_(stored) {}

  void reset() { *this = PassivityController(period_, give_, stored_); }

  /// `resist`: the force that the loop opposes to the motion; `x`, `v` of the device. Returns the one to display.
  double control_force(double resist, double x, double v, bool on = true) {
    if (started_) settle(flow_ * (x - other_));
    started_ = true;
    other_ = x, with_ = period_ * v;
    flow_ = on ? decide(resist) : resist;
    return flow_;
  }
  /// No more than `most` may come out in all; infinite at first.
  void allow(double most) { most_ = most; }
  /// Call if the device displays less than control_force() returned.
  double limit(double force) { return flow_ = force; }
  /// `step`: the motion of the handle's image in this tick; `force`: that of the hand. Returns the step to display.
  double control_motion(double step, double force, bool on = true) {
    with_ = force;
    flow_ = on ? decide(step) : step;
    return flow_;
  }
  /// The force of the hand at the end of the tick that control_motion() began.
  void note_force(double force) {
    if (started_) settle(flow_ * (with_ + force) / 2);
    started_ = true;
  }

  /// Energy that went in so far minus energy that came out, without the energy stored at the start.
  [[nodiscard]] double energy() const { return energy_; }
  [[nodiscard]] double least_energy() const { return least_; }
  /// The two parts of energy(); neither ever falls.
  [[nodiscard]] double energy_in() const { return in_; }
  [[nodiscard]] double energy_out() const { return out_; }
  /// Energy that the controller removed from the requested flow, as predicted.
  [[nodiscard]] double dissipated() const { return added_; }
  [[nodiscard]] long interventions() const { return interventions_; }
  /// Largest |delta_k|.
  [[nodiscard]] double largest_error() const { return error_; }
  /// Total energy given while a deficit could not be removed and the hand reversed the device.
  [[nodiscard]] double turned() const { return turned_; }

 private:
  /// Predicted work of a flow (force or step).
  [[nodiscard]] double predict(double flow) const { return flow * (with_ - give_ * flow); }

  double decide(double wanted) {
    const double store = std::min(energy_ + stored_, std::max(0.0, most_ - out_));
    const double squared = with_ * with_ + 4 * give_ * store;
    paying_ = !(squared >= 0);
    const double root = paying_ ? 0.0 : std::sqrt(squared);
    const double flow = std::clamp(wanted, (with_ - root) / (2 * give_), (with_ + root) / (2 * give_));
    if (flow != wanted) ++interventions_, added_ += predict(flow) - predict(wanted);
    return flow;
  }
  void settle(double work) {
    energy_ += work;
    (work > 0 ? in_ : out_) += std::abs(work);
    error_ = std::max(error_, std::abs(work - predict(flow_)));
    if (paying_ && work < 0) turned_ -= work;
    least_ = std::min(least_, energy_);
  }

  double period_, give_, stored_;
  double energy_ = 0, least_ = 0, added_ = 0, error_ = 0, turned_ = 0;
  double flow_ = 0, other_ = 0, with_ = 0;
  double in_ = 0, out_ = 0, most_ = HUGE_VAL;
  bool started_ = false, paying_ = false;
  long interventions_ = 0;
};

}  // namespace kane
