#pragma once
// Inertia of bodies that deform. A point of the body is at r(q) in its frame, so that
//
//     v_P = v + w x r + r',     r' = sum_i r_i q_i',     r_i = dr/dq_i
//
// and the kinetic energy is the quadratic form of FlexibleSpec with
//
//     c = int r dm,  J = int (r.r 1 - r r) dm,  H_i = int r x r_i dm,  M_ij = int r_i.r_j dm,  P_i = dc/dq_i = int r_i dm.
//
// Kane's generalized inertia forces int a . v_r dm, sorted by the partial velocities of the origin, of the frame and of
// the coordinates, are (a, alpha: of origin and frame)
//
//     F   = m a + alpha x c + w x (w x c) + 2 w x c' + c''
//     T   = c x a + J.alpha + w x J.w + J'.w + sum_i (H_i q_i'' + H_i' q_i' + w x H_i q_i')
//     Q_i = P_i.a + H_i.alpha + sum_j M_ij q_j'' + w.(H_i' - sum_j dH_j/dq_i q_j') - w.dJ/dq_i.w/2
//           + sum_j M_ij' q_j' - sum_jk dM_jk/dq_i q_j' q_k'/2
//
// These are the Lagrange-Boltzmann equations of T, whatever functions of q stand in it. So a T that is cut off at some
// order of the deformation still keeps energy and momentum exactly; what must not be cut off before forming r_i are the
// second-order terms of r (the foreshortening of a beam: Kane, Ryan and Banerjee 1987; Buffinton section 6.5.1).

#include <vector>

#include "kane/mechanics/projection.hpp"

namespace kane {

/// The coefficients of T and their derivatives.
struct DeformingInertia {
  BodyId body;
  FlexibleSpec spec;
  std::vector<Expr3> P;                            ///< dc/dq_i
  std::vector<std::vector<Expr3>> dP;              ///< dP_i/dq_j
  std::vector<Expr33> dJ;                          ///< dJ/dq_i
  std::vector<std::vector<Expr3>> dH;              ///< dH_i/dq_j
  std::vector<std::vector<std::vector<Expr>>> dM;  ///< dM_ij/dq_k; empty if M is constant
  [[nodiscard]] std::size_t size() const { return spec.coordinates.size(); }
};

[[nodiscard]] DeformingInertia form_deforming_inertia(BodyId body, FlexibleSpec spec);
[[nodiscard]] std::vector<DeformingInertia> form_deforming_inertias(const System& system);

/// Motion of a deforming body: components in its frame.
struct DeformingMotion {
  Expr3 v, a;      ///< of the origin
  Expr3 w, alpha;  ///< of the frame
  std::vector<Expr> rate, second;
};
/// In whatever accelerations `kinematics` knows (u' = 0, or u' as symbols).
[[nodiscard]] DeformingMotion motion_of(Kinematics& kinematics, const DeformingInertia& inertia);

/// F at the origin, T about it, and Q.
struct DeformingForces {
  Expr3 force, torque;
  std::vector<Expr> modal;
};
[[nodiscard]] DeformingForces inertia_forces(const DeformingInertia& inertia, const DeformingMotion& motion);

/// 2 T.
[[nodiscard]] Expr twice_kinetic_energy(const DeformingInertia& inertia, const DeformingMotion& motion);
/// Angular momentum about the mass centre, and its derivative in the inertial frame; components in the body's frame.
[[nodiscard]] Expr3 central_spin(const DeformingInertia& inertia, const DeformingMotion& motion);
[[nodiscard]] Expr3 central_torque(const DeformingInertia& inertia, const DeformingMotion& motion);
/// 2 T less m v.v of the mass centre.
[[nodiscard]] Expr twice_central_energy(const DeformingInertia& inertia, const DeformingMotion& motion);

/// Whether the speed of a column moves or deforms the body.
[[nodiscard]] bool moves(Kinematics& kinematics, const DeformingInertia& inertia, int column);
/// The momenta per unit of the speed of a column: a column of the mass matrix.
void add_momentum(Projection& projection, Kinematics& kinematics, const DeformingInertia& inertia, int column);
/// The momenta.
void add_momentum(Projection& projection, Kinematics& kinematics, const DeformingInertia& inertia);
/// -F, -T, -Q.
void add_inertia_forces(Projection& projection, Kinematics& kinematics, const DeformingInertia& inertia);

}  // namespace kane
