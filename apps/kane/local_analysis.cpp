#include "apps/kane/local_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kane/option_text.hpp"
#include "apps/kane/print.hpp"
#include "kane/model/settings.hpp"

namespace kane {

Model load_continuous(const ModelSource& source, const HeldValues& held) {
  ModelOptions options;
  options.sampled_laws = SampledLaws::Continuous;
  options.reports = false;  // none of these analyses evaluates them
  return source.load(std::move(options),
                     [&](Mechanism& mechanism) { apply_settings(mechanism, std::span(held.settings), "--hold"); });
}

void HeldValues::add(const std::vector<std::string>& texts, const std::string& option) {
  for (const auto& text : texts) {
    const bool value = text.find('=') != std::string::npos;
    if (value) settings.push_back(text);
    names.push_back(value ? split_assignment(text, option).name : text);
  }
}

void HeldValues::take_precedence(StartState& state) const {
  for (const auto& setting : settings) {
    const std::string name = setting.substr(0, setting.find('='));
    state.q.erase(name), state.u.erase(name);
  }
}

void print_remarks(const Model& model, const PointSummary& summary, const std::vector<std::string>& warnings) {
  const auto& told = model.notes();  // when it was loaded
  for (const auto& note : summary.notes)
    if (std::find(told.begin(), told.end(), note) == told.end()) fmt::print(stderr, "{}\n", note);
  print_warnings(stderr, warnings);
}

void print_loop(const ControlLoop& loop) {
  if (const std::string text = describe_loop(loop); !text.empty()) fmt::print("{}\n", text);
}

}  // namespace kane
