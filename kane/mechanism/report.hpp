#pragma once
// Reports common to all formulations: motion of bodies and points, energy and momentum, reactions of the joints, and the
// user's outputs that need the energy. By recursion over the tree (body_motion.hpp), so that the cost grows with its size.

#include "kane/mechanism/body_motion.hpp"

namespace kane {

struct ReportOptions {
  bool motion = true;     ///< points and bodies
  bool energy = true;     ///< kinetic and potential energy, momentum
  bool reactions = true;  ///< reactions of the joints with report_reaction
};

/// Symbols, parameters, inputs and kinematical equations: everything but the dynamics and the constraints.
[[nodiscard]] EquationsOfMotion describe_equations(const LoweredMechanism& lowered, const SpeedRates& rates);

/// Fills in the requested reports, for equations of any formulation.
void complete_equations(const Mechanism& mechanism, const LoweredMechanism& lowered, EquationsOfMotion& equations,
                        const ReportOptions& options = {});

/// Force and torque (about `point`) that the parent's side of a joint exerts on the child's side, components in the ground:
/// everything the joint transmits, its motors and springs included.
struct JointWrench {
  std::size_t joint;  ///< number in the mechanism
  Expr3 force, torque;
};

/// One for each joint that places a body, in the order of LoweredMechanism::order, then one for each closing joint. By the
/// Newton-Euler equations of everything outboard, from the leaves inwards; the force of a closing joint is known from
/// its multipliers. Constraints given as mere expressions act along the joints' motions.
[[nodiscard]] std::vector<JointWrench> form_joint_wrenches(const LoweredMechanism& lowered, const BodyMotion& motion,
                                                           const SpeedRates& rates,
                                                           const std::vector<ConstraintEquation>& constraints);

/// How to write reactions down.
struct ReactionView {
  std::string frame;  ///< frame of the components; "" = the joint's child
  std::string point;  ///< about which torques are taken; "" = the joint's own, on the child's side
};

/// The wrenches of all joints, whether they report their reaction or not, in the order of the mechanism.
[[nodiscard]] std::vector<ReactionOutput> form_reactions(const Mechanism& mechanism, const LoweredMechanism& lowered,
                                                         const std::vector<ConstraintEquation>& constraints,
                                                         const ReactionView& view = {});

}  // namespace kane
