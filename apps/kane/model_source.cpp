#include "apps/kane/model_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "apps/kane/command.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/base/units.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/settings.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {

void ModelSource::add_to(CLI::App& command) {
  command.add_option("model", model, "Model file: Kane YAML or URDF; '-' reads Kane YAML from standard input")
      ->required();
  command.add_option("--set", settings, "name=value: override a parameter, an input or an initial value")
      ->allow_extra_args(false);
  command.add_option("--formulation", formulation, "automatic, projection, composite or articulated");
  command.add_flag("--floating-base", reading.urdf.floating_base, "URDF: the root link moves freely");
}

Mechanism ModelSource::read() const {
  Mechanism mechanism = model == "-" ? read_mechanism_text(read_standard_input(), "standard input", reading)
                                     : read_mechanism(model, reading);
  apply_settings(mechanism, settings);
  if (!mechanism.automatic_speeds) return mechanism;
  AutomaticSpeeds automatic = choose_speeds(mechanism);
  fmt::print(stderr, "{}\n", automatic.summary());
  return std::move(automatic.mechanism);
}

Model ModelSource::load(ModelOptions options, const std::function<void(Mechanism&)>& prepare) const {
  options.formulation = formulation_from(formulation);
  Mechanism mechanism = model == "-" ? read_mechanism_text(read_standard_input(), "standard input", reading)
                                     : read_mechanism(model, reading);
  apply_settings(mechanism, settings);
  if (prepare) prepare(mechanism);
  Model loaded(std::move(mechanism), std::move(options));
  for (const auto& note : loaded.notes()) fmt::print(stderr, "{}\n", note);
  return loaded;
}

void StateSource::add_to(CLI::App& command, const std::string& help) { command.add_option("--state", file, help); }

StateFile StateSource::read() const {
  if (file.empty()) return {{StartState{}}, false};
  if (file == "-") return parse_states(read_standard_input(), "standard input");
  return read_states(file);
}

void InputSeriesSource::add_to(CLI::App& command) {
  command.add_option("--inputs", file, "CSV file with time series of inputs: columns t and names of inputs");
  command.add_flag("--hold", hold, "Hold the inputs of the file between points instead of interpolating");
}

std::vector<InputSource> InputSeriesSource::read() const {
  if (file.empty()) {
    require(!hold, "--hold needs --inputs: it applies between the points of that file");
    return {};
  }
  return series_inputs(read_series(file), hold ? Interpolation::Hold : Interpolation::Linear);
}

void ModelSource::check_output(const std::string& file) const {
  std::error_code none;
  require(!std::filesystem::equivalent(file, model, none), "'{}' is the model itself; write to another file", file);
}

void apply_settings(Mechanism& mechanism, const std::vector<std::string>& settings) {
  apply_settings(mechanism, std::span(settings), "--set");
}

// ---- state files --------------------------------------------------------------------------------------------------------

nlohmann::json read_state_file(const std::string& file) {
  std::string text;
  if (file == "-") {
    text = read_standard_input();
  } else {
    std::ifstream stream(file, std::ios::binary);
    require(stream.good(), "the state file '{}' cannot be read", file);
    std::ostringstream buffer;
    buffer << stream.rdbuf();
    text = buffer.str();
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // nlohmann counts bytes; say line and column.
    const std::size_t byte = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    const auto start = byte == 0 ? std::string::npos : text.rfind('\n', byte - 1);
    const auto column = byte - (start == std::string::npos ? 0 : start + 1) + 1;
    throw ModelError({file == "-" ? "standard input" : file, static_cast<int>(line), static_cast<int>(column)},
                     "the state is not valid JSON");
  } catch (const nlohmann::json::out_of_range&) {
    throw ModelError({file == "-" ? "standard input" : file, 0, 0}, "a number in the state is too large");
  }
}

