#pragma once
// The tree as the recursive formulations see it: links in order (parents first), each with one elementary motion
// relative to its parent, in a working frame whose z axis is the axis of the motion.
//
// Working frames are chosen for short equations. Where the geometry is numeric, the origin of a link's frame is the
// foot of the common normal to the next axis and its x axis lies along that normal (Khalil and Kleinfinger's modified
// Denavit-Hartenberg frames), so that a vector passes from link to link by two planar rotations.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/mechanics/flexible.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/tree_algebra.hpp"

namespace kane {

/// A section of a flexible link, which carries the link behind it: its motion in the flexible link, components of that.
/// With the amplitudes q of the modes,
///
///     v = sum r_i q_i',  v' = sum r_i q_i'' + b,        w = sum g_i q_i',  w' = sum g_i q_i'' + d.
struct TreeSection {
  std::vector<Expr3> r, g;  ///< by modes
  Expr3 slide, spin;        ///< v, w
  Expr3 b, d;
};

/// One of these kinds: a motion along or about an axis; a flexible body, which is fixed to its parent and has its modes as
/// degrees of freedom (`modes`); a section of one, which has none (`section`).
struct TreeLink {
  std::string name;                   ///< joint, with the number of the motion if it has several
  std::optional<std::size_t> parent;  ///< none: the ground
  MotionKind kind = MotionKind::Rotation;
  bool free = true;           ///< else a known motion without a degree of freedom
  LinkRotation rotation;      ///< link components to parent components, at the present configuration
  Expr3 position;             ///< position of the link's origin from the parent's, parent components
  std::size_t first_dof = 0;  ///< number of its (first) degree of freedom; Ball has three
  std::size_t dof_count = 0;
  Expr rate;                ///< speed along the axis (or the known rate), for one-axis motions
  Expr known_acceleration;  ///< known acceleration of a motion that is not free
  Expr3 ball_rates{};       ///< rates of a Ball
  Expr pitch;
  InertialParameters inertia;  ///< about the link's origin, link components
  /// External force at the link's origin and torque about it, link components (gravity excluded).
  Expr3 force{}, torque{};
  /// What the modes move: all of the body's inertia but that of the undeformed body, which is in `inertia`. The origin and
  /// the components are those of the link.
  std::shared_ptr<const DeformingInertia> modes{};
  std::vector<Expr> modal_rates{};
  std::shared_ptr<const TreeSection> section{};
};

struct TreeModel {
  std::vector<TreeLink> links;
  /// Degrees of freedom are numbered in the order of the links; the equations may list their speeds in another order.
  std::vector<std::size_t> dof_speed;                  ///< index of the speed in the equations
  std::vector<std::optional<std::size_t>> dof_parent;  ///< the previous degree of freedom towards the ground
  std::vector<Expr> tau;      ///< generalized force along each degree of freedom from motors, springs, dampers
  Expr3 base_acceleration{};  ///< minus gravity, ground components

  [[nodiscard]] std::size_t dof_count() const { return dof_speed.size(); }
};

/// Where a body's frame sits in the link that carries it: body components to link components, and origin.
struct BodyPlace {
  std::optional<std::size_t> link;  ///< none: fixed to the ground
  Expr33 rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Expr3 position{};
};

/// A number of the model that became a symbol, so that equations stay short whatever its digits.
struct NamedNumber {
  Expr symbol;
  double value;
};

struct BuiltTree {
  TreeModel tree;                           ///< tau and base_acceleration still zero
  std::map<std::string, BodyPlace> bodies;  ///< by name, ground included
  std::vector<NamedNumber> numbers;
};

/// Builds the tree of a mechanism whose free motions all have their own speeds, those of the system it was lowered to.
/// Expressions are made in the mechanism's own graph.
[[nodiscard]] BuiltTree build_tree(const Mechanism& mechanism, const LoweredMechanism& lowered);

/// Moves every part of a link's inertia that its own motion does not change onto its parent (base parameters, Khalil
/// and Kleinfinger 1987). Exact: the kinetic and potential energy do not change. Of a flexible link this is the inertia of the
/// undeformed body.
void regroup_inertia(TreeModel& tree);

/// Bias: the generalized inertia forces for zero accelerations of the speeds, gravity and external loads included, so that
/// M udot = tau - bias. By the recursive Newton-Euler equations.
[[nodiscard]] std::vector<Expr> form_bias(const TreeModel& tree);

/// Generalized forces for given accelerations of the speeds: tau = M udot + bias.
[[nodiscard]] std::vector<Expr> form_inverse_dynamics(const TreeModel& tree, const std::vector<Expr>& udot);

/// Generalized active forces: tau, the external loads of the links and their weights.
[[nodiscard]] std::vector<Expr> form_active_forces(const TreeModel& tree);

/// Mass matrix by composite bodies; lower triangle of the branch-sparse pattern filled, and its transpose.
[[nodiscard]] ExprMatrix form_mass_matrix(const TreeModel& tree);

/// Solves M x = b by the branch-sparse factorisation M = L^T D L (Featherstone 2005), in symbols.
[[nodiscard]] std::vector<Expr> solve_branch_sparse(const TreeModel& tree, ExprMatrix M, std::vector<Expr> b);

/// udot in order n: articulated-body inertias, with the accelerations of the bias recursion as reference motion.
[[nodiscard]] std::vector<Expr> form_articulated(const TreeModel& tree);

}  // namespace kane
