#include "kane/formats/state_file.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/measured.hpp"

namespace kane {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 256 * 1024 * 1024;

[[noreturn]] void fail_at(const std::string& file, std::string_view text, std::size_t byte, const char* message) {
  byte = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto before = text.substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = byte - (start == std::string_view::npos ? 0 : start + 1) + 1;
  throw ModelError({file, static_cast<int>(line), static_cast<int>(column)}, message);
}

Json parse_json(std::string_view text, const std::string& file) {
  // A name that is given twice is a mistake; JSON readers would keep the last value without a word.
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw ModelError({file, 0, 0}, fmt::format("'{}' is given twice in the state", parsed.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    fail_at(file, text, error.byte, "the state is not valid JSON");
  } catch (const Json::out_of_range&) {
    throw ModelError({file, 0, 0}, "a number in the state is too large");
  }
}

class StateReader {
 public:
  StateReader(const Json& json, std::string label) : json_(json) { state_.label = std::move(label); }

  StartState read() {
    if (!json_.is_object()) fail("a state is a JSON object such as {\"t\": 0, \"q\": {...}, \"u\": {...}}");
    if (json_.contains("found")) return read_found();
    const std::vector<std::string> known{"t", "q", "u", "guess", "parameters", "inputs", "active"};
    for (const auto& [key, value] : json_.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(fmt::format("unknown key '{}'{}", key, suggestion(key, known)));
    read_setting();
    read_values(json_, "q", state_.q), read_values(json_, "u", state_.u), read_values(json_, "inputs", state_.inputs);
    read_values(json_, "guess", state_.guess);
    return std::move(state_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ModelError(state_.label + ": " + message); }

  /// A number in SI units, or text such as "30 deg".
  [[nodiscard]] double number(const Json& value, const std::string& name) {
    if (value.is_number()) return value.get<double>();
    const auto refuse = [&](const std::string& why) {
      fail(fmt::format("the value of '{}' must be a number, or text with a unit such as \"30 deg\"{}", name, why));
    };
    if (!value.is_string()) refuse("");
    try {
      const auto measured = parse_measured_number(value.get<std::string>(), {});
      if (measured.dimension) state_.dimensions[name] = *measured.dimension;
      return measured.value;
    } catch (const LimitError&) {
      throw;
    } catch (const ModelError& error) {
      refuse(", but: " + error.message());
    }
    return 0;
  }

  /// Time, parameters and active constraints: an equilibrium holds for these as well as for coordinates, speeds and inputs.
  void read_setting() {
    if (json_.contains("t")) state_.t = number(json_["t"], "t");
    read_values(json_, "parameters", state_.parameters);
    if (json_.contains("active")) read_active(json_["active"]);
  }

  /// The answer of `kane equilibrium`: the nearest one it found.
  StartState read_found() {
    const Json& found = json_["found"];
    if (!found.is_array() || (!found.empty() && !found.front().is_object()))
      fail("'found' must be the list of equilibria that kane equilibrium prints");
    if (found.empty()) fail("no equilibrium was found there");
    read_setting();
    for (const auto& [key, to] : {std::pair{"q", &state_.q}, {"u", &state_.u}, {"inputs", &state_.inputs}})
      read_values(found.front(), key, *to);
    return std::move(state_);
  }

  void read_values(const Json& from, const char* key, Values& to) {
    if (!from.contains(key)) return;
    const Json& values = from[key];
    if (!values.is_object()) fail(fmt::format("'{}' must be an object of names and numbers", key));
    for (const auto& [name, value] : values.items()) {
      if (!value.is_array()) {
        to[name] = number(value, name);
        continue;
      }
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string element = fmt::format("{}{}", name, i + 1);
        to[element] = number(value[i], element);
      }
    }
  }

  void read_active(const Json& names) {
    state_.active.emplace();
    if (!names.is_array()) fail("'active' must be a list of names of constraints");
    for (const Json& name : names) {
      if (!name.is_string()) fail("'active' must be a list of names of constraints");
      state_.active->push_back(name.get<std::string>());
    }
  }

  const Json& json_;
  StartState state_;
};

}  // namespace

std::vector<std::string> StateFile::inputs() const {
  std::vector<std::string> names;
  for (const StartState& state : states)
    for (const auto& [name, value] : state.inputs)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

StateFile parse_states(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file);
  StateFile result;
  result.list = json.is_array();
  if (!result.list) {
    result.states.push_back(StateReader(json, "state").read());
    return result;
  }
  for (std::size_t i = 0; i < json.size(); ++i)
    result.states.push_back(StateReader(json[i], fmt::format("state {}", i + 1)).read());
  return result;
}

StateFile read_states(const std::filesystem::path& file) {
  // A pipe will do as well, as in --state <(command).
  std::ifstream stream(file, std::ios::binary);
  require(stream.good() && !std::filesystem::is_directory(file), "the state file '{}' cannot be read", file.string());
  std::string text;
  for (char block[65536]; stream.read(block, sizeof block) || stream.gcount() > 0;) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    require(text.size() <= kMaxBytes, "the state file '{}' is longer than the limit of {} bytes", file.string(),
            kMaxBytes);
  }
  return parse_states(text, file.string());
}

StartState only_state(StateFile file) {
  require(!file.list, "expected one state, not a list of states");
  return std::move(file.states.front());
}

}  // namespace kane
