// equations: a system given by q' = ... and M u' = forcing instead of bodies and joints.

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_settings.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"

namespace kane {

namespace {

constexpr std::string_view kOwner = "'equations'";

/// `may_be_empty`: a system of first order has no coordinates, only speeds.
const YamlNode& map_of(const Group& group, std::string_view key, std::string_view example, bool may_be_empty = false) {
  const YamlNode& node = group.need(key, example);
  if (!node.is_map() || (node.entries.empty() && !may_be_empty))
    node.fail(fmt::format("'{}' of {} must be a map such as {}, but {} is given", key, kOwner, example,
                          node.is_map() ? "an empty one" : node.describe()));
  return node;
}

/// Rows as lists, or the diagonal as a map by speed.
void read_mass_matrix(const ModelContext& context, const YamlNode& node, GeneralEquations& g) {
  const std::size_t n = g.speeds.size();
  if (node.is_map()) {
    g.mass_matrix.assign(n, std::vector<Quantity>(n, Quantity("0", node.where())));
    for (std::size_t i = 0; i < n; ++i) g.mass_matrix[i][i].text = "1";
    for (const auto& entry : node.entries) {
      const auto at = std::find(g.speeds.begin(), g.speeds.end(), entry.key);
      if (at == g.speeds.end())
        fail_at(entry.key_place, fmt::format("'mass_matrix' of {} names '{}', which is not a speed{}", kOwner,
                                             shown(entry.key), suggestion(entry.key, g.speeds)));
      const auto i = static_cast<std::size_t>(at - g.speeds.begin());
      g.mass_matrix[i][i] = context.quantity(entry.value, measure::kAny, "mass_matrix", kOwner);
    }
    return;
  }
  if (!node.is_list() || node.items.size() != n)
    node.fail(
        fmt::format("'mass_matrix' of {} must be a list of {} rows, one for each speed in 'forcing', or a map of "
                    "speeds to the entries of a diagonal",
                    kOwner, n));
  for (const auto& row : node.items) {
    if (!row.is_list() || row.items.size() != n)
      row.fail(fmt::format("a row of the mass matrix must be a list of {}", n));
    auto& to = g.mass_matrix.emplace_back();
    for (const auto& item : row.items) to.push_back(context.quantity(item, measure::kAny, "mass_matrix", kOwner));
  }
}

}  // namespace

void declare_equations(ModelContext& context, const YamlNode& section) {
  const Group group(section, std::string(kOwner), keys::kEquations);
  GeneralEquations g;
  g.where = section.where();
  for (const auto& entry : map_of(group, "coordinates", "{q1: u1}", true).entries) {
    context.declare(entry.key, "coordinate", context.graph.symbol(entry.key), Dimensional::open(true), entry.key_place);
    g.coordinates.push_back(entry.key);
  }
  for (const auto& entry : map_of(group, "forcing", "{u1: -k*q1}").entries) {
    context.declare(entry.key, "speed", context.graph.symbol(entry.key), Dimensional::open(true), entry.key_place);
    g.speeds.push_back(entry.key);
  }
  const auto read = [&](const YamlNode& node, std::string_view key, const std::string& name) {
    return context.quantity(node, measure::kAny, fmt::format("{} of '{}'", key, shown(name)), kOwner);
  };
  for (const auto& entry : group.find("coordinates")->entries)
    g.rates.push_back(read(entry.value, "the rate", entry.key));
  for (const auto& entry : group.find("forcing")->entries)
    g.forcing.push_back(read(entry.value, "the forcing", entry.key));
  if (const YamlNode* matrix = group.find("mass_matrix")) read_mass_matrix(context, *matrix, g);
  if (const YamlNode* node = group.find("kinetic"))
    g.kinetic = context.quantity(*node, measure::kAny, "kinetic", kOwner);
  if (const YamlNode* node = group.find("potential"))
    g.potential = context.quantity(*node, measure::kAny, "potential", kOwner);
  context.mechanism.set_equations(std::move(g));
}

}  // namespace kane
