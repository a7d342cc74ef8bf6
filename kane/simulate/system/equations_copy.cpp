#include "kane/simulate/system/equations_copy.hpp"

namespace kane {

namespace {

/// Moves every expression of the equations to another graph with the same indices.
class Mover {
 public:
  explicit Mover(Graph& graph) : graph_(graph) {}

  void all(EquationsOfMotion& e) const {
    each(e.t, e.parameters, e.inputs, e.q, e.u, e.udot, e.qdot, e.M, e.rhs, e.udot_explicit, e.inverse, e.active);
    each(e.constraints, e.embedded, e.contacts, e.frictions, e.contact_bodies, e.contact_shapes, e.contact_pairs);
    each(e.switches, e.handles, e.kinetic, e.potential, e.linear_momentum, e.angular_momentum);
    each(e.points, e.bodies, e.reactions, e.auxiliary_forces, e.outputs);
  }

 private:
  template <class... Values>
  void each(Values&... values) const {
    (one(values), ...);
  }
  void one(Expr& e) const {
    if (e.graph() != nullptr) e = graph_.at(e.id());
  }
  template <class T>
  void one(std::optional<T>& value) const {
    if (value) one(*value);
  }
  template <class T>
  void one(std::vector<T>& values) const {
    for (T& value : values) one(value);
  }
  template <class T, std::size_t n>
  void one(std::array<T, n>& values) const {
    for (T& value : values) one(value);
  }
  void one(ExprMatrix& m) const { one(m.entries); }
  void one(SymbolWithDefault& s) const { each(s.symbol, s.value); }
  void one(ConstraintEquation& c) const { each(c.phi, c.a, c.b, c.gamma, c.multiplier, c.given); }
  void one(EmbeddedEquations& m) const { each(m.D, m.E, m.g, m.M, m.rhs, m.multipliers); }
  void one(ContactEquation& c) const { each(c.restitution, c.force, c.place, c.adhesion); }
  void one(ContactEquation::Place& p) const { each(p.point, p.normal, p.across); }
  void one(FrictionEquation& f) const { each(f.kinetic, f.stiction); }
  void one(ContactBodyEquation& b) const {
    each(b.position, b.velocity, b.acceleration, b.rotation, b.angular_velocity, b.angular_acceleration);
  }
  void one(ContactShapeEquation& s) const { each(s.solid.sizes, s.solid.place.position, s.solid.place.rotation); }
  void one(ContactPairEquation& p) const {
    each(p.restitution, p.kinetic, p.stiction, p.rolling, p.spinning, p.stiffness, p.dissipation, p.damping, p.adhesion,
         p.ratio, p.grain);
  }
  void one(SwitchEquation::Reset& r) const { one(r.value); }
  void one(SwitchEquation& s) const { each(s.guard, s.resets); }
  void one(HandleEquation& h) const { each(h.stiffness, h.damping); }
  void one(PointOutput& p) const { each(p.position, p.velocity, p.acceleration); }
  void one(BodyOutput& b) const { each(b.rotation, b.angular_velocity, b.angular_acceleration); }
  void one(ReactionOutput& r) const { each(r.force, r.torque); }
  void one(AuxiliaryForce& f) const { one(f.value); }
  void one(ScalarOutput& o) const { one(o.value); }

  Graph& graph_;
};

}  // namespace

EquationsOfMotion copy_equations(const EquationsOfMotion& equations) {
  EquationsOfMotion copy = equations;
  copy.graph = equations.graph->clone();
  Mover(*copy.graph).all(copy);
  return copy;
}

}  // namespace kane
