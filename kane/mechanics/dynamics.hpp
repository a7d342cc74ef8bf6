#pragma once
// Generalized inertia and active forces (Kane; Buffinton eqs. 6.8-6.20; Gillespie eqs. 31-34):
//
//     F_r  = sum f . v_r + sum t . w_r
//     F*_r = -sum [ m a . v_r + (I . alpha + w x I . w) . w_r ]
//
// With a = sum_s v_s u_s' + a_t and alpha likewise, F_r + F*_r = 0 reads M u' = rhs:
//
//     M_rs  = sum [ m v_r . v_s + w_r . I . w_s ]
//     rhs_r = F_r - sum [ m a_t . v_r + (I . alpha_t + w x I . w) . w_r ]

#include <string>
#include <vector>

#include "kane/mechanics/projection.hpp"

namespace kane {

/// A particle or body as the projection sees it. A body that turns about a point fixed in the inertial frame and in
/// itself has its inertia about that point and needs no force for its mass centre.
struct InertiaElement {
  BodyId body;
  Expr mass;
  PointId point;            ///< mass centre
  bool translates = false;  ///< m a acts at the mass centre
  FrameId frame;            ///< invalid for a particle
  FrameId basis;            ///< where the inertia matrix is constant and the angular velocity short
  Expr33 inertia;           ///< in that basis
  bool rotates = false;
  bool about_fixed_point = false;
};

/// An applied force or torque, free of rates, auxiliary speeds and unknowns.
struct AppliedLoad {
  std::string name;
  LoadKind kind = LoadKind::Force;
  PointId point;
  FrameId frame;
  Vector value;
};

/// Checks that masses and inertias are there where they are needed. Throws ModelError.
[[nodiscard]] std::vector<InertiaElement> form_inertia_elements(Kinematics& kinematics);

/// Loads with the rates replaced by speeds; unknown forces are put to zero.
[[nodiscard]] std::vector<AppliedLoad> form_loads(const System& system, const Substitution& rates_to_speeds);
/// Weight of all bodies by uniform gravity, as forces at the mass centres.
[[nodiscard]] std::vector<AppliedLoad> form_weights(const System& system);
/// Attraction and gravity-gradient torque of inverse-square gravity.
[[nodiscard]] std::vector<AppliedLoad> form_attractions(const System& system);
/// -dV/drho for the potentials that act: one value per rate.
[[nodiscard]] std::vector<Expr> form_potential_forces(const System& system, const RateModel& model);
[[nodiscard]] Vector total_uniform_gravity(const System& system);

void add_load(Projection& projection, const Kinematics& kinematics, const AppliedLoad& load);

/// M for the given columns, in their order. Symmetric: each entry is formed once.
[[nodiscard]] ExprMatrix form_mass_matrix(Kinematics& kinematics, const std::vector<InertiaElement>& elements,
                                          const std::vector<int>& columns);

/// rhs for all columns that are wanted. `kinematics` must have been given -g as acceleration of the origin.
[[nodiscard]] std::vector<Expr> form_right_hand_side(Kinematics& kinematics,
                                                     const std::vector<InertiaElement>& elements,
                                                     const std::vector<AppliedLoad>& loads,
                                                     const std::vector<Expr>& rate_forces,
                                                     const std::vector<bool>& wanted);

/// Generalized active forces only.
[[nodiscard]] std::vector<Expr> form_active_forces(Kinematics& kinematics, const std::vector<AppliedLoad>& loads,
                                                   const std::vector<Expr>& rate_forces,
                                                   const std::vector<bool>& wanted);

}  // namespace kane
