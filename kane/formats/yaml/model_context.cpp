#include "kane/formats/yaml/model_context.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/quantity.hpp"

namespace kane {

namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_plain_name(std::string_view name) {
  return !name.empty() && is_name_start(name.front()) && std::all_of(name.begin(), name.end(), is_name_part);
}

/// The names in a text, and whether it can only be read once the motion is known by itself: it contains vectors, points or
/// rates.
struct TextNames {
  std::vector<std::string> names;
  bool motion = false;
};

TextNames names_in(std::string_view text) {
  TextNames result;
  InfixText tokens(text, {});
  InfixToken last;
  for (;;) {
    const InfixToken token = tokens.next();
    if (last.kind == InfixTokenKind::Name) {
      const bool call = token.text == "(";
      result.motion = result.motion || last.text.find_first_of(".'") != std::string_view::npos ||
                      (call && is_motion_function(last.text));
      if (!call) result.names.emplace_back(last.text);
    }
    if (token.kind == InfixTokenKind::End) return result;
    last = token;
  }
}

/// An error inside a repetition names the repetition.
template <class Work>
auto with_note(const YamlPlace& place, Work work) -> decltype(work()) {
  if (place.note == nullptr) return work();
  try {
    return work();
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    throw ModelError(error.where(), error.message() + " (repeated with " + *place.note + ")");
  }
}

}  // namespace

// ---- Group --------------------------------------------------------------------------------------------------------------

Group::Group(const YamlNode& node, std::string owner, std::span<const std::string_view> keys)
    : node_(&node), owner_(std::move(owner)) {
  if (node.is_null()) return;
  if (!node.is_map())
    node.fail(
        fmt::format("{} takes a map with keys such as '{}', but {} is given", owner_, keys.front(), node.describe()));
  for (const auto& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    const std::string hint = suggestion(entry.key, known);
    fail_at(entry.key_place,
            fmt::format("unknown key '{}' in {}{}{}", shown(entry.key), owner_, hint,
                        hint.empty() ? fmt::format("; the known keys are {}", fmt::join(known, ", ")) : ""));
  }
}

const YamlNode& Group::need(std::string_view key, std::string_view example) const {
  const YamlNode* value = find(key);
  if (value == nullptr) node_->fail(fmt::format("{} needs '{}', such as '{}: {}'", owner_, key, key, example));
  return *value;
}

void Group::check_only_one(std::span<const std::string_view> keys) const {
  const YamlEntry* first = nullptr;
  for (const auto& entry : node_->entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    if (first != nullptr)
      fail_at(entry.key_place,
              fmt::format("{} has both '{}' and '{}'; only one of them is allowed", owner_, first->key, entry.key));
    first = &entry;
  }
}

std::string_view Group::which(std::span<const std::string_view> keys) const {
  for (const auto key : keys)
    if (has(key)) return key;
  return {};
}

// ---- ModelContext -------------------------------------------------------------------------------------------------------

ModelContext::ModelContext(Mechanism& m) : mechanism(m), graph(*m.graph) {
  measured_names_.find = [this](std::string_view name) { return find_name(name); };
  measured_names_.has = [this](std::string_view name) { return names.contains(name) || lets.contains(name); };
  measured_names_.known = [this] {
    std::vector<std::string> all;
    for (const auto& [name, row] : names) all.push_back(name);
    for (const auto& [name, let] : lets) all.push_back(name);
    return all;
  };
}

void ModelContext::check_name(const std::string& name, std::string_view what, const YamlPlace& place) const {
  if (!is_plain_name(name))
    fail_at(place,
            fmt::format("'{}' cannot be the name of a {}: a name is a letter followed by letters, digits and '_'",
                        shown(name), what));
  if (name == "t" || name == "pi")
    fail_at(place, fmt::format("'{}' cannot be the name of a {}: it means {}", name, what,
                               name == "t" ? "time" : "3.14159..."));
  const auto let = lets.find(name);
  if (let != lets.end())
    fail_at(place, fmt::format("'{}' is already the name of a named expression (in {})", name,
                               let->second.entry->key_place.where().to_string()));
}

void ModelContext::declare(const std::string& name, std::string_view what, const Expr& value,
                           const Dimensional& dimension, const YamlPlace& place) {
  check_name(name, what, place);
  const auto [known, is_new] = names.emplace(name, ScalarName{value, dimension, what, place.where()});
  if (!is_new)
    fail_at(place, fmt::format("'{}' is already the name of a {} (in {})", name, known->second.what,
                               known->second.where.to_string()));
}

// ---- named expressions ----------------------------------------------------------------------------------------------------

