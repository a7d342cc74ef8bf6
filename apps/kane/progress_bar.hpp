#pragma once
// Progress of a simulation on a terminal: how far, how fast compared with real time, how long still.

#include <chrono>

namespace kane {

class ProgressBar {
 public:
  /// Draws on standard error if that is a terminal and `wanted`; otherwise does nothing.
  ProgressBar(double begin, double end, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Cheap: looks at the clock now and then, and draws ten times a second at most.
  void show(double t);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  double begin_, end_;
  bool drawing_;
  bool drawn_ = false;
  long calls_ = 0;
  Clock::time_point started_, last_;
};

}  // namespace kane
