#pragma once
// Progress of a simulation on a terminal: how far, how fast relative to real time, and the time left.

#include <chrono>

namespace kane {

class ProgressBar {
 public:
  /// Draws on standard error if that is a terminal and `wanted`; otherwise does nothing.
  ProgressBar(double begin, double end, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Cheap: checks the clock now and then, and draws at most ten times a second.
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