void ModelContext::declare_lets(const YamlNode& section, const YamlNode* outputs) {
  // Those that involve the motion, then those that use them, and so on.
  std::vector<std::string> moving{"kinetic", "potential", "energy"};
  if (outputs != nullptr)
    for (const auto& entry : outputs->entries) moving.push_back(entry.key);
  std::map<std::string, std::vector<std::string>, std::less<>> users;
  for_each_entry(section, "let", [&](const YamlEntry& entry) {
    check_name(entry.key, "named expression", entry.key_place);
    const std::string owner = fmt::format("the named expression '{}'", shown(entry.key));
    const Quantity text = quantity(entry.value, measure::kAny, "the value", owner);
    mechanism.expressions.push_back({entry.key, text});
    LetExpression let{&entry};
    TextNames used = names_in(text.text);
    let.motion = used.motion;
    if (let.motion) moving.push_back(entry.key);
    for (std::string& name : used.names) users[std::move(name)].push_back(entry.key);
    lets.emplace(entry.key, std::move(let));
  });
  while (!moving.empty()) {
    const std::string name = std::move(moving.back());
    moving.pop_back();
    for (const std::string& user : users[name]) {
      LetExpression& let = lets.find(user)->second;
      if (let.motion) continue;
      let.motion = true;
      moving.push_back(user);
    }
  }
}

void ModelContext::read_lets() const {
  for (auto& [name, let] : lets)
    if (!let.motion) at_place(let.entry->value.place, [&, &key = name, &row = let] { (void)let_value(key, row); });
}

std::optional<Measured> ModelContext::find_name(std::string_view name) const {
  if (const auto known = names.find(name); known != names.end())
    return Measured{known->second.value, known->second.dimension};
  if (const auto let = lets.find(name); let != lets.end()) return let_value(let->first, let->second);
  return std::nullopt;
}

Measured ModelContext::let_value(const std::string& name, LetExpression& let) const {
  if (let.value) return *let.value;
  const TextNames used = names_in(let.entry->value.text);
  // An output may have the name of a parameter; then the parameter is meant.
  const bool plain = !used.motion && std::all_of(used.names.begin(), used.names.end(),
                                                 [&](const std::string& n) { return names.contains(n); });
  if (let.motion && !plain)
    throw ModelError(
        fmt::format("the named expression '{}' depends on the motion ('{}'), which is not known where a "
                    "plain scalar is needed; use it in loads, laws, outputs, events and constraints",
                    name, shown(let.entry->value.text)));
  if (let.reading) {
    const auto first = std::find(reading_.begin(), reading_.end(), name);
    throw ModelError(fmt::format("the named expression '{}' depends on itself: {} -> {}", name,
                                 fmt::join(first, reading_.end(), " -> "), name));
  }
  if (reading_.size() >= kMaxNamedDepth)
    throw LimitError(fmt::format("named expressions use each other more than {} levels deep", kMaxNamedDepth));
  let.reading = true;
  reading_.push_back(name);
  const YamlNode& node = let.entry->value;
  let.value =
      with_note(node.place, [&] { return parse_measured(graph, node.text, text_where(node), measured_names_); });
  let.value->dimension.literal = false;
  reading_.pop_back();
  let.reading = false;
  return *let.value;
}

std::vector<std::string> ModelContext::names_of(std::string_view what) const {
  std::vector<std::string> found;
  for (const auto& [name, row] : names)
    if (row.what == what) found.push_back(name);
  return found;
}

Scalar ModelContext::measured(const YamlNode& node, const Measure& measure, std::string_view what,
                              std::string_view owner) const {
  if (!node.is_scalar())
    node.fail(fmt::format("{} of {} must be {}, such as '{}', but {} is given", what, owner, measure.name,
                          measure.example, node.describe()));
  return with_note(node.place, [&] {
    return parse_scalar(graph, measured_names_, node.text, text_where(node), measure, what, owner);
  });
}

Expr ModelContext::scalar(const YamlNode& node, const Measure& measure, std::string_view what,
                          std::string_view owner) const {
  return measured(node, measure, what, owner).value;
}

Expr ModelContext::scalar(const Group& group, std::string_view key, const Measure& measure) const {
  const YamlNode* node = group.find(key);
  return node == nullptr ? Expr(0) : scalar(*node, measure, key, group.owner());
}

Expr3 ModelContext::vector(const YamlNode& node, const Measure& measure, std::string_view what,
                           std::string_view owner) const {
  if (!node.is_list() || node.items.size() != 3)
    node.fail(fmt::format("{} of {} must be a list of three, such as [{}, 0, 0], but {} is given", what, owner,
                          measure.example, node.describe()));
  Expr3 result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = scalar(node.items[i], measure, what, owner);
  return result;
}

