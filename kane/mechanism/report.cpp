#include "kane/mechanism/report.hpp"

#include <algorithm>
#include <set>

#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/dynamics.hpp"
#include "kane/mechanism/directions.hpp"

namespace kane {
namespace {

void report_motion(const LoweredMechanism& l, const BodyMotion& m, EquationsOfMotion& e) {
  e.points.clear();
  e.bodies.clear();
  for (const auto& [name, p] : l.reported_points)
    e.points.push_back({name, m.position(p), m.velocity(p), m.acceleration(p)});
  for (const auto& [name, f] : l.reported_frames) {
    const Expr33& R = m.rotation(f);
    e.bodies.push_back({name, R, multiply(R, m.angular_velocity(f)), multiply(R, m.angular_acceleration(f))});
  }
}

// T = 1/2 sum (m v.v + w.I.w), p = sum m v, H = sum (r x m v + R I w).
void report_momentum(const System& s, const BodyMotion& m, const SpeedRates& rates, EquationsOfMotion& e) {
  Expr twice;
  Expr3 linear, angular;
  for (const BodyRecord& b : s.bodies()) {
    const Expr3& v = m.velocity(b.mass_centre);
    const Expr mass = b.mass.value_or(0);
    const Expr3 momentum = scale(mass, v);
    twice += mass * dot(v, v);
    linear = add(linear, momentum);
    angular = add(angular, cross(m.position(b.mass_centre), momentum));
    if (b.is_particle() || !b.inertia) continue;
    const Expr3& w = m.angular_velocity(b.frame);
    const Expr3 spin = multiply(s.frames().express(*b.inertia, b.frame), w);
    twice += dot(w, spin);
    angular = add(angular, multiply(m.rotation(b.frame), spin));
  }
  for (const DeformingInertia& f : form_deforming_inertias(s)) {
    const DeformingMotion motion = m.deforming(f, rates);
    twice += twice_central_energy(f, motion);
    angular = add(angular, multiply(m.rotation(f.spec.frame), central_spin(f, motion)));
  }
  e.kinetic = twice / 2;
  e.linear_momentum = linear;
  e.angular_momentum = angular;
}

/// Nothing if gravity is not uniform and constant in the ground, or a centre of attraction moves.
std::optional<Expr> potential_energy(const System& s, const BodyMotion& m) {
  Expr v;
  const Vector g = total_uniform_gravity(s);
  for (const Vector::Term& t : g.terms())
    for (const Expr& c : t.c)
      if (t.frame != s.inertial() || !is_constant(c, s)) return std::nullopt;
  if (!g.is_zero()) {
    for (const BodyRecord& b : s.bodies())
      if (b.mass) v -= *b.mass * dot(g.in(s.inertial()), m.position(b.mass_centre));
  }
  for (const InverseSquareGravity& gravity : s.inverse_square_gravity())
    if (!is_zero(m.velocity(gravity.centre))) return std::nullopt;
  v += form_attraction_energy(s);
  for (const PotentialRecord& p : s.potentials()) v += p.value;
  return v;
}

std::vector<ReactionOutput> view_reactions(const Mechanism& mechanism, const LoweredMechanism& l, const BodyMotion& m,
                                           std::vector<JointWrench> wrenches, const ReactionView& view) {
  std::vector<ReactionOutput> reactions;
  std::sort(wrenches.begin(), wrenches.end(), [](auto& a, auto& b) { return a.joint < b.joint; });
  for (const JointWrench& w : wrenches) {
    const Joint& joint = mechanism.joints[w.joint];
    const FrameId frame = view.frame.empty() ? l.body_frames.at(joint.child) : l.names.frame(view.frame);
    const PointId point = view.point.empty() ? l.joints[w.joint].outer : l.names.point(view.point);
    const Expr33 to_frame = transpose(m.rotation(frame));
    const Expr3 torque = add(w.torque, cross(m.span(point, l.joints[w.joint].outer), w.force));
    reactions.push_back({joint.name, multiply(to_frame, w.force), multiply(to_frame, torque),
                         view.frame.empty() ? joint.child : view.frame, view.point.empty() ? joint.name : view.point});
  }
  return reactions;
}

void report_reactions(const Mechanism& mechanism, const LoweredMechanism& l, const BodyMotion& m,
                      const SpeedRates& rates, EquationsOfMotion& e) {
  e.reactions = view_reactions(mechanism, l, m, form_joint_wrenches(l, m, rates, e.constraints), {});
  std::erase_if(e.reactions, [&](auto& r) { return !mechanism.find_joint(r.name)->report_reaction; });
  std::set<std::string> known;
  for (const ConstraintAction& action : l.actions) known.insert(action.row);
  std::set<std::string> told;
  for (const ConstraintEquation& row : e.constraints) {
    if (!row.active || known.contains(row.name) || !told.insert(row.group).second) continue;
    e.warnings.push_back(
        fmt::format("the constraint {} is an expression and does not say where its force acts; the reactions of joints "
                    "take it to act along their coordinates, as motors would",
                    row.group));
  }
}

/// The user's outputs that do not need the energy, accelerations in them by the derivatives of the speeds.
void report_outputs(const System& s, const SpeedRates& rates, EquationsOfMotion& e) {
  std::vector<Expr> values;
  for (const OutputRecord& o : s.outputs()) values.push_back(o.value);
  values = substitute(values, rates.second_rates);
  e.outputs.clear();
  for (std::size_t i = 0; i < values.size(); ++i) e.outputs.push_back({s.outputs()[i].name, values[i]});
}

void report_energy_outputs(const LoweredMechanism& l, EquationsOfMotion& e) {
  Substitution energy{{l.kinetic_symbol, e.kinetic}};
  if (e.potential) energy.set(l.potential_symbol, *e.potential);
  for (const EnergyOutput& o : l.energy_outputs) {
    const auto known =
        std::find_if(e.outputs.begin(), e.outputs.end(), [&](auto& other) { return other.name == o.name; });
    if (known != e.outputs.end()) continue;
    const Expr value = substitute(o.value, energy);
    const std::vector<Expr> left = symbols_of({&value, 1});
    if (std::find(left.begin(), left.end(), l.potential_symbol) != left.end()) {
      e.warnings.push_back(
          fmt::format("the output '{}' is left out, because the potential energy of a load is not known", o.name));
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(std::min(o.position, e.outputs.size()));
    e.outputs.insert(e.outputs.begin() + at, {o.name, value});
  }
}

}  // namespace

EquationsOfMotion describe_equations(const LoweredMechanism& l, const SpeedRates& rates) {
  const System& s = l.system;
  EquationsOfMotion e;
  e.graph = s.shared_graph();
  e.name = s.name();
  e.t = s.time();
  e.parameters = s.parameters();
  e.inputs = s.inputs();
  e.q = s.coordinates();
  for (const SpeedRecord& u : s.speeds()) {
    e.u.push_back(u.symbol);
    e.udot.push_back(u.derivative);
  }
  e.qdot = rates.qdot;
  e.quaternions = s.quaternions();
  add_states(s, rates.rates, e);
  for (const Expr& u : s.dependent_speeds())
    e.dependent_speeds.push_back(static_cast<int>(std::find(e.u.begin(), e.u.end(), u) - e.u.begin()));
  report_outputs(s, rates, e);
  e.warnings = rates.warnings;
  return e;
}

void complete_equations(const Mechanism& mechanism, const LoweredMechanism& l, EquationsOfMotion& e,
                        const ReportOptions& options) {
  const SpeedRates rates = form_speed_rates(l.system);
  const BodyMotion motion(l, rates);
  report_outputs(l.system, rates, e);
  if (options.motion) report_motion(l, motion, e);
  if (options.energy) {
    report_momentum(l.system, motion, rates, e);
    e.potential = potential_energy(l.system, motion);
    report_energy_outputs(l, e);
  }
  if (options.reactions) report_reactions(mechanism, l, motion, rates, e);
}

std::vector<ReactionOutput> form_reactions(const Mechanism& mechanism, const LoweredMechanism& l,
                                           const std::vector<ConstraintEquation>& constraints,
                                           const ReactionView& view) {
  const SpeedRates rates = form_speed_rates(l.system);
  const BodyMotion motion(l, rates);
  return view_reactions(mechanism, l, motion, form_joint_wrenches(l, motion, rates, constraints), view);
}

}  // namespace kane
