#pragma once
// The steps of lower_mechanism, one file each.

#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/quantity.hpp"

namespace kane {

struct LoweringContext {
  const Mechanism& mechanism;
  LoweredMechanism& lowered;
  System& system;
  QuantityDefinitions& definitions;

  [[nodiscard]] QuantityScope scope() const {
    QuantityScope s{system, lowered.names, &definitions};
    s.beams = &lowered.beams;
    return s;
  }
  /// The same where forces may be named (given_forces.hpp).
  [[nodiscard]] QuantityScope force_scope(ForceNames& forces) const {
    QuantityScope s = scope();
    s.forces = &forces;
    return s;
  }
};

/// Frames and points of all joints that place bodies; bodies, particles, named points and frames.
void lower_tree(const LoweringContext& context);  // lowering_joints.cpp
/// The motions of a joint from its placement on the parent on; the last frame is called `last_frame` if that is not empty.
[[nodiscard]] LoweredJoint lower_motions(const LoweringContext& context, const Joint& joint, std::string last_frame);
void lower_loads(const LoweringContext& context);           // lowering_loads.cpp
void lower_closing_joints(const LoweringContext& context);  // lowering_closing.cpp
void lower_constraints(const LoweringContext& context);     // lowering_constraints.cpp
void lower_gear(const LoweringContext& context, const Constraint& constraint,
                const GearConstraint& gear);           // lowering_gears.cpp
void lower_switching(const LoweringContext& context);  // lowering_switching.cpp
/// Shapes of bodies that touch wherever they meet (lowering_contacts.cpp).
void lower_contact_pairs(const LoweringContext& context, const ContactRule& rule);
void complete_contact_pairs(const LoweredMechanism& lowered, const Substitution& to_speeds, EquationsOfMotion& e);

/// Something at a position of a body: a point of the body, a frame, and the way from the point in that frame. On a beam,
/// [s, y, z] is the section at the arc length s, which moves and turns, and [0, y, z] in its frame.
struct Attachment {
  PointId from;
  FrameId frame;
  Expr3 offset;
};
/// `what` is for messages: "the point 'tip'".
[[nodiscard]] Attachment attach(const LoweringContext& context, const std::string& body, const Expr3& position,
                                const std::string& what);  // lowering_flexible.cpp
/// Makes the beam known, before anything is attached to it.
void lower_beam(const LoweringContext& context, const MechanismBody& body);
/// Points B.station1 to B.station10 at every tenth of the length of the beam B, to be reported. Nothing for other bodies.
void place_stations(const LoweringContext& context, const std::string& body);
/// Mass, stiffness and damping of a beam whose frame is placed.
BodyId lower_beam_mass(const LoweringContext& context, const MechanismBody& body);
/// Throws ModelError if the joint holds a beam where its modes move it.
void check_beam_joint(const LoweringContext& context, const Joint& joint);

/// Springs, dampers, motors and further laws along one motion of a joint.
void lower_axis_law(const LoweringContext& context, const AxisLaw& law, const LoweredMotion& motion,
                    const std::string& name, const Where& where);
/// The force a motor delivers if `force` is demanded while its coordinate changes at `rate` (lowering_loads.cpp).
[[nodiscard]] Expr motor_force(const Mechanism& mechanism, const AxisLaw& law, const Expr& force, const Expr& rate);
/// The force of compliant stops along the coordinate, and the energy they store; zero if they are rigid or there are none.
[[nodiscard]] Expr stop_force(const Mechanism& mechanism, const AxisLaw& law, const Expr& value, const Expr& rate);
[[nodiscard]] Expr stop_energy(const Mechanism& mechanism, const AxisLaw& law, const Expr& value);
/// Whether the law exerts no force (rigid stops are contacts).
[[nodiscard]] bool is_empty(const AxisLaw& law);

/// Adds (p - r).direction = 0 and says where its force acts. The rate is (v_p - v_r).d + (p - r).d', and with directions
/// fixed in frames F it is w_F.(d_F x (p - r)) in the last term: a torque on the body that carries the direction.
void add_coincidence(const LoweringContext& context, const std::string& row, PointId p, PointId r,
                     const Vector& direction, const std::string& group, bool active);  // lowering_constraints.cpp

/// A vector of length one along v.
[[nodiscard]] Vector unit_along(const System& system, const Vector& v);

}  // namespace kane
