#include "kane/formats/yaml/read_flexible.hpp"

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/write_parts.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"

namespace kane {
namespace {

constexpr BeamMotion kMotions[] = {BeamMotion::BendY, BeamMotion::BendZ, BeamMotion::Twist, BeamMotion::Stretch};
constexpr BeamShapes kShapes[] = {BeamShapes::Cantilever,    BeamShapes::Pinned, BeamShapes::Clamped,
                                  BeamShapes::ClampedPinned, BeamShapes::Free,   BeamShapes::Polynomial};

constexpr Measure kBending{"a bending stiffness", Dimension{1, 3, -2}, "45 N*m^2"};
constexpr Measure kTorsion{"a torsional stiffness of a section", Dimension{1, 3, -2}, "30 N*m^2"};
constexpr Measure kMassPerLength{"a mass per length", Dimension{1, -1, 0}, "0.8 kg/m"};
constexpr Measure kSection{"a moment of inertia per length", Dimension{1, 1, 0}, "2e-4 kg*m"};

std::string owner_of(const std::string& body) { return fmt::format("the flexible body '{}'", shown(body)); }

BeamShapes read_shape_name(const YamlNode& node, const std::string& owner) {
  const std::string name = read_text(node, "shapes", owner);
  std::vector<std::string> known;
  for (const BeamShapes s : kShapes) {
    if (to_string(s) == name) return s;
    known.emplace_back(to_string(s));
  }
  node.fail(fmt::format("'{}' is not a beam shape{}; known are {}, and lists of expressions of s", shown(name),
                        suggestion(name, known), fmt::join(known, ", ")));
}

int read_mode_count(const YamlNode& node, const std::string& owner) {
  const int count = read_count(node, "the number of modes", owner);
  if (count > kMostBeamModes)
    throw LimitError(node.place.where(), fmt::format("{} has {} modes; the limit is {}", owner, count, kMostBeamModes));
  return count;
}

/// Reads the list of modes; their expressions, if given, are read later.
void read_beam_modes(const Group& group, FlexibleBeam& beam) {
  const YamlNode* shapes = group.find("shapes");
  const YamlNode* modes = group.find("modes");
  if (shapes != nullptr && shapes->is_map()) {
    if (modes != nullptr) modes->fail(fmt::format("{} has its shapes listed, so their number is known", group.owner()));
    const Group lists(*shapes, "the shapes of " + group.owner(), keys::kBeamMotion);
    beam.shapes = BeamShapes::Given;
    for (const BeamMotion motion : kMotions) {
      const YamlNode* list = lists.find(to_string(motion));
      if (list == nullptr) continue;
      if (!list->is_list())
        list->fail(fmt::format("the shapes '{}' of {} must be a list of expressions of s, such as [(s/L)^2, (s/L)^3]",
                               to_string(motion), group.owner()));
      if (list->items.size() > static_cast<std::size_t>(kMostBeamModes))
        throw LimitError(list->place.where(), fmt::format("{} has {} shapes; the limit is {}", group.owner(),
                                                          list->items.size(), kMostBeamModes));
      beam.modes.push_back({motion, static_cast<int>(list->items.size()), {}});
    }
  } else {
    if (shapes != nullptr) beam.shapes = read_shape_name(*shapes, group.owner());
    const YamlNode& counts = group.need("modes", "3");
    if (counts.is_map()) {
      const Group numbers(counts, "the modes of " + group.owner(), keys::kBeamMotion);
      for (const BeamMotion motion : kMotions)
        if (const YamlNode* n = numbers.find(to_string(motion)))
          beam.modes.push_back({motion, read_mode_count(*n, group.owner()), {}});
    } else {
      beam.modes.push_back({BeamMotion::BendY, read_mode_count(counts, group.owner()), {}});
    }
  }
  std::erase_if(beam.modes, [](const BeamModes& m) { return m.count == 0; });
  if (beam.mode_count() == 0)
    group.node().fail(fmt::format("{} has no modes; a body that does not deform needs no 'flexible'", group.owner()));
}

/// One scalar for both directions, or {y: ..., z: ...}.
void read_beam_bending(const ModelContext& context, const Group& group, FlexibleBeam& beam) {
  const YamlNode* node = group.find("EI");
  if (node == nullptr) return;
  if (!node->is_map()) {
    beam.bending_y = beam.bending_z = context.scalar(*node, kBending, "EI", group.owner());
    return;
  }
  const Group both(*node, "the bending stiffness of " + group.owner(), std::span(keys::kBeamMotion).first(2));
  beam.bending_y = context.scalar(both, "y", kBending);
  beam.bending_z = context.scalar(both, "z", kBending);
}

/// Properties may vary with the arc length, which is called s while they are read.
class ArcLength {
 public:
  ArcLength(ModelContext& context, const YamlNode& node) : context_(context) {
    const ScalarName s{context.graph.symbol("s"), Dimensional::known(kLength, true), "arc length", {}};
    const auto [known, fresh] = context.names.emplace("s", s);
    if (!fresh)
      node.fail(
          fmt::format("'s' is the arc length of a beam, so it cannot also be the name of a {} (in {}); rename that",
                      known->second.what, known->second.where.to_string()));
  }
  ArcLength(const ArcLength&) = delete;
  ArcLength& operator=(const ArcLength&) = delete;
  ~ArcLength() { context_.names.erase("s"); }

