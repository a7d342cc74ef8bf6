#pragma once
// Looking ahead (Gillespie, end of section 4): the simulation runs ahead faster than real time, assuming that the hand
// continues its present motion; where constraints are about to change, the equations after the change are prepared. When the
// change occurs, the prepared choice is checked and used, so that the tick in which it happens has less to do.
//
// It works in the time left in each tick, a few ticks ahead at a time, and is deterministic: a replayed run
// prepares the same choices at the same ticks.

#include <span>
#include <vector>

#include "kane/haptics/virtual_coupler.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

struct PredictorOptions {
  int horizon = 20;  ///< ticks to look ahead before restarting from the present
  int pace = 4;      ///< ticks simulated ahead per tick: the speed relative to real time
};

class Predictor {
 public:
  /// `now` is the simulator to run ahead of; it receives the prepared choices.
  Predictor(TickSimulator& now, std::vector<VirtualCoupler> couplers, PredictorOptions options);

  /// Called in the time left in a tick, with position and speed of the device.
  void step(std::span<const double> position, std::span<const double> speed);
  /// Number of changes that were predicted.
  [[nodiscard]] long predicted() const { return predicted_; }

 private:
  TickSimulator& now_;
  TickSimulator ahead_;
  std::vector<VirtualCoupler> couplers_;
  PredictorOptions options_;
  std::vector<double> position_, speed_;
  int left_ = 0;
  long predicted_ = 0;
};

}  // namespace kane
