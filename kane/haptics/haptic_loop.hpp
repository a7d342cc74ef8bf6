#pragma once
// The loop of fixed rate between a device and a simulation: read, couple, tick, display, until the next deadline. Deadlines
// are absolute, so that lateness does not add up; a tick that misses its own is counted, and the loop goes on with the next
// one that lies ahead, without catching up by a burst. After start() nothing allocates and nothing is locked.
//
// A thread that sleeps until its deadline wakes up late, and finds that others have used the caches meanwhile. So it wakes a
// little before, rehearses a tick with a change of constraints (TickSimulator::rehearse), and waits awake for the deadline.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kane/haptics/bridge.hpp"
#include "kane/haptics/constraint_writer.hpp"
#include "kane/haptics/device.hpp"
#include "kane/haptics/histogram.hpp"
#include "kane/haptics/passivity.hpp"
#include "kane/haptics/predictor.hpp"
#include "kane/haptics/real_time.hpp"
#include "kane/haptics/recording.hpp"
#include "kane/haptics/virtual_coupler.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

enum class Display : std::uint8_t {
  Impedance,   ///< motion is sensed, force displayed
  Admittance,  ///< force is sensed, motion displayed
};

struct HapticOptions {
  double rate = 1000;  ///< Hz
  double duration = 10;
  Display display = Display::Impedance;
  bool passivity = true;     ///< the controller; the observer always runs
  double handle_mass = 0.2;  ///< of a device's axis that does not tell; the controller expects it to give way
  /// Of a stiff hand, which the controller expects where motion is displayed.
  double hand_stiffness = 1000, hand_damping = 20;
  /// Energy that the model holds at the start and may give to the hand; 0: nothing comes out that was not put in.
  double stored_energy = 0;
  bool real_time = true;  ///< ask for locked memory and priority
  bool paced = true;      ///< false: as fast as it goes, for tests and batch runs
  bool record = false;
  /// Seconds before each deadline to wake up, rehearse and wait awake (half of a period at most); 0: sleep until it comes.
  double wake_ahead = 100e-6;
  /// Seconds to look ahead for changes of constraints (impedance display only); 0: not at all.
  double ahead = 0;
  /// Written and compiled while the loop runs; the system needs as many free rows as are held at once.
  std::vector<TimedConstraint> constraints = {};
};

/// What slower consumers see.
struct HapticSnapshot {
  double t = 0;
  std::vector<double> q, u, device, image, force;
  long ticks = 0, missed = 0, events = 0;
};

struct AxisReport {
  std::string name;
  VirtualCoupler coupler;
  double device_damping = 0, needed_damping = 0;
  double largest_force = 0;
  double least_energy = 0, energy = 0, dissipated = 0;
  double energy_error = 0;  ///< the largest of one tick's prediction, beyond which no debt goes (passivity.hpp)
  long interventions = 0;
};

struct HapticReport {
  long ticks = 0, missed = 0, stale = 0;
  long events = 0, event_ticks = 0;
  long predicted = 0, prepared = 0;          ///< changes seen coming; sets taken over as they were prepared
  Histogram period, compute, event_compute;  ///< ns; the last only of ticks in which constraints changed
  Histogram ahead;                           ///< ns per tick for looking ahead, after the force was displayed
  Histogram rehearsal;                       ///< ns, in the time that is left before a deadline
  double duration = 0;
  TickStatus status = TickStatus::Ok;
  bool stopped = false;  ///< by a rule of the model, or from outside
  RealTimeReport real_time;
  std::vector<AxisReport> axes;
  std::vector<std::string> warnings;  ///< stability margins
  std::vector<TimedConstraintReport> constraints;
};

class HapticLoop {
 public:
  /// The device has as many axes as the model has handles. Throws ModelError otherwise.
  HapticLoop(TickSimulator& simulator, Device& device, HapticOptions options);

  /// Runs in the calling thread, from the simulator's present state.
  HapticReport run();
  /// From any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] LatestValue<HapticSnapshot>& snapshots() { return snapshots_; }
  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] std::vector<std::string> axis_names() const;
  /// A sentence for everything the device's data sheet does not allow: b > K T / 2 + |B| (Colgate and Schenkel 1997),
  /// K < 2 friction / resolution (Abbott and Okamura 2005), the stiffness it can display.
  [[nodiscard]] std::vector<std::string> check_margins() const;

 private:
  [[nodiscard]] TickReport tick(double t, HapticReport& report);
  void wait_until(std::int64_t deadline, HapticReport& report);
  void couple();
  void show_motion();
  [[nodiscard]] std::string check_margin(std::size_t axis) const;
  void publish(double t, const HapticReport& report);
  void add_axes(HapticReport& report) const;

  TickSimulator& simulator_;
  Device& device_;
  HapticOptions options_;
  std::size_t axes_;
  std::vector<VirtualCoupler> couplers_;
  std::vector<PassivityController> passivity_;
  std::vector<double> position_, speed_, force_, shown_, image_, told_, largest_;
  LatestValue<HapticSnapshot> snapshots_;
  Recording recording_;
  std::unique_ptr<Predictor> predictor_;
  std::int64_t wake_ahead_ns_ = 0;
  std::int64_t rehearsal_ns_ = 0;  ///< how long one takes, rather too much
  std::atomic<bool> stop_{false};
};

}  // namespace kane