std::vector<std::string> inputs_named(const nlohmann::json& states) {
  std::vector<std::string> names;
  const auto collect = [&](const nlohmann::json& state) {
    if (!state.is_object() || !state.contains("inputs") || !state["inputs"].is_object()) return;
    for (const auto& [name, value] : state["inputs"].items())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (states.is_array())
    for (const auto& state : states) collect(state);
  else
    collect(states);
  return names;
}

void initial_values(const Mechanism& mechanism, const EquationsOfMotion& equations, std::vector<double>& q,
                    std::vector<double>& u) {
  const auto value = [&](const Expr& symbol) {
    const auto found = mechanism.initial.find(symbol.name());
    return found == mechanism.initial.end() ? 0.0 : found->second;
  };
  q.clear(), u.clear();
  for (const auto& symbol : equations.q) q.push_back(value(symbol));
  for (const auto& symbol : equations.u) u.push_back(value(symbol));
  for (const int first : equations.quaternions) {
    const auto k = static_cast<std::size_t>(first);
    if (q[k] == 0 && q[k + 1] == 0 && q[k + 2] == 0 && q[k + 3] == 0) q[k + 3] = 1;  // no rotation
  }
}

namespace {

/// Reads the object `key` of a state into values by name.
class StateReader {
 public:
  StateReader(const nlohmann::json& state, int entry) : state_(state), entry_(entry) {
    if (!state.is_object()) fail("a state is a JSON object such as {\"t\": 0, \"q\": {...}, \"u\": {...}}");
    const std::vector<std::string> known{"t", "q", "u", "parameters", "inputs", "active"};
    for (const auto& [key, value] : state.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(fmt::format("unknown key '{}'{}", key, suggestion(key, known)));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw ModelError(entry_ < 0 ? "state: " + message : fmt::format("state {}: {}", entry_ + 1, message));
  }

  [[nodiscard]] double number(const nlohmann::json& value, const std::string& name) const {
    if (!value.is_number()) fail(fmt::format("the value of '{}' must be a number", name));
    return value.get<double>();
  }

  template <class Set>
  void each(const std::string& key, const std::vector<std::string>& known, Set set) const {
    if (!state_.contains(key)) return;
    const auto& values = state_[key];
    if (!values.is_object()) fail(fmt::format("'{}' must be an object of names and numbers", key));
    const auto put = [&](const std::string& name, const nlohmann::json& value) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) fail(fmt::format("'{}' has no '{}'{}", key, name, suggestion(name, known)));
      set(static_cast<std::size_t>(found - known.begin()), name, number(value, name));
    };
    for (const auto& [name, value] : values.items()) {
      // As in a model file, a list under the name l stands for l1, l2, ...
      if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) put(fmt::format("{}{}", name, i + 1), value[i]);
      else
        put(name, value);
    }
  }

 private:
  const nlohmann::json& state_;
  int entry_;
};

}  // namespace

namespace {

/// Initial values that are written with parameters follow those of the state.
void renew_initial(const Mechanism& mechanism, const CompiledSystem& system, FileSituation& s) {
  const auto& names = system.parameters();
  const auto numbers = system.calc_parameters(s.parameters);
  Values values;
  for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = numbers[i];
  const auto renew = [&](const std::vector<Expr>& symbols, std::vector<double>& to) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const auto law = mechanism.initial_laws.find(symbols[i].name());
      if (law != mechanism.initial_laws.end()) to[i] = evaluate(law->second, values, table_functions(mechanism));
    }
  };
  renew(system.equations().q, s.q);
  renew(system.equations().u, s.u);
}

}  // namespace

FileSituation make_situation(const nlohmann::json& state, const Mechanism& mechanism, const CompiledSystem& system,
                             int entry) {
  const EquationsOfMotion& e = system.equations();
  const StateReader reader(state, entry);
  FileSituation s;
  initial_values(mechanism, e, s.q, s.u);
  s.inputs = system.default_inputs();
  if (state.contains("t")) s.t = reader.number(state["t"], "t");
  reader.each("parameters", system.parameters(),
              [&](std::size_t, const std::string& name, double value) { s.parameters[name] = value; });
  if (!s.parameters.empty() && !mechanism.initial_laws.empty()) renew_initial(mechanism, system, s);
  reader.each("q", names_of(e.q), [&](std::size_t i, const std::string&, double value) { s.q[i] = value; });
  reader.each("u", names_of(e.u), [&](std::size_t i, const std::string&, double value) { s.u[i] = value; });
  reader.each("inputs", system.inputs(), [&](std::size_t i, const std::string&, double value) { s.inputs[i] = value; });
  if (state.contains("active")) {
    if (!state["active"].is_array()) reader.fail("'active' must be a list of names of constraints");
    s.active.emplace();
    for (const auto& name : state["active"]) {
      if (!name.is_string()) reader.fail("'active' must be a list of names of constraints");
      s.active->push_back(name.get<std::string>());
    }
  }
  return s;
}

std::vector<bool> active_rows(const EquationsOfMotion& equations, const FileSituation& situation) {
  std::vector<bool> active;
  for (const auto& c : equations.constraints) active.push_back(c.active && !situation.active);
  if (!situation.active) return active;
  std::vector<std::string> known;
  for (const auto& c : equations.constraints) known.push_back(c.group), known.push_back(c.name);
  for (const auto& name : *situation.active) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ModelError(fmt::format("state: there is no constraint '{}'{}", name, suggestion(name, known)));
    for (std::size_t i = 0; i < equations.constraints.size(); ++i)
      if (equations.constraints[i].group == name || equations.constraints[i].name == name) active[i] = true;
  }
  return active;
}

State start_state(const Mechanism& mechanism, const nlohmann::json& state, const FileSituation& situation) {
  State start{situation.t, situation.q, situation.u};
  if (state.contains("t")) return start;
  start.t = mechanism.simulation.from.value_or(0.0);
  const auto own = mechanism.initial.find("t");
  if (own != mechanism.initial.end()) start.t = own->second;
  return start;
}

GivenValues given_values(const Mechanism& mechanism, const EquationsOfMotion& equations, const nlohmann::json& state) {
  const auto given = [&](const std::vector<Expr>& symbols, const char* group) {
    std::vector<bool> r;
    for (const auto& s : symbols)
      r.push_back(mechanism.initial.contains(s.name()) || (state.contains(group) && state[group].contains(s.name())));
    return r;
  };
  return {given(equations.q, "q"), given(equations.u, "u")};
}

}  // namespace kane
