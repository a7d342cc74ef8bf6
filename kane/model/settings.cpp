#include "kane/model/settings.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/base/units.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/measured.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

namespace {

using Units = std::map<std::string, std::string, std::less<>>;

struct Setting {
  std::string name, value;
  std::string label;  ///< begins messages: "--set m=2 kg"
};

Setting split(const std::string& text, std::string_view option) {
  const auto equals = text.find('=');
  require(equals != std::string::npos && equals > 0, "{} needs name=value, not '{}'", option, text);
  Setting setting{text.substr(0, equals), text.substr(equals + 1), fmt::format("{} {}", option, text)};
  while (!setting.name.empty() && setting.name.back() == ' ') setting.name.pop_back();
  return setting;
}

/// A number or an expression of numbers, perhaps with units, in SI units. It must measure the same quantity as the name.
double value_of(const Setting& setting, std::string_view option, const Units& units) {
  MeasuredNames names;
  names.find = [&](std::string_view name) -> std::optional<Measured> {
    require(name == "pi" || is_unit_factor(name), "{}: expected a number, optionally with a unit, but '{}' is a name",
            setting.label, name);
    return std::nullopt;
  };
  names.has = [](std::string_view) { return false; };
  Graph graph;
  const Measured value = parse_measured(graph, setting.value, {fmt::format("{} {}", option, setting.name)}, names);
  const auto own = units.find(setting.name);
  const auto dimension = value.dimension.certain();
  if (own != units.end() && dimension && parse_unit(own->second).dimension != *dimension)
    throw ModelError(fmt::format("{}: '{}' is measured in {}, but '{}' is {}", setting.label, setting.name, own->second,
                                 setting.value,
                                 dimension->none() ? "an angle or a plain number" : "in " + unit_words(*dimension)));
  return evaluate(value.value, {});
}

std::vector<std::string> state_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const auto& q : mechanism.all_coordinates()) names.push_back(q.name());
  for (const auto& x : mechanism.states) names.push_back(x.name);
  for (const auto& u : mechanism.joint_speeds()) names.push_back(u.name());
  for (const auto& u : mechanism.speeds) names.push_back(u.name);
  return names;
}

std::vector<std::string> settable_names(const Mechanism& mechanism) {
  std::vector<std::string> names = state_names(mechanism);
  for (const auto& p : mechanism.parameters) names.push_back(p.symbol.name());
  for (const auto& p : mechanism.inputs) names.push_back(p.symbol.name());
  return names;
}

/// "; the coordinate of the joint 'elbow' is 'q_elbow'" if a joint has this name.
std::string coordinates_instead(const Mechanism& mechanism, const std::string& name) {
  std::vector<std::string> coordinates;
  for (const Joint& joint : mechanism.joints)
    for (const ElementaryMotion& motion : joint.motions)
      for (const Expr& q : motion.coordinates)
        if (joint.name == name) coordinates.push_back(fmt::format("'{}'", q.name()));
  if (coordinates.empty()) return "";
  const bool one = coordinates.size() == 1;
  return fmt::format("; the {} of the joint '{}' {} {}", one ? "coordinate" : "coordinates", name, one ? "is" : "are",
                     fmt::join(coordinates, ", "));
}

/// What to write instead of a name that cannot be set.
std::string name_instead(const Mechanism& mechanism, const std::string& name, const std::vector<std::string>& names) {
  std::string joint = coordinates_instead(mechanism, name);
  return joint.empty() ? suggestion(name, names) : joint;
}

void renew_initial(Mechanism& mechanism) {
  if (mechanism.initial_laws.empty()) return;
  Values values;
  const FunctionTable functions = table_functions(mechanism);
  for (const auto& p : mechanism.parameters) values[p.symbol.name()] = evaluate(p.value, values, functions);
  add_constant_inputs(mechanism, values);
  for (const auto& [name, law] : mechanism.initial_laws)
    (mechanism.guess.contains(name) ? mechanism.guess : mechanism.initial)[name] = evaluate(law, values, functions);
}

void make_constant(Mechanism& mechanism, const std::string& input) {
  std::erase_if(mechanism.input_laws, [&](const auto& law) { return law.name == input; });
  std::erase_if(mechanism.sampled_inputs, [&](const auto& sampling) { return sampling.input == input; });
  std::erase_if(mechanism.input_series, [&](const auto& series) { return series.input == input; });
  for (FmuController& fmu : mechanism.fmus)
    std::erase_if(fmu.outputs, [&](const auto& output) { return output.first == input; });
}

}  // namespace

void add_constant_inputs(const Mechanism& mechanism, Values& values) {
  for (const auto& input : mechanism.inputs) {
    const Expr value = mechanism.graph->bind(input.value);
    if (value.is_number()) values.emplace(input.symbol.name(), to_double(value.number()));
  }
}

void apply_settings(Mechanism& mechanism, std::span<const std::string> settings, std::string_view option) {
  if (settings.empty()) return;
  bool parameters_changed = false;
  Units units = symbol_units(mechanism);
  const std::vector<std::string> names = settable_names(mechanism);
  const std::string time = mechanism.time().name();  // the initial time, as under `initial:`
  units.emplace(time, "s");
  for (const std::string& text : settings) {
    const Setting setting = split(text, option);
    if (setting.name != time && std::find(names.begin(), names.end(), setting.name) == names.end())
      throw ModelError(fmt::format("{}: the model has no parameter, input or coordinate '{}'{}", option, setting.name,
                                   name_instead(mechanism, setting.name, names)));
    const double value = value_of(setting, option, units);
    const auto matches = [&](const SymbolWithDefault& s) { return s.symbol.name() == setting.name; };
    const auto parameter = std::find_if(mechanism.parameters.begin(), mechanism.parameters.end(), matches);
    const auto input = std::find_if(mechanism.inputs.begin(), mechanism.inputs.end(), matches);
    const Expr number = mechanism.graph->number(rational_from_double(value));
    if (parameter != mechanism.parameters.end()) {
      parameter->value = number;
      parameters_changed = true;
    } else if (input != mechanism.inputs.end()) {
      input->value = number;
      make_constant(mechanism, setting.name);
      parameters_changed = true;  // initial values may be written with inputs as well
    } else {
      mechanism.initial[setting.name] = value;
      mechanism.insisted.insert(setting.name);
      mechanism.guess.erase(setting.name);
      mechanism.initial_laws.erase(setting.name);
    }
  }
  if (parameters_changed) renew_initial(mechanism);
}

void apply_guesses(Mechanism& mechanism, std::span<const std::string> guesses, std::string_view option) {
  if (guesses.empty()) return;
  const Units units = symbol_units(mechanism);
  const std::vector<std::string> names = state_names(mechanism);
  for (const std::string& text : guesses) {
    const Setting setting = split(text, option);
    if (std::find(names.begin(), names.end(), setting.name) == names.end())
      throw ModelError(fmt::format("{}: the model has no coordinate or speed '{}'{}", option, setting.name,
                                   name_instead(mechanism, setting.name, names)));
    mechanism.guess[setting.name] = value_of(setting, option, units);
    mechanism.initial.erase(setting.name);
    mechanism.insisted.erase(setting.name);
    mechanism.initial_laws.erase(setting.name);
  }
}

}  // namespace kane
