// Beams and parts from finite elements: their frames are placed by joints like those of rigid bodies, and what is attached
// to them goes to a section of the beam, or to an interface or a node of the part.

#include <algorithm>
#include <cmath>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

const BeamField* find_beam(const LoweringContext& c, const std::string& body) {
  const auto found = c.lowered.beams.find(body);
  return found == c.lowered.beams.end() ? nullptr : found->second.get();
}

const PartField* find_part(const LoweringContext& c, const std::string& body) {
  const auto found = c.lowered.parts.find(body);
  return found == c.lowered.parts.end() ? nullptr : found->second.get();
}

/// A position on a part: a fixed place.
Vec3 place_on_part(const LoweringContext& c, const std::string& body, const Expr3& position, const std::string& what) {
  Vec3 at;
  for (std::size_t k = 0; k < 3; ++k) {
    const Expr e = c.system.graph().bind(position[k]);
    for (const Expr& symbol : symbols_of({&e, 1}))
      require(c.system.find_kind(symbol.name()) == SymbolKind::Parameter,
              "{} slides on the part '{}' ({}); parts from finite elements have fixed places only", what, body,
              symbol.name());
    at[k] = evaluate(e, parameter_values(c.mechanism), table_functions(c.mechanism));
  }
  return at;
}

/// The places x where the elements of a beam meet, with the parameters as they are.
std::vector<double> places_of_breaks(const LoweringContext& c, const FlexibleBeam& beam) {
  std::vector<double> all;
  for (const Expr& s : beam.breaks)
    all.push_back(
        evaluate(c.system.graph().bind(s) / beam.length, parameter_values(c.mechanism), table_functions(c.mechanism)));
  return all;
}

/// The places x where the properties of a beam that are tables of the arc length have corners.
std::vector<double> places_of_knots(const LoweringContext& c, const FlexibleBeam& beam) {
  constexpr std::size_t kMostKnots = 60;  // beyond these, stations lie so close that their corners are no matter
  constexpr double kStraight = 1e-9;
  Graph& graph = c.system.graph();
  const Values values = parameter_values(c.mechanism);
  const FunctionTable functions = table_functions(c.mechanism);
  const Expr s = graph.symbol("s");
  std::vector<Expr> properties;
  for (const Expr* e : {&beam.mass_per_length, &beam.bending_y, &beam.bending_z, &beam.shear_y, &beam.shear_z,
                        &beam.torsion, &beam.tension, &beam.section_inertia[0], &beam.section_inertia[1],
                        &beam.section_inertia[2], &beam.offset[0], &beam.offset[1]})
    if (e->graph() != nullptr) properties.push_back(*e);
  std::vector<double> knots;
  for (const NodeId id : topological_order(properties)) {
    if (graph.op(id) != Op::Call) continue;
    const auto table = std::find_if(c.mechanism.tables.begin(), c.mechanism.tables.end(),
                                    [&](const Table& t) { return t.name == graph.name(id); });
    const Expr argument = graph.at(graph.args(id)[0]);
    if (table == c.mechanism.tables.end() || !depends_on(argument, s)) continue;
    const auto at = [&](double x) {
      Substitution place;
      place.set(s, graph.number(rational_from_double(x)) * beam.length);
      return evaluate(substitute(argument, place), values, functions);
    };
    const double first = at(0), rise = at(1) - first;
    if (!(std::abs(rise) > 0) || std::abs(at(0.5) - first - rise / 2) > kStraight * std::abs(rise)) continue;
    for (const double knot : table->x) {
      const double x = (knot - first) / rise;
      if (x > 0 && x < 1) knots.push_back(x);
    }
  }
  std::sort(knots.begin(), knots.end());
  if (knots.size() > kMostKnots) knots.clear();
  return knots;
}

/// s/length with the parameters as they are; nothing if it depends on the state.
std::optional<double> place_on_beam(const LoweringContext& c, const BeamField& beam, const Expr& s) {
  const Expr x = c.system.graph().bind(s) / beam.beam().length;
  for (const Expr& symbol : symbols_of({&x, 1}))
    if (c.system.find_kind(symbol.name()) != SymbolKind::Parameter) return std::nullopt;
  return evaluate(x, parameter_values(c.mechanism), table_functions(c.mechanism));
}

void check_place(const LoweringContext& c, const BeamField& beam, const std::string& body, const Expr& s,
                 const std::string& what) {
  const std::optional<double> x = place_on_beam(c, beam, s);
  constexpr double kSlack = 1e-9;
  require(!x || (*x >= -kSlack && *x <= 1 + kSlack),
          "{} is attached to the beam '{}' at s = {:.6g} of its length; the beam begins at 0 and ends at 1", what, body,
          x.value_or(0));
}

