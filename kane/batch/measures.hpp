#pragma once
// Measures, the numbers kept of a run: expressions of aggregates of signals.
//
//   max(tip_x)   min(x)   mean(x)   rms(x)   integral(x)      over the whole run
//   quantile(x, 0.95)                                         what x does not exceed for 95 % of the time
//   start(x)     end(x)   at(x, 0.5)   at(x, latch)           at the ends, at a time, at the first event of that name
//   first(q1 > 0.5)   first(latch)                            when a condition first holds, an event first occurs
//   duration(q1 > 0.5)   count(q1 > 0.5)   count(latch)       how long it holds, how often it begins to hold
//
// x is anything that signals.hpp knows. A name outside of an aggregate has its value at the end: "max(x)/L", "energy".
// Between samples, signals of plain motion are cubics through the four samples around (errors of order h^4); signals of switched
// motion may jump and are taken as linear.
//
// Signals can also be kept as they are, as series of a run: their values at some of the samples.

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/analysis/signals.hpp"
#include "kane/base/error.hpp"
#include "kane/batch/quantile_sketch.hpp"
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
    Quantile,
    First,
    Count,
    Duration,
    FirstEvent,
    CountEvents
  };
  Kind kind = Kind::End;
  std::size_t signal = 0;
  double time = 0;      ///< AtTime; of a quantile, its probability
  std::string event{};  ///< AtEvent, FirstEvent, CountEvents
  bool exact = true;    ///< conditions: the signal crosses zero where it begins to hold; else it jumps from 0 to 1
};

/// The measures of one compiled system; constant, shared by threads.
class MeasureSet {
 public:
  /// Throws ModelError with the place of the text. `series`: signals whose samples are kept.
  MeasureSet(const CompiledSystem& system, const std::vector<MeasureText>& texts,
             const std::vector<MeasureText>& series = {});

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<Aggregate>& aggregates() const { return aggregates_; }
  [[nodiscard]] std::size_t signal_count() const { return signal_expressions_.size(); }
  /// The signals as expressions, on a graph of their own.
  [[nodiscard]] const std::vector<Signal>& signal_expressions() const { return signal_expressions_; }
  /// Series that are kept: their names, and the signal of each.
  [[nodiscard]] const std::vector<std::string>& series_names() const { return series_names_; }
  [[nodiscard]] const std::vector<std::size_t>& series_signals() const { return series_signals_; }
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
  std::vector<Signal> signal_expressions_;
  std::vector<std::string> series_names_;
  std::vector<std::size_t> series_signals_;
  std::unique_ptr<Kernel> signals_, outer_;
  bool uses_rates_ = false, needs_samples_ = false, needs_events_ = false;
};

/// Follows one run. Nothing allocates after construction, except series that become longer than those before.
class MeasureTrack {
 public:
  /// `smooth`: signals do not jump.
  MeasureTrack(const MeasureSet& set, bool smooth);

  /// Begins a run. `series_step`: time between the samples of series that are kept, s; 0: all are.
  void start(double series_step = 0);
  /// The signals at a time not before the last one.
  void add(double t, std::span<const double> signals) { add_strided(t, signals.data(), 1); }
  /// The same; signal i is at values[i * stride].
  void add_strided(double t, const double* values, std::size_t stride);
  /// An event, with the signals right after it.
  void add_event(std::string_view name, double t, std::span<const double> signals);
  /// Ends the run and writes the measures.
  void finish(std::span<double> measures);
  /// The samples of the series: a time and a value of each, one after the other. Without series empty.
  [[nodiscard]] const std::vector<double>& series() const { return series_; }

 private:
  static constexpr std::size_t kPoints = 4;
  struct State {
    double sum = 0, best = 0, found = 0;
    long count = 0;
    bool set = false;
  };
  void keep_series(double t, const double* signals);
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
  std::vector<QuantileSketch> sketches_;  ///< of the aggregates that are quantiles, in their order
  std::vector<std::size_t> sketch_of_;    ///< of each aggregate
  std::vector<double> series_;
  double series_step_ = 0, series_next_ = 0;
};

}  // namespace kane
