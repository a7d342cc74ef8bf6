#pragma once
// Real-time services of the operating system: locked memory, a priority above all other programs, and absolute deadlines.
// Whatever is refused is reported, not hidden.

#include <cstdint>
#include <string>
#include <vector>

namespace kane {

struct RealTimeReport {
  bool memory_locked = false;
  bool priority = false;
  std::vector<std::string> notes;  ///< what was refused, and how to permit it
};

/// Locks all memory of the process, present and future, and gives the calling thread the priority of SCHED_FIFO. Undoes both
/// when destroyed.
class RealTimeScope {
 public:
  explicit RealTimeScope(int priority = 80);
  ~RealTimeScope();
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;

  [[nodiscard]] const RealTimeReport& report() const { return report_; }

 private:
  RealTimeReport report_;
};

/// Time of the monotonic clock, ns.
[[nodiscard]] std::int64_t now_ns();
void sleep_until_ns(std::int64_t deadline);
/// A short pause while busy-waiting.
void relax();

}  // namespace kane