double ModelContext::number(const YamlNode& node, const Measure& measure, std::string_view what,
                            std::string_view owner) const {
  const Expr value = scalar(node, measure, what, owner);
  if (value.is_number()) {
    const double plain = to_double(value.number());
    if (!std::isfinite(plain)) node.fail(fmt::format("{} of {} is too large", what, owner));
    return plain;
  }
  for (const Expr& symbol : symbols_of({&value, 1}))
    if (!defaults.contains(symbol.name()) && !input_defaults.contains(symbol.name()))
      node.fail(fmt::format("{} of {} must be a number, but '{}' depends on '{}', which is not a parameter", what,
                            owner, shown(node.text), symbol.name()));
  Values values = input_defaults;
  values.insert(defaults.begin(), defaults.end());
  const double result = at_place(node.place, [&] { return evaluate(value, values, functions); });
  if (!std::isfinite(result)) node.fail(fmt::format("{} of {} is not a finite number", what, owner));
  return result;
}

Quantity ModelContext::quantity(const YamlNode& node, const Measure& measure, std::string_view what,
                                std::string_view owner) const {
  if (!node.is_scalar())
    node.fail(fmt::format("{} of {} must be an expression, such as '{}', but {} is given", what, owner, measure.example,
                          node.describe()));
  const Where where = text_where(node);
  if (node.text.find_first_not_of(" \t\n") == std::string::npos)
    node.fail(fmt::format("{} of {} is empty; an expression is expected", what, owner));
  if (measure.dimension && is_plain_scalar(node)) (void)scalar(node, measure, what, owner);  // its dimension fits
  return {node.text, where};
}

/// Whether a text contains known scalars only, as quantities often do; its dimension can then be checked.
bool ModelContext::is_plain_scalar(const YamlNode& node) const {
  try {
    (void)parse_measured(graph, node.text, text_where(node), measured_names_);
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

Quantity ModelContext::vector_quantity(const YamlNode& node, const std::string& frame, const Measure& measure,
                                       std::string_view what, std::string_view owner) const {
  if (!node.is_list()) return quantity(node, measure, what, owner);
  const Expr3 v = vector(node, measure, what, owner);
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    if (v[i].is_zero()) continue;
    if (!text.empty()) text += " + ";
    text += v[i].is_one() ? fmt::format("{}.{}", frame, "xyz"[i])
                          : fmt::format("({})*{}.{}", to_text(v[i]), frame, "xyz"[i]);
  }
  if (text.empty()) text = fmt::format("0*{}.x", frame);
  return {text, node.where()};
}

Quantity ModelContext::direction(const YamlNode& node, const std::string& frame, std::string_view what,
                                 std::string_view owner) const {
  if (node.is_scalar() && (node.text == "x" || node.text == "y" || node.text == "z"))
    return {frame + "." + node.text, text_where(node)};
  return vector_quantity(node, frame, measure::kNumber, what, owner);
}

bool is_literal(std::string_view text) {
  Graph graph;
  try {
    (void)parse_measured(graph, text, {}, {});
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

// ---- plain values -------------------------------------------------------------------------------------------------------

Where text_where(const YamlNode& node) {
  Where where = node.where();
  if (node.quoted && where.line != 0) ++where.column;
  return where;
}

std::string read_text(const YamlNode& node, std::string_view what, std::string_view owner) {
  if (!node.is_scalar()) node.fail(fmt::format("{} of {} must be text, but {} is given", what, owner, node.describe()));
  return node.text;
}

std::string read_name(const YamlNode& node, std::string_view what, std::string_view owner) {
  if (!node.is_scalar() || node.text.empty() || node.text.find_first_of(" \t\n,") != std::string::npos)
    node.fail(fmt::format("{} of {} must be a name, but {} is given", what, owner, node.describe()));
  return node.text;
}

std::vector<std::string> read_names(const YamlNode& node, std::string_view what, std::string_view owner) {
  if (!node.is_list()) return {read_name(node, what, owner)};
  std::vector<std::string> result;
  for (const auto& item : node.items) result.push_back(read_name(item, what, owner));
  return result;
}

bool read_flag(const YamlNode& node, std::string_view what, std::string_view owner) {
  for (const char* yes : {"true", "True", "yes", "on"})
    if (node.is_scalar() && node.text == yes) return true;
  for (const char* no : {"false", "False", "no", "off"})
    if (node.is_scalar() && node.text == no) return false;
  node.fail(fmt::format("{} of {} must be true or false, but {} is given", what, owner, node.describe()));
}

int read_count(const YamlNode& node, std::string_view what, std::string_view owner) {
  const bool good = node.is_scalar() && !node.text.empty() && node.text.size() <= 9 &&
                    node.text.find_first_not_of("0123456789") == std::string::npos;
  if (!good) node.fail(fmt::format("{} of {} must be an integer, but {} is given", what, owner, node.describe()));
  return std::stoi(node.text);
}

}  // namespace kane
