#pragma once
// Constraints that are imposed and released at given times while a haptic loop runs. A separate thread derives and compiles
// them; the loop adopts those that are ready (kane/simulate/tick/constraint_board.hpp) and never waits. Which tick adopts one
// depends on the load of the machine, so recordings say it, and a replayed run imposes each in the very tick it was in force
// first (follow()), in its own thread.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

struct TimedConstraint {
  std::string name;
  Expr expression;  ///< phi(q, t), held at its value, or psi(q, u, t) = 0
  double from = 0;
  double to = -1;  ///< time of release; negative: never
};

struct TimedConstraintReport {
  std::string name;
  double imposed = -1;  ///< loop time at which it took effect; negative: never
  double released = -1;
  double compile_us = 0;  ///< time to derive and compile its row
  std::string failure;    ///< why it was not imposed
};

class ConstraintWriter {
 public:
  /// `replayed`: no thread; follow() says what is in force.
  ConstraintWriter(TickSimulator& simulator, std::vector<TimedConstraint> constraints, bool replayed = false);
  ~ConstraintWriter();
  ConstraintWriter(const ConstraintWriter&) = delete;
  ConstraintWriter& operator=(const ConstraintWriter&) = delete;

  /// Called by the loop with its present time.
  void note_time(double t) { time_.store(t, std::memory_order_relaxed); }
  /// Replayed: before the tick at time t, in which the constraint is in force or not.
  void follow(std::size_t constraint, bool held, double t);
  /// After a tick, from its thread: whether the constraint was in force in it.
  [[nodiscard]] bool held(std::size_t constraint) const;
  /// Stops the thread. Returns the reports in the order of the constraints.
  [[nodiscard]] std::vector<TimedConstraintReport> finish();

 private:
  struct Entry {
    TimedConstraint constraint;
    TimedConstraintReport report;
    int place = -1;
    bool done = false;
  };
  void work();
  void impose(Entry& entry);
  void advance(Entry& entry, double t);

  TickSimulator& simulator_;
  std::vector<Entry> entries_;
  std::atomic<double> time_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace kane
