#pragma once
// The fixed-rate loop between a device and a simulation: read, couple, tick, display, wait for the next deadline. Deadlines
// are absolute, so that delays do not accumulate; a tick that misses its deadline is counted, and the loop continues with the
// next deadline ahead, without catching up in a burst. After start() nothing allocates and no lock is taken.
//
// A thread that sleeps until its deadline wakes up late and finds that other programs have used the caches in the meantime. So
// the loop wakes early, rehearses a tick with a change of constraints (TickSimulator::rehearse), and busy-waits for the deadline.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kane/haptics/bridge.hpp"
#include "kane/haptics/constraint_writer.hpp"
#include "kane/haptics/device.hpp"
#include "kane/haptics/device_guard.hpp"
#include "kane/haptics/histogram.hpp"
#include "kane/haptics/passivity.hpp"
#include "kane/haptics/predictor.hpp"
#include "kane/haptics/real_time.hpp"
#include "kane/haptics/recording.hpp"
#include "kane/haptics/virtual_coupler.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

/// What the device senses and what it displays.
enum class Display : std::uint8_t {
  Impedance,   ///< motion is sensed, force displayed
  Admittance,  ///< force is sensed, motion displayed
};

/// How the loop runs.
struct HapticOptions {
  double rate = 1000;                    ///< Hz
  double duration = 10;                  ///< in s
  Display display = Display::Impedance;  ///< what the device displays
  bool passivity = true;                 ///< the controller; the observer always runs
  double handle_mass = 0.2;  ///< assumed for a device axis of unknown mass; the controller expects the axis to yield
  double hand_stiffness = 1000;  ///< of the hand that the controller assumes when motion is displayed
  double hand_damping = 20;      ///< of the same hand
  /// Energy that the model stores at the start and may release to the hand; 0: no more comes out than was put in.
  double stored_energy = 0;
  bool real_time = true;  ///< request locked memory and real-time priority
  bool paced = true;      ///< false: as fast as possible, for tests and batch runs
  bool record = false;    ///< keep a Recording of the run
  /// Seconds before each deadline to wake up, rehearse and busy-wait (at most half a period); 0: sleep until the deadline.
  double wake_ahead = 100e-6;
  /// Seconds to look ahead for changes of constraints (impedance display only); 0: not at all.
  double ahead = 0;
  /// What is believed of a device and commanded to it.
  HapticSafety safety = {};
  /// Derived and compiled while the loop runs; the system needs as many free rows as are active at once.
  std::vector<TimedConstraint> constraints = {};
};

/// The state that slower consumers see.
struct HapticSnapshot {
  double t = 0;                ///< time since the start, s
  std::vector<double> q;       ///< coordinates
  std::vector<double> u;       ///< speeds
  std::vector<double> device;  ///< positions of the device
  std::vector<double> image;   ///< positions of the handle
  std::vector<double> force;   ///< displayed
  long ticks = 0;              ///< so far
  long missed = 0;             ///< deadlines
  long events = 0;             ///< changes of constraints
};

/// Results for one axis of the handle.
struct AxisReport {
  std::string name;           ///< of the axis
  VirtualCoupler coupler;     ///< that joined device and handle
  double device_damping = 0;  ///< that the device has
  double needed_damping = 0;  ///< for stability
  double largest_force = 0;   ///< displayed
  double least_energy = 0;    ///< of the energy exchanged
  double energy = 0;          ///< exchanged until the end
  double dissipated = 0;      ///< by the passivity controller
  double energy_error = 0;    ///< largest prediction error of a tick, which bounds the deficit (passivity.hpp)
  long interventions = 0;     ///< of the passivity controller
};

/// A run of the loop.
struct HapticReport {
  long ticks = 0;                                  ///< all
  long missed = 0;                                 ///< that missed their deadline
  long missed_waiting = 0;                         ///< of these, while the processor did something else
  ThreadTroubles troubles;                         ///< during the run
  long reselections = 0;                           ///< ticks after which other speeds were independent than before
  long stale = 0;                                  ///< without new device data
  long rejected = 0;                               ///< samples of the device that cannot be true
  long releases = 0;                               ///< times the force was taken away for lack of good samples
  long events = 0;                                 ///< changes of constraints
  long event_ticks = 0;                            ///< ticks in which there were any
  long predicted = 0;                              ///< changes predicted
  long prepared = 0;                               ///< prepared sets that were used
  Histogram period;                                ///< ns, from tick to tick
  Histogram compute;                               ///< ns, of one tick
  Histogram event_compute;                         ///< ns, only of ticks in which constraints changed
  Histogram ahead;                                 ///< ns per tick for looking ahead, after the force was displayed
  Histogram rehearsal;                             ///< ns, in the time left before a deadline
  double duration = 0;                             ///< in s
  TickStatus status = TickStatus::Ok;              ///< of the last tick
  bool stopped = false;                            ///< by an event of the model, or from outside
  RealTimeReport real_time;                        ///< what the system granted
  std::vector<AxisReport> axes;                    ///< one for each axis of the handle
  std::vector<std::string> warnings;               ///< stability margins, samples that were rejected
  std::vector<TimedConstraintReport> constraints;  ///< those written while the loop ran
};

/// Joins a device to a simulation at a fixed rate.
class HapticLoop {
 public:
  /// The device must have as many axes as the model has handles; throws ModelError otherwise.
  HapticLoop(TickSimulator& simulator, Device& device, HapticOptions options);

  /// Runs in the calling thread, starting from the simulator's present state.
  HapticReport run();
  /// May be called from any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  /// For slower consumers, in other threads.
  [[nodiscard]] LatestValue<HapticSnapshot>& snapshots() { return snapshots_; }
  /// Empty unless HapticOptions::record is set.
  [[nodiscard]] const Recording& recording() const { return recording_; }
  /// Names of the axes of the model's handle.
  [[nodiscard]] std::vector<std::string> axis_names() const;
  /// A message for each condition of the device's data sheet that is not met: b > K T / 2 + |B| (Colgate and Schenkel 1997),
  /// K < 2 friction / resolution (Abbott and Okamura 2005), the stiffness it can display.
  [[nodiscard]] std::vector<std::string> check_margins() const;

 private:
  [[nodiscard]] TickReport tick(double t, HapticReport& report);
  void wait_until(std::int64_t deadline, HapticReport& report);
  void couple();
  void record(double t);
  [[nodiscard]] bool note_choice();
  void follow_constraints(double t);
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
  DeviceGuard guard_;
  std::vector<double> position_, speed_, force_, shown_, image_, told_, largest_;
  LatestValue<HapticSnapshot> snapshots_;
  Recording recording_;
  std::unique_ptr<Predictor> predictor_;
  std::unique_ptr<ConstraintWriter> writer_;
  std::vector<int> independent_;  ///< speeds, after the last tick
  bool replayed_ = false;         ///< the device says which constraints are in force
  std::int64_t wake_ahead_ns_ = 0;
  std::int64_t rehearsal_ns_ = 0;  ///< estimated duration of a rehearsal, on the high side
  std::atomic<bool> stop_{false};
};

}  // namespace kane
