#pragma once
// Measures, the numbers kept of a run: expressions of aggregates of signals.
//
//   max(tip_x)   min(x)   mean(x)   rms(x)   integral(x)      over the whole run
//   start(x)     end(x)   at(x, 0.5)   at(x, latch)           at the ends, at a time, at the first event of that name
//   first(q1 > 0.5)   first(latch)                            when a condition first holds, an event first occurs
//   duration(q1 > 0.5)   count(q1 > 0.5)   count(latch)       how long it holds, how often it begins to hold
//
// x is anything that signals.hpp knows. A name outside of an aggregate has its value at the end: "max(x)/L", "energy".
// Between samples, signals of plain motion are cubics through the four samples around (errors of order h^4); signals of switched
// motion may jump and are taken as linear.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/analysis/signals.hpp"
#include "kane/base/error.hpp"
#include "kane/codegen/kernel.hpp"

namespace kane {

/// As the user writes it.
struct MeasureText {
  std::string name;  ///< "": the text itself
  std::string text;
  Where where{};
};

struct Aggregate {
  enum class Kind : std::uint8_t {
    Start,
    End,
    AtTime,
    AtEvent,
    Min,
    Max,
    Mean,
    Rms,
    Integral,
    First,
    Count,
    Duration,
    FirstEvent,
    CountEvents
  };
  Kind kind = Kind::End;
  std::size_t signal = 0;
  double time = 0;      ///< AtTime
  std::string event{};  ///< AtEvent, FirstEvent, CountEvents
  bool exact = true;    ///< conditions: the signal crosses zero where it begins to hold; else it jumps from 0 to 1
};

/// The measures of one compiled system; constant, shared by threads.
class MeasureSet {
 public:
  /// Throws ModelError with the place of the text.
  MeasureSet(const CompiledSystem& system, const std::vector<MeasureText>& texts);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<Aggregate>& aggregates() const { return aggregates_; }
  [[nodiscard]] std::size_t signal_count() const { return signal_count_; }
  /// Signals as a function of q, u, udot and lambda.
  [[nodiscard]] const Kernel& signals() const { return *signals_; }
  /// Some signal depends on udot or lambda.
  [[nodiscard]] bool uses_rates() const { return uses_rates_; }
  /// Something happens between the ends.
  [[nodiscard]] bool needs_samples() const { return needs_samples_; }
  [[nodiscard]] bool needs_events() const { return needs_events_; }
  /// Measures of the values of the aggregates.
  [[nodiscard]] const Kernel& outer() const { return *outer_; }

 private:
  class Reader;
  std::vector<std::string> names_;
  std::vector<Aggregate> aggregates_;
  std::size_t signal_count_ = 0;
  std::unique_ptr<Kernel> signals_, outer_;
  bool uses_rates_ = false, needs_samples_ = false, needs_events_ = false;
};

/// Follows one run. Nothing allocates after construction.
class MeasureTrack {
 public:
  /// `smooth`: signals do not jump.
  MeasureTrack(const MeasureSet& set, bool smooth);

  /// Begins a run.
  void start();
  /// The signals at a time not before the last one.
  void add(double t, std::span<const double> signals) { add_strided(t, signals.data(), 1); }
  /// The same; signal i is at values[i * stride].
  void add_strided(double t, const double* values, std::size_t stride);
  /// An event, with the signals right after it.
  void add_event(std::string_view name, double t, std::span<const double> signals);
  /// Ends the run and writes the measures.
  void finish(std::span<double> measures);

 private:
  static constexpr std::size_t kPoints = 4;
  struct State {
    double sum = 0, best = 0, found = 0;
    long count = 0;
    bool set = false;
  };
  void process(std::size_t left, std::size_t points);
  void close_intervals(bool last);
  [[nodiscard]] double* values(std::size_t point) { return ring_.data() + point * width_; }

  const MeasureSet& set_;
  Workspace outer_;
  bool smooth_;
  std::size_t width_;
  std::array<double, kPoints> t_{};
  std::vector<double> ring_, first_;
  std::size_t held_ = 0;       ///< points in the ring, oldest first
  std::size_t processed_ = 0;  ///< the interval that begins at this point is the next to be worked on
  double t_begin_ = 0;
  bool begun_ = false;
  std::vector<State> states_;
};

}  // namespace kane
