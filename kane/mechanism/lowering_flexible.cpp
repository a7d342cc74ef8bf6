// Beams: their frames are placed by joints like those of rigid bodies, and what is attached to them goes to a section.

#include <algorithm>
#include <cmath>

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

LoweredSection make_section(const LoweringContext& c, const std::string& body, const Expr& s,
                            const BeamField::Section& section) {
  System& system = c.system;
  const std::string name = fmt::format("{}.section{}", body, c.lowered.sections.size() + 1);
  FrameId frame = c.lowered.body_frames.at(body);
  const PointId centre = system.add_point(name, c.lowered.body_origins.at(body), Vector(frame, section.position));
  int turns = 0;
  for (const Axis axis : {Axis::Z, Axis::Y, Axis::X}) {
    const Expr& angle = section.angles[index(axis)];
    if (angle.is_zero()) continue;
    frame = system.add_frame(fmt::format("{}.f{}", name, ++turns), frame, SimpleRotation{axis, angle});
  }
  if (turns > 0) system.fix_point(centre, frame);
  return {body, s, centre, frame};
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
  c.lowered.beams.emplace(body.name, std::make_shared<const BeamField>(c.system.graph(), *body.flexible, body.name));
}

void place_stations(const LoweringContext& c, const std::string& body) {
  const BeamField* beam = find_beam(c, body);
  if (beam == nullptr) return;
  for (int k = 1; k <= kBeamStations; ++k) {
    const Expr s = beam->beam().length * c.system.graph().number(k, kBeamStations);
    const std::string name = fmt::format("{}.station{}", body, k);
    const PointId p = c.system.add_point(name, c.lowered.body_origins.at(body),
                                         Vector(c.lowered.body_frames.at(body), beam->section(s).position));
    c.lowered.names.add_point(name, p);
    c.lowered.reported_points.emplace_back(name, p);
  }
}

BodyId lower_beam_mass(const LoweringContext& c, const MechanismBody& body) {
  const BeamField& beam = *find_beam(c, body.name);
  FlexibleSpec spec = beam.inertia();
  spec.frame = c.lowered.body_frames.at(body.name);
  spec.origin = c.lowered.body_origins.at(body.name);
  System& s = c.system;
  s.add_potential(body.name + ".strain", beam.strain_energy());
  std::vector<Expr> rates;
  for (const Expr& q : spec.coordinates) rates.push_back(s.rate(q));
  const std::vector<Expr> damping = beam.damping_forces(rates);
  for (std::size_t i = 0; i < damping.size(); ++i)
    if (!damping[i].is_zero()) s.add_coordinate_force(body.name + ".damping", spec.coordinates[i], damping[i]);
  return s.add_flexible_body(body.name, spec);
}

void check_beam_joint(const LoweringContext& c, const Joint& joint) {
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
  const Attachment rigid{c.lowered.body_origins.at(body), c.lowered.body_frames.at(body), position};
  const BeamField* beam = find_beam(c, body);
  if (beam == nullptr) return rigid;
  const Expr& s = position[0];
  check_place(c, *beam, body, s, what);
  const Expr3 offset{0, position[1], position[2]};
  for (const LoweredSection& known : c.lowered.sections)
    if (known.body == body && known.s == s) return {known.centre, known.frame, offset};
  const BeamField::Section section = beam->section(s);
  const bool turns =
      std::any_of(section.angles.begin(), section.angles.end(), [](const Expr& a) { return !a.is_zero(); });
  if (!turns && section.at_rest(s)) return rigid;
  c.lowered.sections.push_back(make_section(c, body, s, section));
  return {c.lowered.sections.back().centre, c.lowered.sections.back().frame, offset};
}

}  // namespace kane
