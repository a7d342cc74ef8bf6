#pragma once
// udot and the constraint forces as expressions, for programs that must do without a linear solver (exported code).
//
//     M udot = rhs + A^T lambda,   A udot = gamma
//     (A M^-1 A^T) lambda = gamma - A M^-1 rhs,   udot = M^-1 (rhs + A^T lambda)
//
// Both matrices are positive definite wherever the motion is determined, so that they are factored (L D L^T) without
// looking for pivots; unlike an embedding with a fixed choice of dependent speeds this has no singular positions of its
// own. Where M is singular without the constraints (massless parts), M + A^T A stands for M and rhs + A^T gamma for rhs:
// A udot = gamma makes that the same equation, with the same multipliers.

#include <span>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

struct ExplicitMotion {
  std::vector<Expr> udot;         ///< in terms of q, u, t, parameters and inputs
  std::vector<Expr> multipliers;  ///< one for each constraint; 0 for those not active or redundant
};

/// With the constraints for which `active` is set (one flag for each). Throws ModelError if the motion is not determined.
[[nodiscard]] ExplicitMotion form_explicit_motion(const EquationsOfMotion& equations, const std::vector<bool>& active);

/// Derivatives of udot without constraints by coordinates, speeds, parameters or inputs y. With the inverse dynamics
/// f(q, u, udot) = M udot - rhs, zero along the motion,
///     M d udot/d y = -df/dy   at constant udot,
/// one factorisation for all y. That takes fewer operations than derivatives of the solved equations: a fifth fewer for a
/// humanoid with 36 speeds. M must be there, and regular without constraints. Of quaternions only combinations along which their
/// length stays one have a meaning: beside that, f and udot need not belong together.
[[nodiscard]] Jacobian form_motion_derivatives(const EquationsOfMotion& equations, std::span<const Expr> y);

}  // namespace kane
