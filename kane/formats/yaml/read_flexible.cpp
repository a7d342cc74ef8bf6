#include "kane/formats/yaml/read_flexible.hpp"

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_part.hpp"
#include "kane/formats/yaml/write_parts.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanism/beam_diagrams.hpp"
#include "kane/mechanism/beam_elements.hpp"
#include "kane/mechanism/beam_segments.hpp"

namespace kane {
namespace {

constexpr BeamMotion kMotions[] = {BeamMotion::BendY,   BeamMotion::BendZ,  BeamMotion::Twist,
                                   BeamMotion::Stretch, BeamMotion::ShearY, BeamMotion::ShearZ};
constexpr BeamShapes kShapes[] = {BeamShapes::Cantilever,    BeamShapes::Pinned, BeamShapes::Clamped,
                                  BeamShapes::ClampedPinned, BeamShapes::Free,   BeamShapes::Polynomial};

constexpr Measure kBending{"a bending stiffness", Dimension{1, 3, -2}, "45 N*m^2"};
constexpr Measure kTorsion{"a torsional stiffness of a section", Dimension{1, 3, -2}, "30 N*m^2"};
constexpr Measure kMassPerLength{"a mass per length", Dimension{1, -1, 0}, "0.8 kg/m"};
constexpr Measure kModulus{"Young's modulus", Dimension{1, -1, -2}, "210 GPa"};
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

/// As many modes of shear as of bending, where their number is not given.
void add_shear_modes(FlexibleBeam& beam) {
  for (const auto& [bending, shear] :
       {std::pair{BeamMotion::BendY, BeamMotion::ShearY}, std::pair{BeamMotion::BendZ, BeamMotion::ShearZ}}) {
    int count = 0;
    bool given = false;
    for (const BeamModes& m : beam.modes) {
      if (m.motion == bending) count = m.count;
      given = given || m.motion == shear;
    }
    if (!given && count > 0) beam.modes.push_back({shear, count, {}});
  }
}

/// 'elements: 4', or the arc lengths where they meet, which are read later.
void read_elements(const Group& group, FlexibleBeam& beam) {
  const YamlNode* node = group.find("elements");
  if (node == nullptr) return;
  beam.elements = node->is_list() ? static_cast<int>(node->items.size()) + 1
                                  : read_count(*node, "the number of elements", group.owner());
  if (beam.elements < 1 || beam.elements > kMostBeamModes)
    node->fail(
        fmt::format("{} is to have {} elements; 1 to {} are possible", group.owner(), beam.elements, kMostBeamModes));
}

/// The modes given are those within every element; those of the nodes come in addition.
void count_element_modes(const Group& group, FlexibleBeam& beam) {
  const YamlNode& node = *group.find("elements");
  if (beam.shapes == BeamShapes::Given || beam.shapes == BeamShapes::Free)
    node.fail(fmt::format(
        "{} has elements, so its shapes say what its ends do: cantilever, pinned, clamped or "
        "clamped-pinned{}",
        group.owner(), beam.shapes == BeamShapes::Free ? "; a beam in flight is a cantilever on a free joint" : ""));
  if (beam.shapes == BeamShapes::Polynomial) beam.shapes = BeamShapes::Cantilever;
  for (BeamModes& m : beam.modes) {
    m.inner = m.count;
    m.count = count_element_shapes(beam.shapes, m.motion, beam.elements, m.inner);
    if (m.count > kMostBeamModes)
      throw LimitError(node.place.where(), fmt::format("{} has {} modes ({}) in its elements; the limit is {}",
                                                       group.owner(), m.count, to_string(m.motion), kMostBeamModes));
  }
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
    if (group.find("GA") != nullptr) add_shear_modes(beam);
  }
  if (beam.elements > 0) count_element_modes(group, beam);
  std::erase_if(beam.modes, [](const BeamModes& m) { return m.count == 0; });
  if (beam.mode_count() == 0)
    group.node().fail(fmt::format("{} has no modes; a body that does not deform needs no 'flexible'", group.owner()));
}

/// One scalar for both directions, or {y: ..., z: ...}.
void read_both_directions(const ModelContext& context, const Group& group, const char* key, const Measure& measure,
                          Expr& y, Expr& z) {
  const YamlNode* node = group.find(key);
  if (node == nullptr) return;
  if (!node->is_map()) {
    y = z = context.scalar(*node, measure, key, group.owner());
    return;
  }
  const Group both(*node, fmt::format("'{}' of {}", key, group.owner()), std::span(keys::kBeamMotion).first(2));
  y = context.scalar(both, "y", measure);
  z = context.scalar(both, "z", measure);
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

/// Where the mass centres of sections are: [y, z].
void read_beam_offset(const ModelContext& context, const Group& group, FlexibleBeam& beam) {
  const YamlNode* node = group.find("offset");
  if (node == nullptr) return;
  if (!node->is_list() || node->items.size() != 2)
    node->fail(fmt::format("the offset of {} must be [y, z], the place of a section's mass centre beside the axis",
                           group.owner()));
  for (std::size_t k = 0; k < 2; ++k)
    beam.offset[k] = context.scalar(node->items[k], measure::kLength, "offset", group.owner());
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

int read_segments(const Group& group) {
  const YamlNode* node = group.find("segments");
  if (node == nullptr) return 1;
  const int count = read_count(*node, "the number of segments", group.owner());
  if (count < 1 || count > kMostBeamSegments)
    node->fail(fmt::format("{} is to have {} segments; 1 to {} are possible", group.owner(), count, kMostBeamSegments));
  return count;
}

/// 'diagrams: 10', or {sections: 10, modulus: E, fibres: [[h/2, 0]]}.
BeamDiagramRequest read_diagrams(const ModelContext& context, const YamlNode& node, const std::string& flexible) {
  BeamDiagramRequest request;
  request.where = node.place.where();
  const std::string owner = "the diagrams of " + flexible;
  if (!node.is_map()) {
    request.sections = read_count(node, "the number of sections", owner);
    return request;
  }
  const Group group(node, owner, keys::kDiagrams);
  if (const YamlNode* n = group.find("sections")) request.sections = read_count(*n, "the number of sections", owner);
  request.modulus = context.scalar(group, "modulus", kModulus);
  const YamlNode* fibres = group.find("fibres");
  if (fibres == nullptr) return request;
  if (!fibres->is_list()) fibres->fail(fmt::format("'fibres' of {} must be a list of places [y, z]", owner));
  for (const YamlNode& fibre : fibres->items) {
    if (!fibre.is_list() || fibre.items.size() != 2)
      fibre.fail(fmt::format("a fibre of {} must be a place [y, z] of the section, such as [h/2, 0]", owner));
    request.fibres.push_back({context.scalar(fibre.items[0], measure::kLength, "y of a fibre", owner),
                              context.scalar(fibre.items[1], measure::kLength, "z of a fibre", owner)});
  }
  return request;
}

void declare_beam_symbols(ModelContext& context, const FlexibleBeam& beam, const YamlPlace& place) {
  std::size_t i = 0;
  for (const BeamModes& modes : beam.modes) {
    const Dimensional dimension = Dimensional::known(modes.motion == BeamMotion::Twist ? kNone : kLength, true);
    for (int k = 0; k < modes.count; ++k, ++i) {
      context.declare(beam.coordinates[i].name(), "coordinate", beam.coordinates[i], dimension, place);
      context.declare(beam.speeds[i].name(), "speed", beam.speeds[i], rate(dimension), place);
    }
  }
}

}  // namespace

void declare_beams(ModelContext& context, const YamlNode& bodies) {
  if (!bodies.is_map()) return;  // said where bodies are read
  for (const YamlEntry& entry : bodies.entries) {
    const YamlNode* node = entry.value.is_map() ? entry.value.find("flexible") : nullptr;
    if (node == nullptr) continue;
    FlexibleBeam beam;
    const std::string owner = owner_of(entry.key);
    int segments = 1;
    if (is_part(*node)) {
      beam = declare_part(*node, owner);
    } else {
      const Group group(*node, owner, keys::kFlexible);
      beam.where = node->place.where();
      segments = read_segments(group);
      if (segments > 1) beam.shapes = BeamShapes::Polynomial;  // unless others are given
      read_elements(group, beam);
      read_beam_modes(group, beam);
    }
    std::vector<std::string> names;
    if (const YamlNode* given = node->find("coordinates")) {
      names = read_names(*given, "an entry", fmt::format("the coordinates of {}", owner));
      if (segments > 1)
        given->fail(fmt::format("the coordinates of the segments of {} have names of their own", owner));
    }
    for (int k = segments; k >= 1; --k) {
      const std::string body = segment_name(entry.key, k);
      at_place(node->place, [&] { name_beam_coordinates(context.graph, body, beam, names); });
      declare_beam_symbols(context, beam, node->place);
      context.beams.insert_or_assign(body, beam);
    }
  }
}

void cut_beams(ModelContext& context, const YamlNode& bodies) {
  for (const YamlEntry& entry : bodies.entries) {
    const YamlNode* node = entry.value.is_map() ? entry.value.find("flexible") : nullptr;
    if (node == nullptr || is_part(*node)) continue;
    const int count = read_segments(Group(*node, owner_of(entry.key), keys::kFlexible));
    const Expr length = context.mechanism.find_body(entry.key)->flexible->length;
    if (count > 1) at_place(node->place, [&] { cut_into_segments(context.mechanism, entry.key, count); });
    if (const YamlNode* diagrams = node->find("diagrams"))
      add_beam_diagrams(context.mechanism, entry.key, length, count,
                        read_diagrams(context, *diagrams, owner_of(entry.key)));
  }
}

FlexibleBeam read_beam(ModelContext& context, const YamlNode& node, const std::string& body) {
  if (is_part(node)) return read_part(context, node, owner_of(body), context.beams.at(body));
  const Group group(node, owner_of(body), keys::kFlexible);
  FlexibleBeam beam = context.beams.at(body);
  beam.length = context.scalar(group.need("length", "1.6 m"), measure::kLength, "length", group.owner());
  if (beam.elements > 0) {
    const YamlNode& given = *group.find("elements");
    for (const YamlNode& item : given.items)
      beam.breaks.push_back(context.scalar(item, measure::kLength, "elements", group.owner()));
    for (int k = 1; !given.is_list() && k < beam.elements; ++k)
      beam.breaks.push_back(beam.length * context.graph.number(k, beam.elements));
  }
  const ArcLength arc_length(context, node);
  beam.mass_per_length =
      context.scalar(group.need("mass_per_length", "0.8 kg/m"), kMassPerLength, "mass_per_length", group.owner());
  read_both_directions(context, group, "EI", kBending, beam.bending_y, beam.bending_z);
  read_both_directions(context, group, "GA", measure::kForce, beam.shear_y, beam.shear_z);
  beam.torsion = context.scalar(group, "GJ", kTorsion);
  beam.tension = context.scalar(group, "EA", measure::kForce);
  read_beam_sections(context, group, beam);
  read_beam_offset(context, group, beam);
  read_beam_damping(context, group, beam);
  if (beam.shapes == BeamShapes::Given) {
    const Group lists(*group.find("shapes"), "the shapes of " + group.owner(), keys::kBeamMotion);
    for (BeamModes& modes : beam.modes)
      for (const YamlNode& item : lists.find(to_string(modes.motion))->items)
        modes.given.push_back(context.scalar(item, measure::kNumber, "a shape", group.owner()));
  }
  if (const YamlNode* next = group.find("continued_by"))
    beam.continued_by = read_name(*next, "continued_by", group.owner());
  if (const YamlNode* premature = group.find("premature"))
    beam.premature = read_flag(*premature, "premature", group.owner());
  if (const YamlNode* coupled = group.find("coupled")) beam.coupled = read_flag(*coupled, "coupled", group.owner());
  if (const YamlNode* exact = group.find("exact")) beam.exact = read_flag(*exact, "exact", group.owner());
  return beam;
}

YamlNode beam_node(const FlexibleBeam& beam) {
  if (beam.part) return part_node(beam);
  YamlNode node = yaml_map();
  const auto add = [&](const char* key, const Expr& value) {
    if (!value.is_zero()) add_entry(node, key, scalar_text(value));
  };
  add("length", beam.length);
  add("mass_per_length", beam.mass_per_length);
  const auto add_both = [&](const char* key, const Expr& y, const Expr& z) {
    if (y == z) return add(key, y);
    YamlNode both = yaml_map();
    add_entry(both, "y", scalar_text(y));
    add_entry(both, "z", scalar_text(z));
    add_entry(node, key, std::move(both));
  };
  add_both("EI", beam.bending_y, beam.bending_z);
  add_both("GA", beam.shear_y, beam.shear_z);
  add("GJ", beam.torsion);
  add("EA", beam.tension);
  const Expr3& j = beam.section_inertia;
  if (!j[1].is_zero() || !j[2].is_zero())
    add_entry(node, "inertia", vector_node(j));
  else
    add("inertia", j[0]);
  if (!beam.offset[0].is_zero() || !beam.offset[1].is_zero()) {
    YamlNode offset = yaml_list();
    for (const Expr& e : beam.offset) offset.items.push_back(yaml_scalar(scalar_text(e)));
    add_entry(node, "offset", std::move(offset));
  }
  if (beam.elements > 0) {
    YamlNode breaks = yaml_list();
    for (const Expr& e : beam.breaks) breaks.items.push_back(yaml_scalar(scalar_text(e)));
    if (breaks.items.empty())
      add_entry(node, "elements", "1");
    else
      add_entry(node, "elements", std::move(breaks));
  }
  YamlNode modes = yaml_map();
  for (const BeamModes& m : beam.modes) {
    YamlNode list = yaml_list();
    for (const Expr& e : m.given) list.items.push_back(yaml_scalar(scalar_text(e)));
    if (beam.shapes == BeamShapes::Given)
      add_entry(modes, std::string(to_string(m.motion)), std::move(list));
    else
      add_entry(modes, std::string(to_string(m.motion)), std::to_string(beam.elements > 0 ? m.inner : m.count));
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
  if (!beam.continued_by.empty()) add_entry(node, "continued_by", beam.continued_by);
  if (beam.premature) add_entry(node, "premature", "true");
  if (beam.coupled) add_entry(node, "coupled", "true");
  if (beam.exact) add_entry(node, "exact", "true");
  return node;
}

}  // namespace kane
