#pragma once
// Linear equations of motion about a nominal motion (q0, u0, u0', t0), for any derived system, including those with
// dependent coordinates and speeds:
//
//   phi(q) = 0                      =>  dq = Cq dq_i,                      Cq = (1; -J_d^-1 J_i),  J = dphi/dq
//   u_d = D u_i + E                 =>  du = Cu du_i + Gu dq_i,            Gu = d(D u_i + E)/dq Cq
//   q' = f(q, u)                    =>  dq_i' = (f_q Cq + f_u Gu) dq_i + f_u Cu du_i + f_r dr
//   g := rhs - M u' = 0 (embedded)  =>  M du_i' = (g_q Cq + g_u Gu) dq_i + g_u Cu du_i + g_r dr
//
// Constraints that are redundant at the nominal motion are left out (local_embedding.hpp). Laws of inputs are part of the
// system (closed_loop.hpp), except for inputs whose values are given with the nominal motion: those are inputs r.
//
// Partial velocities are formed before anything is linearized: M and rhs are those of the nonlinear equations, and only
// their derivatives are taken at the nominal motion (Buffinton section 6.5.1 explains what goes wrong otherwise).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kane/mechanics/equations.hpp"

namespace kane {

/// The nominal motion of a linearization, and the variables that vary.
struct LinearizeOptions {
  /// Nominal values by symbol name: coordinates, speeds, inputs, t, and (if not zero) derivatives of speeds ("u1'"). Others
  /// are zero; inputs have their defaults, or follow their laws. Values may be expressions of parameters.
  std::map<std::string, Expr> nominal;
  /// A flag for each constraint that says whether it acts; if absent, those that are active in the equations.
  std::optional<std::vector<bool>> active;
  /// Take u0' from the equations of motion at the nominal state instead of `nominal`: for a state that is not an
  /// equilibrium.
  bool solve_accelerations = false;
  /// Values of parameters, given if constraints may be redundant for these values only. The result still contains all
  /// parameters as symbols, but holds for these values.
  std::map<std::string, double> parameters;
  /// Coordinates to be dependent where configuration constraints leave a choice; empty = chosen automatically.
  std::vector<std::string> dependent_coordinates;
  /// Only these coordinates and speeds vary, the others stay at their nominal values; empty = all.
  std::vector<std::string> only;
};

/// x' = A x + B r with x = (coordinates, speeds).
struct Linearization {
  std::vector<Expr> coordinates;  ///< independent coordinates (symbols), in order
  std::vector<Expr> speeds;       ///< independent speeds
  std::vector<Expr> inputs;       ///< r, in order
  ExprMatrix A;                   ///< coefficients of (coordinates, speeds)
  ExprMatrix B;                   ///< coefficients of the inputs
  ExprMatrix M;                   ///< M of M du' + C du + K dq = F dr
  ExprMatrix C;                   ///< coefficients of the speeds
  ExprMatrix K;                   ///< coefficients of the coordinates
  ExprMatrix F;                   ///< coefficients of the inputs
  std::vector<Expr> drift;        ///< rates of the nominal motion: zero at an equilibrium

  /// Number of states.
  [[nodiscard]] int size() const { return A.rows; }
};

/// Linearizes the equations. Throws ModelError for unknown names and for a singular choice of dependent coordinates.
[[nodiscard]] Linearization linearize(const EquationsOfMotion& equations, const LinearizeOptions& options = {});

}  // namespace kane
