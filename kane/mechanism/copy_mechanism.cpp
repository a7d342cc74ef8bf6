#include "kane/mechanism/copy_mechanism.hpp"

#include "kane/expr/substitution.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

namespace {

/// Visits every expression of a mechanism.
template <class Visit>
class ExpressionWalk {
 public:
  explicit ExpressionWalk(Visit visit) : visit_(visit) {}

  void all(Mechanism& m) {
    for (auto& p : m.parameters) one(p.symbol), one(p.value);
    for (auto& p : m.inputs) one(p.symbol), one(p.value);
    for (auto& b : m.bodies) {
      one(b.mass), one(b.mass_centre), one(b.inertia);
      for (auto& s : b.shapes) many(s.sizes), one(s.place);
      if (b.flexible) one(*b.flexible);
    }
    for (auto& p : m.particles) one(p.mass), one(p.at);
    for (auto& p : m.points) one(p.at);
    for (auto& f : m.frames) one(f.place);
    for (auto& j : m.joints) {
      one(j.on_parent), one(j.on_child);
      for (auto& motion : j.motions) one(motion);
    }
    for (auto& l : m.loads) std::visit([this](auto& what) { load(what); }, l.what);
    for (auto& c : m.constraints) {
      if (auto* distance = std::get_if<DistanceConstraint>(&c.what)) one(distance->length);
      if (auto* gear = std::get_if<GearConstraint>(&c.what)) {
        one(gear->first_size), one(gear->second_size), one(gear->offset);
      }
    }
    many(m.extra_coordinates);
    for (auto& [name, law] : m.initial_laws) one(law);
  }

 private:
  void one(Expr& e) { visit_(e); }
  void one(std::optional<Expr>& e) {
    if (e) visit_(*e);
  }
  void one(Expr3& v) {
    for (auto& e : v) visit_(e);
  }
  void one(Expr33& m) {
    for (auto& row : m) one(row);
  }
  void one(Placement& p) { one(p.position), one(p.rotation); }
  void many(std::vector<Expr>& es) {
    for (auto& e : es) visit_(e);
  }
  void one(AxisLaw& l) {
    one(l.stiffness), one(l.rest), one(l.damping), one(l.friction), one(l.lower), one(l.upper), one(l.restitution);
    one(l.stop_stiffness), one(l.stop_damping), one(l.max_force), one(l.max_speed), one(l.actuator);
  }
  void one(FlexibleBeam& b) {
    one(b.length), one(b.mass_per_length), one(b.bending_y), one(b.bending_z), one(b.torsion), one(b.tension);
    one(b.shear_y), one(b.shear_z), one(b.offset[0]), one(b.offset[1]);
    one(b.section_inertia), one(b.viscosity), many(b.damping), many(b.breaks), many(b.coordinates), many(b.speeds);
    for (auto& modes : b.modes) many(modes.given);
  }
  void one(ElementaryMotion& m) {
    one(m.axis), many(m.coordinates), many(m.speeds), one(m.value), one(m.pitch), one(m.law);
  }
  void load(ForceLoad&) {}
  void load(TorqueLoad&) {}
  void load(SpringLoad& l) { one(l.stiffness), one(l.length), one(l.damping); }
  void load(JointLoad& l) { one(l.law); }
  void load(InverseSquareLoad& l) { one(l.mu); }

  Visit visit_;
};

}  // namespace

Mechanism copy_mechanism(const Mechanism& mechanism) {
  Mechanism copy = mechanism;
  copy.graph = std::make_shared<Graph>();
  for (const auto& table : copy.tables) declare_table(*copy.graph, table);
  ExpressionWalk([&](Expr& e) {
    if (e.graph() != nullptr) e = copy_to(*copy.graph, e);
  }).all(copy);
  return copy;
}

}  // namespace kane
