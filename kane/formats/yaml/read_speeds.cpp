// speeds: auto | [u1, u2] (an order) | {u1: q1', u2: r*q2'} (definitions).

#include <algorithm>
#include <cctype>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_settings.hpp"

namespace kane {

namespace {

/// The coordinate of "q1'"; empty for anything else.
std::string rate_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() < 2 || text.back() != '\'') return {};
  text.remove_suffix(1);
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  return plain ? std::string(text) : std::string();
}

/// Speeds that are nothing but rates of the joints' coordinates become the joints' own speeds, so that the recursive
/// formulations apply. Returns false if there is more to them.
bool rename_joint_speeds(ModelContext& context, const std::vector<NamedQuantity>& speeds,
                         std::span<Joint* const> joints) {
  std::map<std::string, ElementaryMotion*> motions;
  for (Joint* joint : joints) {
    if (joint->closing) continue;
    for (auto& motion : joint->motions) {
      if (!motion.free) continue;
      if (motion.kind == MotionKind::Ball) return false;
      motions.emplace(motion.coordinates.front().name(), &motion);
    }
  }
  if (motions.size() != speeds.size() || !context.mechanism.extra_coordinates.empty()) return false;
  std::map<std::string, std::string> names;
  for (const auto& speed : speeds) {
    const std::string coordinate = rate_of(speed.value.text);
    if (!motions.contains(coordinate) || !names.emplace(coordinate, speed.name).second) return false;
  }
  for (auto& [coordinate, motion] : motions) motion->speeds = {context.graph.symbol(names.at(coordinate))};
  for (const auto& speed : speeds) context.mechanism.speed_order.push_back(speed.name);
  return true;
}

void forget_joint_speeds(ModelContext& context, std::span<Joint* const> joints) {
  for (Joint* joint : joints)
    for (auto& motion : joint->motions)
      for (const Expr& u : motion.speeds) context.names.erase(u.name());
}

void read_definitions(ModelContext& context, const YamlNode& section, std::span<Joint* const> joints) {
  std::vector<NamedQuantity> speeds;
  forget_joint_speeds(context, joints);
  for (const auto& entry : section.entries) {
    const std::string owner = fmt::format("the speed '{}'", shown(entry.key));
    const Quantity definition = context.quantity(entry.value, measure::kAny, "the definition", owner);
    // The rate of a locked coordinate is no speed any more.
    const auto coordinate = context.names.find(rate_of(definition.text));
    if (coordinate != context.names.end() && coordinate->second.what == "locked coordinate") continue;
    std::optional<Dimension> dimension;
    if (coordinate != context.names.end() && coordinate->second.dimension)
      dimension = *coordinate->second.dimension / kTime;
    context.declare(entry.key, "speed", context.graph.symbol(entry.key), dimension, entry.key_place);
    speeds.push_back({entry.key, definition});
  }
  if (rename_joint_speeds(context, speeds, joints)) return;
  for (Joint* joint : joints)
    for (auto& motion : joint->motions) motion.speeds.clear();
  context.mechanism.speeds = std::move(speeds);
}

}  // namespace

void read_speeds(ModelContext& context, const YamlNode& section, std::span<Joint* const> joints) {
  if (section.is_map()) return read_definitions(context, section, joints);
  if (section.is_scalar() && section.text == "auto") {
    context.mechanism.automatic_speeds = true;
    return;
  }
  if (!section.is_list())
    section.fail(
        fmt::format("'speeds' takes 'auto', an order such as [u1, u2], or definitions such as {{u1: q1'}}, but {} "
                    "is given",
                    section.describe()));
  for (const auto& item : section.items) {
    (void)read_name(item, "an entry", "'speeds'");
    const auto known = context.names.find(item.text);
    if (known == context.names.end() || known->second.what != "speed")
      item.fail(fmt::format("'speeds' lists '{}', which is no speed of a joint{}", shown(item.text),
                            suggestion(item.text, context.names_of("speed"))));
    auto& order = context.mechanism.speed_order;
    if (std::find(order.begin(), order.end(), item.text) != order.end())
      item.fail(fmt::format("'speeds' lists '{}' twice", item.text));
    order.push_back(item.text);
  }
}

}  // namespace kane
