#include "kane/simulate/motion/input_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Two instants that differ only by rounding are one.
bool reached(double instant, double t) {
  return instant <= t + 8 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

}  // namespace

const Kernel* find_sampled_laws(const CompiledSystem& system, const std::vector<InputSource>& sources) {
  const bool sampled = std::any_of(sources.begin(), sources.end(), [](const InputSource& source) {
    const auto* s = std::get_if<SampledInput>(&source);
    return s != nullptr && !s->law;
  });
  return sampled ? system.extra().laws() : nullptr;
}

InputSchedule::InputSchedule(const std::vector<std::string>& inputs, std::vector<double> constants,
                             const std::vector<InputSource>& sources, ControlLaw model_law)
    : model_law_(std::move(model_law)),
      values_(std::move(constants)),
      law_values_(inputs.size()),
      claimed_(inputs.size()),
      next_break_(kNever) {
  ensure(values_.size() == inputs.size(), "{} values for {} inputs", values_.size(), inputs.size());
  for (const auto& source : sources) std::visit([&](const auto& s) { add(s, inputs); }, source);
}

std::size_t InputSchedule::claim(const std::string& name, const std::vector<std::string>& inputs) {
  const auto found = std::find(inputs.begin(), inputs.end(), name);
  if (found == inputs.end())
    throw ModelError(fmt::format("there is no input '{}' to be driven from outside{}", name, suggestion(name, inputs)));
  const auto k = static_cast<std::size_t>(found - inputs.begin());
  require(!claimed_[k], "the input '{}' is given twice", name);
  claimed_[k] = true;
  return k;
}

void InputSchedule::add(const SeriesInput& source, const std::vector<std::string>& inputs) {
  require(!source.t.empty() && source.t.size() == source.value.size(),
          "the series of the input '{}' has {} times and {} values", source.input, source.t.size(),
          source.value.size());
  for (std::size_t i = 0; i < source.t.size(); ++i) {
    require(std::isfinite(source.t[i]) && std::isfinite(source.value[i]),
            "the series of the input '{}' has a value that is not finite at its point {}", source.input, i + 1);
    require(i == 0 || source.t[i] > source.t[i - 1],
            "the times of the series of the input '{}' must increase, but {} is followed by {}", source.input,
            source.t[i == 0 ? 0 : i - 1], source.t[i]);
  }
  has_slopes_ = has_slopes_ || (source.interpolation == Interpolation::Linear && source.t.size() > 1);
  series_.push_back({claim(source.input, inputs), source.t, source.value, source.interpolation});
}

void InputSchedule::add(const SampledInput& source, const std::vector<std::string>& inputs) {
  require(!source.inputs.empty(), "a sampled controller needs inputs to act on");
  require(source.period > 0 && std::isfinite(source.period),
          "the period of the sampled input '{}' must be positive, but {} was given", source.inputs.front(),
          source.period);
  require(source.delay >= 0 && source.delay <= 1e6 * source.period,
          "the delay of the sampled input '{}' must be between 0 and a million periods, but {} was given",
          source.inputs.front(), source.delay);
  Sampled sampled;
  sampled.period = source.period;
  sampled.delay = source.delay;
  sampled.law = source.law;
  sampled.model_law = !source.law;
  for (const auto& name : source.inputs) sampled.inputs.push_back(claim(name, inputs));
  const auto waiting = static_cast<std::size_t>(std::ceil(source.delay / source.period)) + 2;
  sampled.queue.assign(waiting, {0, std::vector<double>(sampled.inputs.size())});
  sampled_.push_back(std::move(sampled));
}

bool InputSchedule::due(double t) const { return reached(next_break_, t); }

void InputSchedule::start(const State& state) {
  for (auto& series : series_) series.segment = 0;
  for (auto& sampled : sampled_) sampled.begin = state.t, sampled.count = 0, sampled.first = sampled.size = 0;
  pass(state);
}

void InputSchedule::look(Sampled& sampled, const State& state) {
  const std::size_t at = (sampled.first + sampled.size) % sampled.queue.size();
  Pending& pending = sampled.queue[at];
  if (sampled.model_law) {
    model_law_(state, values_, law_values_);
    for (std::size_t i = 0; i < sampled.inputs.size(); ++i) pending.values[i] = law_values_[sampled.inputs[i]];
  } else {
    sampled.law(state, values_, pending.values);
  }
  pending.time = sampled.next_look() + sampled.delay;
  ++sampled.size;
  ++sampled.count;
}

void InputSchedule::apply_due(Sampled& sampled, double t) {
  while (sampled.size > 0 && reached(sampled.queue[sampled.first].time, t)) {
    const Pending& due = sampled.queue[sampled.first];
    for (std::size_t i = 0; i < sampled.inputs.size(); ++i) values_[sampled.inputs[i]] = due.values[i];
    sampled.first = (sampled.first + 1) % sampled.queue.size();
    --sampled.size;
  }
}

void InputSchedule::pass(const State& state) {
  const double t = state.t;
  for (auto& series : series_)
    while (series.segment < series.t.size() && reached(series.t[series.segment], t)) ++series.segment;
  (void)calc(t);
  // First earlier outputs take effect, then all controllers sample, in the order they were given.
  for (auto& sampled : sampled_) apply_due(sampled, t);
  for (auto& sampled : sampled_) {
    while (reached(sampled.next_look(), t)) {
      look(sampled, state);
      apply_due(sampled, t);
    }
  }
  find_next_break(t);
}

void InputSchedule::find_next_break(double t) {
  next_break_ = kNever;
  for (const auto& series : series_)
    if (series.segment < series.t.size()) next_break_ = std::min(next_break_, series.t[series.segment]);
  for (const auto& sampled : sampled_) {
    next_break_ = std::min(next_break_, sampled.next_look());
    if (sampled.size > 0) next_break_ = std::min(next_break_, sampled.queue[sampled.first].time);
  }
  ensure(next_break_ > t, "an input break at {} was not passed at {}", next_break_, t);
}

std::span<const double> InputSchedule::calc_anywhere(double t) {
  for (auto& series : series_) {
    while (series.segment < series.t.size() && reached(series.t[series.segment], t)) ++series.segment;
    while (series.segment > 0 && !reached(series.t[series.segment - 1], t)) --series.segment;
  }
  return calc(t);
}

void InputSchedule::copy_progress(const InputSchedule& from) {
  values_ = from.values_;
  if (series_.size() != from.series_.size() || sampled_.size() != from.sampled_.size()) return;
  for (std::size_t i = 0; i < series_.size(); ++i) series_[i].segment = from.series_[i].segment;
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    Sampled& to = sampled_[i];
    const Sampled& source = from.sampled_[i];
    to.begin = source.begin, to.count = source.count, to.first = source.first, to.size = source.size;
    to.queue = source.queue;
  }
  next_break_ = from.next_break_;
}

void InputSchedule::exchange(MemoryArchive& a) {
  a(values_, next_break_);
  for (Series& s : series_) a(s.segment);
  for (Sampled& s : sampled_) {
    a(s.begin, s.count, s.first, s.size);
    for (Pending& p : s.queue) a(p.time, p.values);
  }
}

std::span<const double> InputSchedule::calc(double t) {
  for (const auto& series : series_) {
    const std::size_t k = series.segment, last = series.t.size();
    double value = series.value[k == 0 ? 0 : k - 1];
    if (k > 0 && k < last && series.interpolation == Interpolation::Linear) {
      const double s = (t - series.t[k - 1]) / (series.t[k] - series.t[k - 1]);
      value += s * (series.value[k] - value);
    }
    values_[series.input] = value;
  }
  return values_;
}

}  // namespace kane
