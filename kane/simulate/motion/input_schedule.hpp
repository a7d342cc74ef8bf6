#pragma once
// Sources of the inputs that are given from outside: a number, a time series, or a controller that looks at the
// state at fixed instants and holds its answer (zero-order hold), after the time it takes to compute it.
//
// Instants at which an input jumps, or a series has a corner, are breaks: an integrator must stop there, since its error
// estimate believes in smooth functions.

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

enum class Interpolation : std::uint8_t { Linear, Hold };

/// Before its first and after its last point a series keeps the value it has there.
struct SeriesInput {
  std::string input;
  std::vector<double> t;  ///< growing
  std::vector<double> value;
  Interpolation interpolation = Interpolation::Linear;
};

/// Writes the values of the controller's inputs for a state. `inputs` holds the values in force at that instant.
using ControlLaw = std::function<void(const State& state, std::span<const double> inputs, std::span<double> values)>;

/// Sampled at t0, t0 + period, ...; its output takes effect `delay` later.
struct SampledInput {
  std::vector<std::string> inputs;
  double period = 1e-3;
  double delay = 0;
  ControlLaw law;  ///< none: the model's own laws (the inputs must be CompileOptions::driven_inputs)
};

using InputSource = std::variant<SeriesInput, SampledInput>;

class CompiledSystem;
class Kernel;

/// The kernel of the model's own laws if any source samples them, else null.
[[nodiscard]] const Kernel* find_sampled_laws(const CompiledSystem& system, const std::vector<InputSource>& sources);

class InputSchedule {
 public:
  /// `model_law`: writes the model's laws of all inputs. Throws ModelError for unknown inputs, two sources of one, times
  /// that do not increase, and periods or delays that are out of range.
  InputSchedule(const std::vector<std::string>& inputs, std::vector<double> constants,
                const std::vector<InputSource>& sources, ControlLaw model_law);

  /// Some input changes during a run.
  [[nodiscard]] bool varies() const { return !series_.empty() || !sampled_.empty(); }
  /// Some input changes between breaks (a series with slopes).
  [[nodiscard]] bool varies_between_breaks() const { return has_slopes_; }
  /// A time series or a controller gives it.
  [[nodiscard]] bool has_source(std::size_t input) const { return claimed_[input]; }
  /// The value of an input that has no source.
  void set_constant(std::size_t input, double value) { values_[input] = value; }

  /// Begins a run: controllers look at the state for the first time.
  void start(const State& state);
  /// The next break after time(), infinity if there is none.
  [[nodiscard]] double next_break() const { return next_break_; }
  /// Whether that break has been reached, up to rounding.
  [[nodiscard]] bool due(double t) const;
  /// The state has reached a break (or is moved anywhere later): jumps and samples that are due happen.
  void pass(const State& state);
  /// All inputs at a time between the last break and the next.
  std::span<const double> calc(double t);
  /// All inputs at any time, across breaks of series: for ticks of fixed length, which do not stop at breaks. The answers
  /// of controllers stay as they are.
  std::span<const double> calc_anywhere(double t);
  [[nodiscard]] std::span<const double> values() const { return values_; }
  /// Goes on from where another schedule is; if that has no sources, or has other ones, with its values only.
  void copy_progress(const InputSchedule& from);
  /// Writes or reads how far it has come.
  void exchange(MemoryArchive& a);

 private:
  struct Series {
    std::size_t input;
    std::vector<double> t, value;
    Interpolation interpolation;
    std::size_t segment = 0;  ///< between t[segment - 1] and t[segment]
  };
  struct Pending {
    double time;
    std::vector<double> values;
  };
  struct Sampled {
    std::vector<std::size_t> inputs;
    double period = 0, delay = 0;
    ControlLaw law;
    bool model_law = false;
    double begin = 0;
    long count = 0;              ///< looks so far
    std::vector<Pending> queue;  ///< a ring: answers not in force yet
    std::size_t first = 0, size = 0;
    [[nodiscard]] double next_look() const { return begin + static_cast<double>(count) * period; }
  };

  void add(const SeriesInput& source, const std::vector<std::string>& inputs);
  void add(const SampledInput& source, const std::vector<std::string>& inputs);
  std::size_t claim(const std::string& name, const std::vector<std::string>& inputs);
  void look(Sampled& sampled, const State& state);
  void apply_due(Sampled& sampled, double t);
  void find_next_break(double t);

  ControlLaw model_law_;
  std::vector<double> values_, law_values_;
  std::vector<bool> claimed_;
  std::vector<Series> series_;
  std::vector<Sampled> sampled_;
  bool has_slopes_ = false;
  double next_break_;
};

}  // namespace kane
