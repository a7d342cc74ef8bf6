#include "kane/codegen/emit/emit_driver.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kane {

DriverTable make_driver_table(const ExportModel& model, const SourceNames& names, std::string (*number)(double)) {
  check_export_model(model);
  const Program& p = model.program;
  DriverTable d;
  d.name = names.program;
  for (std::uint32_t i = 0; i < p.input_count[0]; ++i)
    d.parameters.push_back({names.inputs[i], number(model.parameters[i])});
  const std::uint32_t first = p.first_input(Stage::Inputs);
  for (std::uint32_t i = 0; i < p.input_count[1]; ++i) {
    const bool is_time = model.time && p.inputs[first + i].name == *model.time;
    d.inputs.push_back({names.inputs[first + i], number(is_time ? model.start : model.inputs[i])});
    if (!is_time) continue;
    d.time = names.inputs[first + i];
    d.time_place = i;
  }
  for (const double x : model.state) d.state += (d.state.empty() ? "" : ", ") + number(x);
  d.start = number(model.start);
  d.step = number(model.step);
  d.steps = std::to_string(std::llround(model.duration / model.step));
  d.every = std::to_string(model.print_every);
  return d;
}

std::string values_of(const std::vector<DriverSetting>& settings) {
  std::string text;
  for (const DriverSetting& s : settings) text += (text.empty() ? "" : ", ") + s.value;
  return text;
}

std::string fill_driver(std::string_view text, const DriverTable& d,
                        const std::vector<std::pair<std::string_view, std::string>>& more) {
  std::vector<std::pair<std::string_view, std::string>> words = more;
  // Spelled so that nobody takes the #include of a template for one of Kane's own.
  words.insert(words.end(), {{"include", "#include"},
                             {"name", d.name},
                             {"state", d.state},
                             {"start", d.start},
                             {"step", d.step},
                             {"steps", d.steps},
                             {"every", d.every}});
  std::string result;
  while (!text.empty()) {
    const std::size_t at = text.find('@');
    result += text.substr(0, at);
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
    const std::pair<std::string_view, std::string>* best = nullptr;
    for (const auto& word : words)
      if (text.substr(0, word.first.size()) == word.first &&
          (best == nullptr || word.first.size() > best->first.size()))
        best = &word;
    if (best == nullptr) {
      result += '@';
      continue;
    }
    result += best->second;
    text.remove_prefix(best->first.size());
  }
  return result;
}

}  // namespace kane
