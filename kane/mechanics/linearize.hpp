#pragma once
// Linear equations of motion about a nominal motion (q0, u0, u0', t0), for any system that has been derived, with
// dependent coordinates and speeds:
//
//   phi(q) = 0                      =>  dq = Cq dq_i,                      Cq = (1; -J_d^-1 J_i),  J = dphi/dq
//   u_d = D u_i + E                 =>  du = Cu du_i + Gu dq_i,            Gu = d(D u_i + E)/dq Cq
//   q' = f(q, u)                    =>  dq_i' = (f_q Cq + f_u Gu) dq_i + f_u Cu du_i + f_r dr
//   g := rhs - M u' = 0 (embedded)  =>  M du_i' = (g_q Cq + g_u Gu) dq_i + g_u Cu du_i + g_r dr
//
// Constraints that are redundant at the nominal motion are left out (local_embedding.hpp). Laws of inputs are part of the
// system (closed_loop.hpp), except for inputs whose values the nominal motion gives: those are inputs r.
//
// Partial velocities were formed before anything is linearized: M and rhs are those of the nonlinear equations, and only
// their derivatives are taken at the nominal motion (Buffinton section 6.5.1 says what goes wrong otherwise).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kane/mechanics/equations.hpp"

namespace kane {

/// About which motion, and what varies.
struct LinearizeOptions {
  /// Nominal values by symbol name: coordinates, speeds, inputs, t, and (if not zero) derivatives of speeds ("u1'"). What is
  /// not named is zero; inputs have their defaults, and follow their laws. Values may be expressions of parameters.
  std::map<std::string, Expr> nominal;
  /// The constraints that act, a flag for each; missing: those that the equations call active.
  std::optional<std::vector<bool>> active;
  /// Take u0' from the equations of motion at the nominal state instead of `nominal`: for a state that is not an
  /// equilibrium.
  bool solve_accelerations = false;
  /// Values of parameters, where constraints may be redundant for these only; others have any values. The result remains
  /// written with all parameters, but holds for these.
  std::map<std::string, double> parameters;
  /// Coordinates to be dependent where configuration constraints leave a choice; empty = chosen.
  std::vector<std::string> dependent_coordinates;
  /// Only these coordinates and speeds vary, the others stay at their nominal values; empty = all.
  std::vector<std::string> only;
};

/// x' = A x + B r with x = (coordinates, speeds).
struct Linearization {
  std::vector<Expr> coordinates;  ///< independent ones (symbols), in order
  std::vector<Expr> speeds;       ///< independent ones
  std::vector<Expr> inputs;       ///< r, in order
  ExprMatrix A;                   ///< of (coordinates, speeds)
  ExprMatrix B;                   ///< of the inputs
  ExprMatrix M;                   ///< of M du' + C du + K dq = F dr
  ExprMatrix C;                   ///< of the speeds
  ExprMatrix K;                   ///< of the coordinates
  ExprMatrix F;                   ///< of the inputs
  std::vector<Expr> drift;        ///< rates of the nominal motion: zero at an equilibrium

  /// Number of states.
  [[nodiscard]] int size() const { return A.rows; }
};

/// Throws ModelError for unknown names and for a singular choice.
[[nodiscard]] Linearization linearize(const EquationsOfMotion& equations, const LinearizeOptions& options = {});

}  // namespace kane
