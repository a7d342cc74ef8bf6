#include "kane/server/client_message.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kane/base/error.hpp"

namespace kane {

namespace {

using ClientJson = nlohmann::json;
using MessageKind = ClientMessage::Kind;

constexpr std::pair<std::string_view, MessageKind> kMessageKinds[] = {
    {"open", MessageKind::Open},       {"edit", MessageKind::Edit},           {"play", MessageKind::Play},
    {"step", MessageKind::Step},       {"reset", MessageKind::Reset},         {"resume", MessageKind::Resume},
    {"speed", MessageKind::Speed},     {"parameter", MessageKind::Parameter}, {"input", MessageKind::Input},
    {"pull", MessageKind::Pull},       {"release", MessageKind::Release},     {"save", MessageKind::Save},
    {"analyse", MessageKind::Analyse}, {"derive", MessageKind::Derive},       {"lock", MessageKind::Lock},
    {"impose", MessageKind::Impose}};

/// Nesting beyond this is refused before the library recurses into it.
constexpr int kMostNesting = 8;

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false, escaped = false;
  for (const char c : text) {
    if (quoted) {
      if (!escaped && c == '"') quoted = false;
      escaped = !escaped && c == '\\';
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > kMostNesting) return true;
  }
  return false;
}

const ClientJson& field(const ClientJson& j, const char* name) {
  const auto found = j.find(name);
  require(found != j.end(), "the message has no '{}'", name);
  return *found;
}

std::string text_of(const ClientJson& j, const char* name) {
  const ClientJson& value = field(j, name);
  require(value.is_string(), "'{}' must be text", name);
  return value.get<std::string>();
}

double number_of(const ClientJson& value, const char* name) {
  require(value.is_number(), "'{}' must be a number", name);
  const double number = value.get<double>();
  require(std::isfinite(number), "'{}' must be finite", name);
  return number;
}

std::array<double, 3> vector_of(const ClientJson& j, const char* name) {
  const ClientJson& value = field(j, name);
  require(value.is_array() && value.size() == 3, "'{}' must be three numbers", name);
  return {number_of(value[0], name), number_of(value[1], name), number_of(value[2], name)};
}

bool flag_of(const ClientJson& j, const char* name) {
  const auto found = j.find(name);
  return found != j.end() && found->is_boolean() && found->get<bool>();
}

void read_mark(const ClientJson& j, ClientMessage& m) {
  if (!j.contains("mark")) return;
  const double mark = number_of(field(j, "mark"), "mark");
  require(mark >= 1 && mark <= kLargestMark && mark == std::floor(mark), "'mark' must be a whole number from 1 to {}",
          kLargestMark);
  m.mark = static_cast<std::uint32_t>(mark);
}

void read_derivation(const ClientJson& j, ClientMessage& m) {
  constexpr std::size_t kMostDefinitions = 100, kMostSteps = 9;
  m.name = text_of(j, "speeds");
  if (j.contains("definitions")) {
    const ClientJson& list = field(j, "definitions");
    require(list.is_array() && list.size() <= kMostDefinitions, "'definitions' must be a list of at most {} texts",
            kMostDefinitions);
    for (const ClientJson& line : list) {
      require(line.is_string(), "'definitions' must be a list of texts");
      m.definitions.push_back(line.get<std::string>());
    }
  }
  const ClientJson& steps = field(j, "steps");
  require(steps.is_array() && steps.size() <= kMostSteps, "'steps' must be a list of numbers from 1 to 9");
  for (const ClientJson& step : steps) {
    require(step.is_number_integer() && step >= 1 && step <= 9, "'steps' must be a list of numbers from 1 to 9");
    m.steps.push_back(step.get<int>());
  }
}

void read_fields(const ClientJson& j, ClientMessage& m) {
  switch (m.kind) {
    case MessageKind::Open:
      if (j.contains("path")) m.path = text_of(j, "path");
      if (j.contains("text")) m.text = text_of(j, "text");
      require(!m.path.empty() || !m.text.empty(), "'open' needs a path or a text");
      break;
    case MessageKind::Edit: m.text = text_of(j, "text"); break;
    case MessageKind::Play: m.on = flag_of(j, "on"); break;
    case MessageKind::Resume: {
      m.value = number_of(field(j, "t"), "t");
      read_mark(j, m);
      const ClientJson& state = field(j, "state");
      constexpr std::size_t kMostStates = 100'000;
      require(state.is_array() && state.size() <= kMostStates, "'state' must be a list of numbers");
      for (const ClientJson& x : state) m.state.push_back(number_of(x, "state"));
      break;
    }
    case MessageKind::Speed: m.value = number_of(field(j, "value"), "value"); break;
    case MessageKind::Parameter:
    case MessageKind::Input: m.name = text_of(j, "name"), m.value = number_of(field(j, "value"), "value"); break;
    case MessageKind::Pull: {
      const double body = number_of(field(j, "body"), "body");
      require(body >= 0 && body < 1e6 && body == std::floor(body), "'body' must be the number of a body");
      m.hold = {static_cast<std::size_t>(body), vector_of(j, "point"), vector_of(j, "target")};
      break;
    }
    case MessageKind::Save:
      m.path = text_of(j, "path"), m.text = text_of(j, "text"), m.on = flag_of(j, "force");
      if (j.contains("seen")) {
        const std::string seen = text_of(j, "seen");  // 64 bits, which numbers of JavaScript do not have
        const auto [end, code] = std::from_chars(seen.data(), seen.data() + seen.size(), m.seen);
        require(code == std::errc() && end == seen.data() + seen.size() && m.seen >= 0, "'seen' must be digits");
      }
      break;
    case MessageKind::Lock:
    case MessageKind::Impose: m.name = text_of(j, "name"), m.on = flag_of(j, "on"); break;
    case MessageKind::Derive: read_derivation(j, m); break;
    case MessageKind::Reset: read_mark(j, m); break;
    case MessageKind::Step:
    case MessageKind::Release:
    case MessageKind::Analyse: break;
  }
}

}  // namespace

ClientMessage parse_client_message(std::string_view text) {
  require(text.size() <= kMostMessageBytes, "a message of {} bytes is too long; the limit is {}", text.size(),
          kMostMessageBytes);
  require(!nests_too_deep(text), "the message is nested deeper than {} levels", kMostNesting);
  const ClientJson j = ClientJson::parse(text, nullptr, false);
  require(j.is_object(), "the message is not a JSON object");
  const std::string kind = text_of(j, "type");
  ClientMessage m;
  for (const auto& [name, value] : kMessageKinds)
    if (name == kind) {
      m.kind = value;
      read_fields(j, m);
      return m;
    }
  throw ModelError(fmt::format("there is no message of the type '{}'", kind.substr(0, 40)));
}

}  // namespace kane
