#pragma once
// Constraints that are imposed and released at given times while a haptic loop runs. A separate thread derives and compiles
// them; the loop adopts those that are ready (kane/simulate/tick/constraint_board.hpp) and never waits.

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
  ConstraintWriter(TickSimulator& simulator, std::vector<TimedConstraint> constraints);
  ~ConstraintWriter();
  ConstraintWriter(const ConstraintWriter&) = delete;
  ConstraintWriter& operator=(const ConstraintWriter&) = delete;

  /// Called by the loop with its present time.
  void note_time(double t) { time_.store(t, std::memory_order_relaxed); }
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
  void advance(Entry& entry, double t);

  TickSimulator& simulator_;
  std::vector<Entry> entries_;
  std::atomic<double> time_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace kane
