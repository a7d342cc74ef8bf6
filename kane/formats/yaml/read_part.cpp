#include "kane/formats/yaml/read_part.hpp"

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/formats/matrix_file.hpp"
#include "kane/formats/yaml/write_parts.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"

namespace kane {
namespace {

/// The most coordinates of one part.
constexpr std::size_t kMostPartModes = 80;

/// The text of a file beneath the model's folder.
std::string part_file(const Group& group, std::string_view key, std::string& given) {
  const YamlNode& node = group.need(key, key == "nodes" ? "blade_nodes.txt" : "blade_K.mtx");
  given = read_text(node, key, group.owner());
  const std::filesystem::path folder = std::filesystem::path(*node.place.file).parent_path();
  const std::filesystem::path path = path_beneath(folder.empty() ? "." : folder, given, node.place);
  return at_place(node.place, [&] { return read_file_bytes(path, given, kMostMatrixBytes); });
}

std::vector<int> read_node_numbers(const YamlNode& node, const std::string& owner) {
  std::vector<int> numbers;
  if (node.is_list())
    for (const YamlNode& item : node.items) numbers.push_back(read_count(item, "a node", owner));
  else
    numbers.push_back(read_count(node, "the node", owner));
  if (numbers.empty()) node.fail(fmt::format("{} has no nodes", owner));
  return numbers;
}

void read_part_interfaces(const Group& group, const NodeList& nodes, ComponentInput& input, FlexiblePart& part) {
  const YamlNode* section = group.find("interfaces");
  if (section == nullptr) return;
  for_each_entry(*section, "interfaces", [&](const YamlEntry& entry) {
    const std::string owner = fmt::format("the interface '{}' of {}", shown(entry.key), group.owner());
    const std::vector<int> numbers = read_node_numbers(entry.value, owner);
    ComponentInterface f{entry.key, {}, {}};
    for (const int number : numbers) {
      const auto found = std::find(nodes.number.begin(), nodes.number.end(), number);
      if (found == nodes.number.end())
        entry.value.fail(fmt::format("{} has the node {}, which is not in '{}'", owner, number, part.source.nodes));
      f.nodes.push_back(static_cast<std::size_t>(found - nodes.number.begin()));
      f.at += nodes.at[f.nodes.back()];
    }
    f.at = (1.0 / static_cast<double>(f.nodes.size())) * f.at;
    input.interfaces.push_back(std::move(f));
    part.source.interfaces.emplace_back(entry.key, numbers);
  });
}

void read_part_root(const Group& group, ComponentInput& input, FlexiblePart& part) {
  if (!input.interfaces.empty()) input.root = 0;
  std::vector<std::string> known;
  for (const ComponentInterface& f : input.interfaces) known.push_back(f.name);
  if (const YamlNode* node = group.find("root")) {
    const std::string name = read_text(*node, "root", group.owner());
    const auto found = std::find(known.begin(), known.end(), name);
    input.root.reset();
    if (found != known.end())
      input.root = static_cast<std::size_t>(found - known.begin());
    else if (name != "free")
      node->fail(fmt::format("'{}' is no interface of {}{}; name one that carries the frame, or 'free'", shown(name),
                             group.owner(), suggestion(name, known)));
  }
  if (input.root) part.root = known[*input.root];
}

void take_modes(const ComponentInput& input, const NodeList& nodes, const ComponentModes& m, FlexiblePart& part) {
  part.mass = m.mass, part.first_moment = m.first_moment, part.inertia = m.inertia;
  part.squared_frequency = m.squared_frequency, part.losses = m.losses;
  part.momentum = m.momentum, part.spin = m.spin, part.spin_rate = m.spin_rate;
  part.inertia_rate = m.inertia_rate, part.inertia_second = m.inertia_second;
  for (std::size_t f = 0; f < input.interfaces.size(); ++f) {
    PartInterface i{input.interfaces[f].name, input.interfaces[f].at, m.turns[f], {}, {}};
    for (std::size_t k = 0; k < m.size(); ++k)
      i.shift.push_back(m.interface_shift[k][f]), i.turn.push_back(m.interface_turn[k][f]);
    part.interfaces.push_back(std::move(i));
  }
  for (std::size_t n = 0; n < nodes.at.size(); ++n) {
    PartNode node{nodes.number[n], nodes.at[n], {}};
    for (std::size_t k = 0; k < m.size(); ++k) node.shift.push_back(m.shape[k][n]);
    part.nodes.push_back(std::move(node));
  }
}

}  // namespace

bool is_part(const YamlNode& node) {
  return node.is_map() && (node.find("nodes") != nullptr || node.find("mass_matrix") != nullptr ||
                           node.find("stiffness_matrix") != nullptr);
}

FlexibleBeam declare_part(const YamlNode& node, const std::string& owner) {
  const Group group(node, owner, keys::kFlexiblePart);
  auto part = std::make_shared<FlexiblePart>();
  ComponentInput input;
  input.mass = read_matrix_market(part_file(group, "mass_matrix", part->source.mass), part->source.mass);
  input.stiffness =
      read_matrix_market(part_file(group, "stiffness_matrix", part->source.stiffness), part->source.stiffness);
  if (group.find("damping_matrix") != nullptr)
    input.damping = read_matrix_market(part_file(group, "damping_matrix", part->source.damping), part->source.damping);
  const NodeList nodes = read_node_list(part_file(group, "nodes", part->source.nodes), part->source.nodes);
  input.nodes = nodes.at;
  read_part_interfaces(group, nodes, input, *part);
  read_part_root(group, input, *part);
  const YamlNode& count = group.need("modes", "6");
  part->source.modes = read_count(count, "the number of modes", owner);
  input.modes = static_cast<std::size_t>(part->source.modes);
  const std::size_t total = input.modes + 6 * (input.interfaces.size() - (input.root ? 1 : 0));
  if (total > kMostPartModes)
    throw LimitError(count.place.where(),
                     fmt::format("{} has {} modes, six of them for each interface but the root; the limit is {}", owner,
                                 total, kMostPartModes));
  try {
    take_modes(input, nodes, find_component_modes(input), *part);
  } catch (const ModelError& error) {
    node.fail(fmt::format("{}: {}", owner, error.message()));
  }
  FlexibleBeam flexible;
  flexible.where = node.place.where();
  flexible.modes.push_back({BeamMotion::Part, static_cast<int>(part->squared_frequency.size()), {}});
  flexible.part = std::move(part);
  return flexible;
}

FlexibleBeam read_part(const ModelContext& context, const YamlNode& node, const std::string& owner,
                       FlexibleBeam declared) {
  const Group group(node, owner, keys::kFlexiblePart);
  declared.viscosity = context.scalar(group, "viscosity", measure::kTime);
  if (const YamlNode* damping = group.find("damping")) {
    if (damping->is_list())
      for (const YamlNode& item : damping->items)
        declared.damping.push_back(context.scalar(item, measure::kNumber, "damping", owner));
    else
      declared.damping.push_back(context.scalar(*damping, measure::kNumber, "damping", owner));
    if (declared.damping.size() != 1 && declared.damping.size() != declared.mode_count())
      damping->fail(fmt::format("{} has {} modes but {} damping ratios; give one for all, or one each", owner,
                                declared.mode_count(), declared.damping.size()));
  }
  return declared;
}

YamlNode part_node(const FlexibleBeam& flexible) {
  const FlexiblePart::Source& source = flexible.part->source;
  YamlNode node = yaml_map();
  add_entry(node, "mass_matrix", source.mass);
  add_entry(node, "stiffness_matrix", source.stiffness);
  if (!source.damping.empty()) add_entry(node, "damping_matrix", source.damping);
  add_entry(node, "nodes", source.nodes);
  if (!source.interfaces.empty()) {
    YamlNode interfaces = yaml_map();
    for (const auto& [name, numbers] : source.interfaces) {
      YamlNode list = yaml_list();
      for (const int n : numbers) list.items.push_back(yaml_scalar(std::to_string(n)));
      add_entry(interfaces, name, std::move(list));
    }
    add_entry(node, "interfaces", std::move(interfaces));
  }
  add_entry(node, "root", flexible.part->root.empty() ? "free" : flexible.part->root);
  add_entry(node, "modes", std::to_string(source.modes));
  if (flexible.damping.size() == 1) add_entry(node, "damping", scalar_text(flexible.damping.front()));
  if (flexible.damping.size() > 1) {
    YamlNode ratios = yaml_list();
    for (const Expr& e : flexible.damping) ratios.items.push_back(yaml_scalar(scalar_text(e)));
    add_entry(node, "damping", std::move(ratios));
  }
  if (!flexible.viscosity.is_zero()) add_entry(node, "viscosity", scalar_text(flexible.viscosity));
  std::vector<std::string> names;
  for (const Expr& q : flexible.coordinates) names.push_back(q.name());
  add_entry(node, "coordinates", names_node(names));
  return node;
}

}  // namespace kane
