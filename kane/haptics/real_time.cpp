#include "kane/haptics/real_time.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ctime>

#include <cerrno>
#include <cstring>

namespace kane {

namespace {

/// Pages of the stack are made when they are first written to, which takes microseconds each: now rather than in a tick.
[[gnu::noinline]] void touch_stack() {
  constexpr std::size_t kBytes = 256 * 1024, kPage = 4096;
  volatile char stack[kBytes];
  for (std::size_t i = 0; i < kBytes; i += kPage) stack[i] = 0;
  (void)stack[0];
}

}  // namespace

ThreadTroubles thread_troubles() {
  rusage usage{};
  (void)::getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_majflt + usage.ru_minflt, usage.ru_nivcsw};
}

std::int64_t thread_ns() {
  timespec t{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

RealTimeScope::RealTimeScope(int priority) {
  touch_stack();
  (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // ns instead of 50 us, for threads of ordinary priority
  report_.memory_locked = ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  if (!report_.memory_locked)
    report_.notes.push_back(
        fmt::format("memory could not be locked ({}): page faults may delay ticks; raise the limit "
                    "(ulimit -l unlimited)",
                    std::strerror(errno)));
  sched_param parameters{};
  parameters.sched_priority = priority;
  const int refused = ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters);
  report_.priority = refused == 0;
  if (!report_.priority)
    report_.notes.push_back(
        fmt::format("no real-time priority ({}): other programs may delay ticks; permit it with rtprio in limits.conf, "
                    "or run as root",
                    std::strerror(refused)));
}

RealTimeScope::~RealTimeScope() {
  (void)::prctl(PR_SET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);  // the default again
  if (report_.memory_locked) (void)::munlockall();
  if (!report_.priority) return;
  sched_param parameters{};
  (void)::pthread_setschedparam(::pthread_self(), SCHED_OTHER, &parameters);
}

std::int64_t now_ns() {
  timespec t{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void sleep_until_ns(std::int64_t deadline) {
  timespec t{};
  t.tv_sec = static_cast<std::time_t>(deadline / 1'000'000'000);
  t.tv_nsec = static_cast<long>(deadline % 1'000'000'000);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

}  // namespace kane
