#pragma once
// Loads proportional to accelerations: the added mass of a body in a fluid, feedback of measured accelerations. Kane's
// equations F_r + F*_r = 0 then have u' in F_r as well,
//
//     F_r = F_r^0 + sum_s L_rs u_s'    =>    sum_s (M_rs - L_rs) u_s' = rhs_r^0
//
// L of a fluid is symmetric (Lamb, Hydrodynamics, art. 121); feedback need not be, and then M is not either.

#include <vector>

#include "kane/mechanics/equations.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// Written with accelerations (q'', u').
[[nodiscard]] bool accelerates(const System& system, const LoadRecord& load);
[[nodiscard]] bool has_accelerating_loads(const System& system);

/// Takes the terms with u' out of a right-hand side: rhs becomes rhs^0. L has a column for each of `udot`; empty if there
/// are no such terms.
[[nodiscard]] ExprMatrix take_load_inertia(const std::vector<Expr>& udot, std::vector<Expr>& rhs);
/// M u' = rhs with u' in rhs becomes (M - L) u' = rhs^0.
void move_load_inertia(const std::vector<Expr>& udot, ExprMatrix& M, std::vector<Expr>& rhs);
/// The same for embedded equations, whose rhs contains the derivatives of all speeds.
void move_load_inertia(const std::vector<Expr>& udot, EmbeddedEquations& embedded);

[[nodiscard]] bool is_symmetric(const ExprMatrix& M);

}  // namespace kane