LoweredSection make_section(const LoweringContext& c, const std::string& body, const Expr& s, const Expr3& position,
                            const Expr3& angles) {
  System& system = c.system;
  const std::string name = fmt::format("{}.section{}", body, c.lowered.sections.size() + 1);
  FrameId frame = c.lowered.body_frames.at(body);
  const PointId centre = system.add_point(name, c.lowered.body_origins.at(body), Vector(frame, position));
  int turns = 0;
  for (const Axis axis : {Axis::Z, Axis::Y, Axis::X}) {
    const Expr& angle = angles[index(axis)];
    if (angle.is_zero()) continue;
    frame = system.add_frame(fmt::format("{}.f{}", name, ++turns), frame, SimpleRotation{axis, angle});
  }
  if (turns > 0) system.fix_point(centre, frame);
  return {body, s, centre, frame, position, angles};
}

/// The attachment at a section.
Attachment at_section(const LoweringContext& c, const std::string& body, const Expr3& position, std::size_t section,
                      const Expr3& offset) {
  c.lowered.attachments.push_back({body, position, section, offset});
  return {c.lowered.sections[section].centre, c.lowered.sections[section].frame, offset};
}

Attachment at_frame(const LoweringContext& c, const std::string& body, const Expr3& position) {
  c.lowered.attachments.push_back({body, position, std::nullopt, position});
  return {c.lowered.body_origins.at(body), c.lowered.body_frames.at(body), position};
}

/// On a part: at the interface or node that is there. What hangs on a node alone does not turn with it, so bodies need an
/// interface.
Attachment attach_to_part(const LoweringContext& c, const PartField& part, const std::string& body,
                          const Expr3& position, const std::string& what) {
  const PartField::Place place = part.find_place(place_on_part(c, body, position, what), what);
  if (place.at_rest) return at_frame(c, body, position);
  require(
      place.turns || !what.starts_with("the joint"),
      "{} is attached to the part '{}' at '{}', a single node, which does not say how it turns; make the nodes around "
      "it an interface",
      what, body, place.name);
  const Expr key = c.system.graph().symbol(fmt::format("{}.{}", body, place.name));
  const auto& sections = c.lowered.sections;
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (sections[i].body == body && sections[i].s == key) return at_section(c, body, position, i, {});
  c.lowered.sections.push_back(make_section(c, body, key, place.position, place.angles));
  return at_section(c, body, position, sections.size() - 1, {});
}

void check_part_joint(const LoweringContext& c, const PartField& part, const Joint& joint) {
  const std::string what = fmt::format("the joint '{}'", joint.name);
  const bool moves = part.moves(place_on_part(c, joint.child, joint.on_child.position, what));
  require(joint.kind == "free" || !moves,
          "the joint '{}' holds the part '{}' at a place that its modes move; name the interface there as 'root', or "
          "place the part by a free joint and let a closing joint (close: true) hold it there",
          joint.name, joint.child);
}

/// Motors, springs and dampers along a joint's motions.
bool drives(const Mechanism& m, const Joint& joint) {
  for (const ElementaryMotion& motion : joint.motions)
    if (!is_empty(motion.law) || !motion.law.law.empty() || !motion.law.friction.is_zero()) return true;
  return std::any_of(m.loads.begin(), m.loads.end(), [&](const Load& load) {
    const auto* own = std::get_if<JointLoad>(&load.what);
    return own != nullptr && own->joint == joint.name;
  });
}

}  // namespace

void lower_beam(const LoweringContext& c, const MechanismBody& body) {
  if (body.flexible->part)
    c.lowered.parts.emplace(body.name, std::make_shared<const PartField>(c.system.graph(), *body.flexible, body.name));
  else
    c.lowered.beams.emplace(
        body.name,
        std::make_shared<const BeamField>(
            c.system.graph(), *body.flexible, body.name, places_of_breaks(c, *body.flexible),
            [&](const Expr& e) { return evaluate(e, parameter_values(c.mechanism), table_functions(c.mechanism)); },
            places_of_knots(c, *body.flexible)));
}

void place_stations(const LoweringContext& c, const std::string& body) {
  const auto report = [&](const std::string& name, const Expr3& position) {
    const PointId p =
        c.system.add_point(name, c.lowered.body_origins.at(body), Vector(c.lowered.body_frames.at(body), position));
    c.lowered.names.add_point(name, p);
    c.lowered.reported_points.emplace_back(name, p);
  };
  if (const PartField* part = find_part(c, body))
    for (const PartInterface& f : part->part().interfaces)
      report(fmt::format("{}.{}", body, f.name), part->place_of(f).position);
  const BeamField* beam = find_beam(c, body);
  if (beam == nullptr) return;
  for (int k = 1; k <= kBeamStations; ++k) {
    const Expr s = beam->beam().length * c.system.graph().number(k, kBeamStations);
    report(fmt::format("{}.station{}", body, k), beam->section(s).position);
  }
}

