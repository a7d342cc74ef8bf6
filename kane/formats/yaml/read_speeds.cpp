// speeds: auto | [u1, u2] (an order) | {u1: q1', u2: r*q2'} (definitions).

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_settings.hpp"
#include "kane/mechanism/speed_definitions.hpp"

namespace kane {

namespace {

void forget_joint_speeds(ModelContext& context, std::span<Joint* const> joints) {
  for (Joint* joint : joints)
    for (auto& motion : joint->motions)
      for (const Expr& u : motion.speeds) context.names.erase(u.name());
  for (const auto& [body, beam] : context.beams)
    for (const Expr& u : beam.speeds) context.names.erase(u.name());
}

void read_definitions(ModelContext& context, const YamlNode& section, std::span<Joint* const> joints) {
  std::vector<NamedQuantity> speeds;
  forget_joint_speeds(context, joints);
  for (const auto& entry : section.entries) {
    const std::string owner = fmt::format("the speed '{}'", shown(entry.key));
    const Quantity definition = context.quantity(entry.value, measure::kAny, "the definition", owner);
    // The rate of a locked coordinate is not a speed.
    const auto coordinate = context.names.find(rate_of(definition.text));
    if (coordinate != context.names.end() && coordinate->second.what == "locked coordinate") continue;
    Dimensional dimension = Dimensional::open(true);
    if (coordinate != context.names.end()) dimension = rate(coordinate->second.dimension);
    context.declare(entry.key, "speed", context.graph.symbol(entry.key), dimension, entry.key_place);
    speeds.push_back({entry.key, definition});
  }
  define_speeds(context.mechanism, joints, std::move(speeds), !context.beams.empty());
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
      item.fail(fmt::format("'speeds' lists '{}', which is not a speed of a joint{}", shown(item.text),
                            suggestion(item.text, context.names_of("speed"))));
    auto& order = context.mechanism.speed_order;
    if (std::find(order.begin(), order.end(), item.text) != order.end())
      item.fail(fmt::format("'speeds' lists '{}' twice", item.text));
    order.push_back(item.text);
  }
}

}  // namespace kane
