#pragma once
// Looking ahead (Gillespie, end of section 4): the simulation is run on faster than real time, with the hand going on as it
// moves now; where constraints are about to change, the equations after the change are prepared. When the change really
// comes, what was prepared is checked and taken over, so that the tick in which it happens has less to do.
//
// It works in the time that is left of each tick, a few ticks ahead at a time, and is deterministic: a replayed run
// prepares the same at the same ticks.

#include <span>
#include <vector>

#include "kane/haptics/virtual_coupler.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

struct PredictorOptions {
  int horizon = 20;  ///< ticks to look ahead before beginning again from the present
  int pace = 4;      ///< ticks ahead per tick: how much faster than real time
};

class Predictor {
 public:
  /// `now` is what is looked ahead of; it gets what is prepared.
  Predictor(TickSimulator& now, std::vector<VirtualCoupler> couplers, PredictorOptions options);

  /// In the time left of a tick; where the device is, and how fast.
  void step(std::span<const double> position, std::span<const double> speed);
  /// Changes that were seen coming.
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
