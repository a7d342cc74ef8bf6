#include "kane/mechanism/beam_diagrams.hpp"

#include <algorithm>
#include <set>

#include "kane/expr/print.hpp"
#include "kane/mechanism/beam_segments.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

struct DiagramKind {
  const char* name;
  const char* what;
  const char* unit;
  const char* function;  ///< a vector
  const char* axis;
};
constexpr DiagramKind kKinds[] = {{"tension", "normal force", "N", "internal_force", "x"},
                                  {"shear_y", "shear force along y", "N", "internal_force", "y"},
                                  {"shear_z", "shear force along z", "N", "internal_force", "z"},
                                  {"torque", "torque", "N*m", "internal_moment", "x"},
                                  {"moment_y", "bending moment about y", "N*m", "internal_moment", "y"},
                                  {"moment_z", "bending moment about z", "N*m", "internal_moment", "z"}};

bool has_motion(const FlexibleBeam& beam, BeamMotion motion) {
  return std::any_of(beam.modes.begin(), beam.modes.end(),
                     [&](const BeamModes& m) { return m.motion == motion && m.count > 0; });
}

/// Whether the modes of a beam can have this.
bool has_kind(const FlexibleBeam& beam, std::string_view name) {
  if (name == "tension") return has_motion(beam, BeamMotion::Stretch);
  if (name == "torque") return has_motion(beam, BeamMotion::Twist);
  if (name == "shear_y" || name == "moment_z") return has_motion(beam, BeamMotion::BendY);
  return has_motion(beam, BeamMotion::BendZ);
}

/// The whole length, with the segments that continue the beam.
double length_of(const Mechanism& m, const MechanismBody& body, const Values& parameters) {
  double sum = 0;
  std::set<std::string> seen;
  for (const MechanismBody* b = &body; b != nullptr && b->flexible && seen.insert(b->name).second;) {
    sum += evaluate(m.graph->bind(b->flexible->length), parameters, table_functions(m));
    b = b->flexible->continued_by.empty() ? nullptr : m.find_body(b->flexible->continued_by);
  }
  return sum;
}

}  // namespace

void add_beam_diagrams(Mechanism& m, const std::string& body, const Expr& length, int segments,
                       const BeamDiagramRequest& request) {
  const MechanismBody* found = m.find_body(body);
  require_at(request.where, found != nullptr && found->flexible && !found->flexible->part,
             "'{}' is not a beam, so it has no diagrams", body);
  require_at(request.where, request.sections >= 1 && request.sections <= kMostDiagramSections,
             "the diagrams of the beam '{}' are to have {} sections; 1 to {} are possible", body, request.sections,
             kMostDiagramSections);
  require_at(request.where, request.fibres.empty() || !request.modulus.is_zero(),
             "the diagrams of the beam '{}' have fibres but no 'modulus' (Young's), which their stress needs", body);
  const auto place = [&](int k) { return to_text(m.graph->bind(m.graph->number(k, request.sections) * length)); };
  const auto add = [&](const std::string& name, const std::string& text) {
    m.outputs.push_back({name, {text, request.where}});
  };
  for (const DiagramKind& kind : kKinds) {
    if (!has_kind(*found->flexible, kind.name)) continue;
    for (int k = 0; k <= request.sections; ++k) {
      // The segment that internal forces are taken from, whose frame has their components.
      const int segment = std::max(1, (k * segments + request.sections - 1) / request.sections);
      add(fmt::format("{}.{}{}", body, kind.name, k),
          fmt::format("dot({}({}, {}), {}.{})", kind.function, body, place(k), segment_name(body, segment), kind.axis));
    }
  }
  for (std::size_t f = 0; f < request.fibres.size(); ++f) {
    const auto text = [&](const Expr& e) { return to_text(m.graph->bind(e)); };
    for (int k = 0; k <= request.sections; ++k)
      add(fmt::format("{}.stress{}_{}", body, f + 1, k),
          fmt::format("stress({}, {}, {}, {}, {})", body, place(k), text(request.modulus), text(request.fibres[f].y),
                      text(request.fibres[f].z)));
  }
}

std::vector<BeamDiagram> find_beam_diagrams(const Mechanism& m, const Values& parameters) {
  std::set<std::string> outputs;
  for (const NamedQuantity& o : m.outputs) outputs.insert(o.name);
  std::vector<BeamDiagram> all;
  const auto look = [&](const MechanismBody& body, const std::string& stem, const std::string& what, const char* unit) {
    BeamDiagram d{body.name, what, unit, {}, {}};
    for (int k = 0; k <= kMostDiagramSections && outputs.contains(stem + std::to_string(k)); ++k)
      d.outputs.push_back(stem + std::to_string(k));
    if (d.outputs.size() < 2) return false;
    const double length = length_of(m, body, parameters);
    for (std::size_t k = 0; k < d.outputs.size(); ++k)
      d.s.push_back(length * static_cast<double>(k) / static_cast<double>(d.outputs.size() - 1));
    all.push_back(std::move(d));
    return true;
  };
  for (const MechanismBody& body : m.bodies) {
    if (!body.flexible || body.flexible->part) continue;
    for (const DiagramKind& kind : kKinds) (void)look(body, body.name + "." + kind.name, kind.what, kind.unit);
    for (int f = 1; look(body, fmt::format("{}.stress{}_", body.name, f), fmt::format("stress in fibre {}", f), "Pa");)
      ++f;
  }
  return all;
}

}  // namespace kane
