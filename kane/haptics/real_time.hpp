#pragma once
// What the operating system can be asked for in real time: memory that stays in place, a priority above everything else, and
// absolute deadlines. Whatever is refused is said, not hidden.

#include <cstdint>
#include <string>
#include <vector>

namespace kane {

struct RealTimeReport {
  bool memory_locked = false;
  bool priority = false;
  std::vector<std::string> notes;  ///< what was refused, and what would permit it
};

/// Locks all memory of the process, present and future, and gives the calling thread the priority of SCHED_FIFO. Undoes both
/// when it goes.
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

/// Of the monotonic clock, ns.
[[nodiscard]] std::int64_t now_ns();
void sleep_until_ns(std::int64_t deadline);
/// A moment of waiting awake.
void relax();

}  // namespace kane