namespace {

/// Whether some free motion turns or moves the frame of a body.
bool is_placed_freely(const Mechanism& m, std::string body) {
  for (std::size_t k = 0; k <= m.joints.size(); ++k) {
    const auto joint =
        std::find_if(m.joints.begin(), m.joints.end(), [&](const Joint& j) { return !j.closing && j.child == body; });
    if (joint == m.joints.end()) return false;
    if (std::any_of(joint->motions.begin(), joint->motions.end(), [](const auto& motion) { return motion.free; }))
      return true;
    const MechanismBody* parent = m.find_body(joint->parent);
    if (parent != nullptr && parent->flexible) return true;
    body = joint->parent;
  }
  return false;
}

template <class Field>
BodyId add_flexible_mass(const LoweringContext& c, const MechanismBody& body, const Field& field, FlexibleSpec spec) {
  spec.frame = c.lowered.body_frames.at(body.name);
  spec.origin = c.lowered.body_origins.at(body.name);
  System& s = c.system;
  s.add_potential(body.name + ".strain", field.strain_energy());
  std::vector<Expr> rates;
  for (const Expr& q : spec.coordinates) rates.push_back(s.rate(q));
  const std::vector<Expr> damping = field.damping_forces(rates);
  for (std::size_t i = 0; i < damping.size(); ++i)
    if (!damping[i].is_zero()) s.add_coordinate_force(body.name + ".damping", spec.coordinates[i], damping[i]);
  return s.add_flexible_body(body.name, spec);
}

}  // namespace

BodyId lower_beam_mass(const LoweringContext& c, const MechanismBody& body) {
  if (const PartField* part = find_part(c, body.name)) return add_flexible_mass(c, body, *part, part->inertia());
  const BeamField& beam = *find_beam(c, body.name);
  return add_flexible_mass(c, body, beam, beam.inertia(is_placed_freely(c.mechanism, body.name)));
}

void check_beam_joint(const LoweringContext& c, const Joint& joint) {
  if (const PartField* part = find_part(c, joint.child)) check_part_joint(c, *part, joint);
  const BeamField* beam = find_beam(c, joint.child);
  if (beam == nullptr) return;
  const Expr& s = joint.on_child.position[0];
  check_place(c, *beam, joint.child, s, fmt::format("the joint '{}'", joint.name));
  const BeamField::Section section = beam->section(s);
  const bool free = joint.kind == "free";
  require(
      free || section.at_rest(s),
      "the joint '{}' holds the beam '{}' at a point that its {} modes move; use modes that leave this point at rest, "
      "or place the beam by a free joint and let a closing joint (close: true) hold it there",
      joint.name, joint.child, to_string(beam->beam().shapes));
  const bool turns =
      std::any_of(section.angles.begin(), section.angles.end(), [](const Expr& a) { return !a.is_zero(); });
  require(
      !turns || !drives(c.mechanism, joint),
      "the joint '{}' has a motor, a spring or a damper on the beam '{}', at a point where its {} modes turn it; use "
      "modes that are clamped there",
      joint.name, joint.child, to_string(beam->beam().shapes));
}

Attachment attach(const LoweringContext& c, const std::string& body, const Expr3& position, const std::string& what) {
  if (const PartField* part = find_part(c, body)) return attach_to_part(c, *part, body, position, what);
  const BeamField* beam = find_beam(c, body);
  if (beam == nullptr) return {c.lowered.body_origins.at(body), c.lowered.body_frames.at(body), position};
  const Expr& s = position[0];
  check_place(c, *beam, body, s, what);
  const Expr3 offset{0, position[1], position[2]};
  const auto& sections = c.lowered.sections;
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (sections[i].body == body && sections[i].s == s) return at_section(c, body, position, i, offset);
  const BeamField::Section section = beam->section(s);
  const bool turns =
      std::any_of(section.angles.begin(), section.angles.end(), [](const Expr& a) { return !a.is_zero(); });
  if (!turns && section.at_rest(s)) return at_frame(c, body, position);
  c.lowered.sections.push_back(make_section(c, body, s, section.position, section.angles));
  return at_section(c, body, position, sections.size() - 1, offset);
}

}  // namespace kane
