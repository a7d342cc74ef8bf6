#pragma once
// Looking ahead (Gillespie, end of section 4): the simulation runs ahead faster than real time, assuming in turn that the hand
// continues its present motion, and the worst it can do: that it pushes on, or pulls back, as hard as a hand can. The
// simulation ahead goes through impacts and on with the equations after them, through several changes up to its horizon; for
// each set of constraints that it meets, the choice of independent speeds is prepared. When the change occurs, the prepared
// choice is checked and used, so that the tick in which it happens has less to do. Impulses depend on the speeds at the instant,
// and are computed there.
//
// It works in the time left in each tick, a few ticks ahead at a time, and is deterministic: a replayed run
// prepares the same choices at the same ticks.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/haptics/virtual_coupler.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

struct PredictorOptions {
  int horizon = 20;          ///< ticks to look ahead before restarting from the present
  int pace = 4;              ///< ticks simulated ahead per tick: the speed relative to real time
  double acceleration = 10;  ///< m/s^2 or rad/s^2 of a hand that pushes or pulls as hard as it can
};

class Predictor {
 public:
  /// `now` is the simulator to run ahead of; it receives the prepared choices.
  Predictor(TickSimulator& now, std::vector<VirtualCoupler> couplers, PredictorOptions options);

  /// Called in the time left in a tick, with position and speed of the device.
  void step(std::span<const double> position, std::span<const double> speed);
  /// How the hand is assumed to go on.
  enum class Guess : std::uint8_t { Continues, Pushes, Pulls };
  static constexpr std::size_t kGuesses = 3;
  /// Number of ticks ahead with changes of constraints.
  [[nodiscard]] long predicted() const { return predicted_[0] + predicted_[1] + predicted_[2]; }
  [[nodiscard]] long predicted(Guess guess) const { return predicted_[at(guess)]; }

 private:
  TickSimulator& now_;
  TickSimulator ahead_;
  std::vector<VirtualCoupler> couplers_;
  PredictorOptions options_;
  std::vector<double> position_, speed_;
  int left_ = 0;
  Guess guess_ = Guess::Pulls;  ///< so that the first is Continues
  std::array<long, kGuesses> predicted_{};
};

}  // namespace kane
