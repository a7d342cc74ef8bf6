#pragma once
// How the time of a run is spent. Looking at the clock costs as much as a small kernel, so of many equal calls only some are
// measured, and their median represents all: a call that was interrupted by something else on the machine does not count.

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace kane {

/// Typical duration of calls that all do the same.
class CallTimes {
 public:
  using Clock = std::chrono::steady_clock;

  /// Lives as long as the call that it measures, if it is one to be measured: the first ones are, then one in kInterval.
  class Measurement {
   public:
    explicit Measurement(CallTimes& times) : times_(times.begin() ? &times : nullptr) {
      if (times_ != nullptr) begin_ = Clock::now();
    }
    ~Measurement() {
      if (times_ != nullptr) times_->add(Clock::now() - begin_);
    }
    Measurement(const Measurement&) = delete;
    Measurement& operator=(const Measurement&) = delete;

   private:
    CallTimes* times_;
    Clock::time_point begin_{};
  };

  /// Calls made while this is false have their time counted elsewhere.
  void set_counting(bool counting) { counting_ = counting; }
  [[nodiscard]] double total() const { return static_cast<double>(calls_) * typical(); }
  /// The cost of reading the clock, s: twice for each call measured.
  [[nodiscard]] double looks() const { return measured_ == 0 ? 0 : 2 * static_cast<double>(measured_) * clock_cost(); }
  /// The median of the calls measured last, without the time the clock itself takes, s.
  [[nodiscard]] double typical() const {
    const std::size_t n = std::min(measured_, kKept);
    if (n == 0) return 0;
    std::array<double, kKept> sorted = kept_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(n));
    return std::max(0.0, *middle - clock_cost());
  }

 private:
  static constexpr std::size_t kKept = 63;
  static constexpr long kInterval = 64;

  [[nodiscard]] bool begin() {
    if (!counting_) return false;
    const long call = calls_++;
    return call < static_cast<long>(kKept) || call % kInterval == 0;
  }
  void add(Clock::duration duration) {
    kept_[measured_ % kKept] = std::chrono::duration<double>(duration).count();
    ++measured_;
  }
  /// Between two looks at the clock, one after the other.
  static double clock_cost() {
    double least = 1;
    for (int i = 0; i < 20; ++i) {
      const auto begin = Clock::now();
      least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return least;
  }

  std::array<double, kKept> kept_{};
  std::size_t measured_ = 0;
  long calls_ = 0;
  bool counting_ = true;
};

/// Times of the evaluations of the motion: the kernels, and the solution for the accelerations.
struct EvaluationTimes {
  CallTimes motion, mass, constraints, solve;

  void set_counting(bool counting) {
    for (CallTimes* times : {&motion, &mass, &constraints, &solve}) times->set_counting(counting);
  }
  [[nodiscard]] double kernel_total() const { return motion.total() + mass.total() + constraints.total(); }
  [[nodiscard]] double looks() const { return motion.looks() + mass.looks() + constraints.looks() + solve.looks(); }
};

/// Seconds of a run by activity. `total` is wall-clock time; the rest is time that the
/// processor worked for this thread, without what measuring it has cost.
struct RunTimes {
  double total = 0, processor = 0, kernel = 0, solve = 0, projection = 0, output = 0;
  /// The integrator's own work, and everything else.
  [[nodiscard]] double integrator() const { return std::max(0.0, processor - kernel - solve - projection - output); }
  /// Share of a part, per cent.
  [[nodiscard]] double percent(double part) const {
    return 100 * part / std::max({processor, kernel + solve + projection + output, 1e-300});
  }
};

/// Stopwatch of a run.
class RunClock {
 public:
  RunClock() : wall_(CallTimes::Clock::now()), processor_(processor_seconds()) {}

  /// Runs `work`, counted as output with the evaluations in it.
  template <class Work>
  auto output(EvaluationTimes& evaluations, Work work) {
    const double begin = processor_seconds();
    evaluations.set_counting(false);
    auto result = work();
    evaluations.set_counting(true);
    output_ += processor_seconds() - begin;
    return result;
  }
  /// The times since construction.
  [[nodiscard]] RunTimes times(const EvaluationTimes& evaluations, const CallTimes& projections = {}) const {
    RunTimes times;
    times.processor = processor_seconds() - processor_;
    times.total = std::chrono::duration<double>(CallTimes::Clock::now() - wall_).count();
    times.processor -= evaluations.looks() + projections.looks();
    times.kernel = evaluations.kernel_total();
    times.solve = evaluations.solve.total();
    times.projection = projections.total();
    times.output = output_;
    return times;
  }

 private:
  static double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  CallTimes::Clock::time_point wall_;
  double processor_;
  double output_ = 0;
};

}  // namespace kane