 private:
  ModelContext& context_;
};

void read_beam_sections(const ModelContext& context, const Group& group, FlexibleBeam& beam) {
  const YamlNode* node = group.find("inertia");
  if (node == nullptr) return;
  if (node->is_list())
    beam.section_inertia = context.vector(*node, kSection, "inertia", group.owner());
  else
    beam.section_inertia[0] = context.scalar(*node, kSection, "inertia", group.owner());
}

void read_beam_damping(const ModelContext& context, const Group& group, FlexibleBeam& beam) {
  beam.viscosity = context.scalar(group, "viscosity", measure::kTime);
  const YamlNode* node = group.find("damping");
  if (node == nullptr) return;
  if (!node->is_list()) {
    beam.damping.push_back(context.scalar(*node, measure::kNumber, "damping", group.owner()));
    return;
  }
  for (const YamlNode& item : node->items)
    beam.damping.push_back(context.scalar(item, measure::kNumber, "damping", group.owner()));
  if (beam.damping.size() != beam.mode_count())
    node->fail(fmt::format("{} has {} modes but {} damping ratios; give one for all, or one each", group.owner(),
                           beam.mode_count(), beam.damping.size()));
}

}  // namespace

void declare_beams(ModelContext& context, const YamlNode& bodies) {
  if (!bodies.is_map()) return;  // said where bodies are read
  for (const YamlEntry& entry : bodies.entries) {
    const YamlNode* node = entry.value.is_map() ? entry.value.find("flexible") : nullptr;
    if (node == nullptr) continue;
    const Group group(*node, owner_of(entry.key), keys::kFlexible);
    FlexibleBeam beam;
    beam.where = node->place.where();
    read_beam_modes(group, beam);
    std::vector<std::string> names;
    if (const YamlNode* given = group.find("coordinates"))
      names = read_names(*given, "an entry", fmt::format("the coordinates of {}", group.owner()));
    at_place(node->place, [&] { name_beam_coordinates(context.graph, entry.key, beam, names); });
    std::size_t i = 0;
    for (const BeamModes& modes : beam.modes) {
      const Dimensional dimension = Dimensional::known(modes.motion == BeamMotion::Twist ? kNone : kLength, true);
      for (int k = 0; k < modes.count; ++k, ++i) {
        context.declare(beam.coordinates[i].name(), "coordinate", beam.coordinates[i], dimension, node->place);
        context.declare(beam.speeds[i].name(), "speed", beam.speeds[i], rate(dimension), node->place);
      }
    }
    context.beams.emplace(entry.key, std::move(beam));
  }
}

FlexibleBeam read_beam(ModelContext& context, const YamlNode& node, const std::string& body) {
  const Group group(node, owner_of(body), keys::kFlexible);
  FlexibleBeam beam = context.beams.at(body);
  beam.length = context.scalar(group.need("length", "1.6 m"), measure::kLength, "length", group.owner());
  const ArcLength arc_length(context, node);
  beam.mass_per_length =
      context.scalar(group.need("mass_per_length", "0.8 kg/m"), kMassPerLength, "mass_per_length", group.owner());
  read_beam_bending(context, group, beam);
  beam.torsion = context.scalar(group, "GJ", kTorsion);
  beam.tension = context.scalar(group, "EA", measure::kForce);
  read_beam_sections(context, group, beam);
  read_beam_damping(context, group, beam);
  if (beam.shapes == BeamShapes::Given) {
    const Group lists(*group.find("shapes"), "the shapes of " + group.owner(), keys::kBeamMotion);
    for (BeamModes& modes : beam.modes)
      for (const YamlNode& item : lists.find(to_string(modes.motion))->items)
        modes.given.push_back(context.scalar(item, measure::kNumber, "a shape", group.owner()));
  }
  if (const YamlNode* premature = group.find("premature"))
    beam.premature = read_flag(*premature, "premature", group.owner());
  if (const YamlNode* exact = group.find("exact")) beam.exact = read_flag(*exact, "exact", group.owner());
  return beam;
}

YamlNode beam_node(const FlexibleBeam& beam) {
  YamlNode node = yaml_map();
  const auto add = [&](const char* key, const Expr& value) {
    if (!value.is_zero()) add_entry(node, key, scalar_text(value));
  };
  add("length", beam.length);
  add("mass_per_length", beam.mass_per_length);
  if (beam.bending_y == beam.bending_z) {
    add("EI", beam.bending_y);
  } else {
    YamlNode both = yaml_map();
    add_entry(both, "y", scalar_text(beam.bending_y));
    add_entry(both, "z", scalar_text(beam.bending_z));
    add_entry(node, "EI", std::move(both));
  }
  add("GJ", beam.torsion);
  add("EA", beam.tension);
  const Expr3& j = beam.section_inertia;
  if (!j[1].is_zero() || !j[2].is_zero())
    add_entry(node, "inertia", vector_node(j));
  else
    add("inertia", j[0]);
  YamlNode modes = yaml_map();
  for (const BeamModes& m : beam.modes) {
    YamlNode list = yaml_list();
    for (const Expr& e : m.given) list.items.push_back(yaml_scalar(scalar_text(e)));
    if (beam.shapes == BeamShapes::Given)
      add_entry(modes, std::string(to_string(m.motion)), std::move(list));
    else
      add_entry(modes, std::string(to_string(m.motion)), std::to_string(m.count));
  }
  if (beam.shapes != BeamShapes::Given) add_entry(node, "shapes", std::string(to_string(beam.shapes)));
  add_entry(node, beam.shapes == BeamShapes::Given ? "shapes" : "modes", std::move(modes));
  if (beam.damping.size() == 1) add("damping", beam.damping.front());
  if (beam.damping.size() > 1) {
    YamlNode ratios = yaml_list();
    for (const Expr& e : beam.damping) ratios.items.push_back(yaml_scalar(scalar_text(e)));
    add_entry(node, "damping", std::move(ratios));
  }
  add("viscosity", beam.viscosity);
  std::vector<std::string> names;
  for (const Expr& q : beam.coordinates) names.push_back(q.name());
  add_entry(node, "coordinates", names_node(names));
  if (beam.premature) add_entry(node, "premature", "true");
  if (beam.exact) add_entry(node, "exact", "true");
  return node;
}

}  // namespace kane
