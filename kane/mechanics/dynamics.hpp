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

#include <vector>

#include "kane/mechanics/applied_loads.hpp"
#include "kane/mechanics/inertia_elements.hpp"

namespace kane {

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
