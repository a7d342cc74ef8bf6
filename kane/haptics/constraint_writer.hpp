#pragma once
// Constraints that come and go at given times while a haptic loop runs. A thread of its own writes and compiles them; the loop
// takes over what is ready (kane/simulate/tick/constraint_board.hpp) and never waits.

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
  double to = -1;  ///< released then; negative: never
};

struct TimedConstraintReport {
  std::string name;
  double imposed = -1;  ///< time of the loop at which it was in force; negative: never
  double released = -1;
  double compile_us = 0;  ///< to form and compile its row
  std::string failure;    ///< why it was not imposed
};

class ConstraintWriter {
 public:
  ConstraintWriter(TickSimulator& simulator, std::vector<TimedConstraint> constraints);
  ~ConstraintWriter();
  ConstraintWriter(const ConstraintWriter&) = delete;
  ConstraintWriter& operator=(const ConstraintWriter&) = delete;

  /// The loop has come to this time.
  void note_time(double t) { time_.store(t, std::memory_order_relaxed); }
  /// Ends the thread. Reports in the order of the constraints.
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
