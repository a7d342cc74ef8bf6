#include "kane/analysis/frequency.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/closed_loop.hpp"

namespace kane {

void FrequencyOptions::check() const {
  require(!output.empty(), "a frequency response needs an output");
  (void)log_spaced(low, high, count);
}

namespace {

/// The input requested, else the only one without a law, else the only one.
std::string choose_input(const Model& model, const std::string& asked) {
  const EquationsOfMotion& e = model.equations();
  std::vector<std::string> all, given;
  for (const auto& input : e.inputs) {
    all.push_back(input.symbol.name());
    if (!has_law(input)) given.push_back(all.back());
  }
  require(!all.empty(), "'{}' has no input; a frequency response needs one", e.name);
  if (!asked.empty()) {
    if (std::find(all.begin(), all.end(), asked) == all.end())
      throw ModelError(fmt::format("'{}' has no input '{}'{}", e.name, asked, suggestion(asked, all)));
    return asked;
  }
  if (given.size() == 1) return given.front();
  require(all.size() == 1, "'{}' has {} inputs; choose one: {}", e.name, all.size(), fmt::join(all, ", "));
  return all.front();
}

double largest_of(const std::vector<double>& rates) {
  double r = 0;
  for (const double rate : rates)
    if (std::abs(rate) > std::abs(r)) r = rate;
  return r;
}

}  // namespace

FrequencyReport find_frequency_response(const Model& model, const StartState& state, const FrequencyOptions& options) {
  options.check();
  FrequencyReport r;
  r.input = choose_input(model, options.input), r.output = options.output;
  OperatingPointOptions place;
  place.place = options.equilibrium ? StatePlace::Equilibrium : StatePlace::Assembled;
  place.open_loop = options.open_loop, place.open = {r.input};
  OperatingPoint point(model, state, place);
  const Signal output = parse_signal(point.model().equations(), options.output, "output");
  r.summary = point.summary(), r.failure = point.failure();
  if (!point.ok()) return r;

  const LinearModel linear = Linearizer(point.evaluator(), {.outputs = {output}, .only = {}}).calc(point.state());
  const auto& inputs = linear.inputs;
  const auto input = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), r.input) - inputs.begin());
  r.points = calc_frequency_response(linear, 0, input, log_spaced(options.low, options.high, options.count));
  r.zeros = calc_zeros(linear, 0, input);
  r.modes = calc_modes(linear.a);
  r.margins = calc_margins(r.points);
  r.controllable = calc_controllability(linear.a, linear.b), r.observable = calc_observability(linear.a, linear.c);
  r.drift = largest_of(linear.drift);
  point.warn_of_time(r.summary.warnings);
  warn_of_jumps(point.evaluator(), point.state(), r.summary.warnings);
  if (options.equilibrium) return r;
  const std::vector<std::string> coordinates(linear.states.begin(),
                                             linear.states.begin() + static_cast<std::ptrdiff_t>(linear.coordinates));
  OperatingPoint::warn_of_motion(point.calc_largest_rate(coordinates, false), false, linear.a, r.summary.warnings);
  return r;
}

}  // namespace kane
