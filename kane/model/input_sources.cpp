#include "kane/model/input_sources.hpp"

#include <algorithm>

namespace kane {

InputSources model_input_sources(const Mechanism& mechanism, const std::vector<std::string>& taken) {
  InputSources r;
  const auto free = [&](const std::string& input) {
    return std::find(taken.begin(), taken.end(), input) == taken.end();
  };
  for (const auto& series : mechanism.input_series) {
    if (!free(series.input)) continue;
    r.driven.push_back(series.input);
    r.sources.emplace_back(
        SeriesInput{series.input, series.t, series.value, series.hold ? Interpolation::Hold : Interpolation::Linear});
  }
  // Laws with the same clock are one controller, which looks at one state.
  std::vector<SampledInput> controllers;
  for (const auto& sampling : mechanism.sampled_inputs) {
    const bool has_law = std::any_of(mechanism.input_laws.begin(), mechanism.input_laws.end(),
                                     [&](const NamedQuantity& law) { return law.name == sampling.input; });
    if (!has_law || !free(sampling.input)) continue;
    r.driven.push_back(sampling.input);
    const auto same = std::find_if(controllers.begin(), controllers.end(), [&](const SampledInput& c) {
      return c.period == sampling.period && c.delay == sampling.delay;
    });
    if (same == controllers.end())
      controllers.push_back({{sampling.input}, sampling.period, sampling.delay, {}});
    else
      same->inputs.push_back(sampling.input);
  }
  for (auto& controller : controllers) r.sources.emplace_back(std::move(controller));
  return r;
}

}  // namespace kane
