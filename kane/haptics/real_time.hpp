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

/// Locks all memory of the process, present and future, touches the stack that ticks will use, asks for timers without slack and
/// gives the calling thread the priority of SCHED_FIFO. Undoes what outlasts it when destroyed.
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

/// What the system did to the calling thread since the beginning of the process.
struct ThreadTroubles {
  long page_faults = 0;    ///< memory that had to be fetched or made
  long interruptions = 0;  ///< the processor was given to another thread
};
[[nodiscard]] ThreadTroubles thread_troubles();
/// Processor time of the calling thread, ns: what passes on the monotonic clock besides this, others have used.
[[nodiscard]] std::int64_t thread_ns();

/// Time of the monotonic clock, ns.
[[nodiscard]] std::int64_t now_ns();
void sleep_until_ns(std::int64_t deadline);
/// A short pause while busy-waiting.
void relax();

}  // namespace kane
