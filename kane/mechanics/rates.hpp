#pragma once
// Kinematical differential equations (Kane; Gillespie eqs. 1-2): the generalized speeds are defined by
//
//     u = Y(q, t) rho + Z(q, t),          rho: rates (q', or angular velocities for parameters of orientation)
//
// and solved for the rates, block by block:
//
//     rho = W(q, t) u + X(q, t),          q' = f(q, rho)
//
// Accelerations need the derivative of rho. Differentiating the definitions and solving again keeps it short:
//
//     Y rho' = u' - Y' rho - Z'    =>    rho' = W u' + rho'_t,   Y rho'_t = -(Y' rho + Z').

#include <string>
#include <utility>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// (column, coefficient), columns ascending, no zeros.
using SparseRow = std::vector<std::pair<int, Expr>>;

/// e = sum of (index, coefficient) + remainder.
struct SparseAffineForm {
  SparseRow terms;
  Expr remainder;
};

/// Rates as affine functions of "columns": the generalized speeds first, then all auxiliary speeds. Everything that
/// kinematics needs to know of the choice of speeds; embedding constraints only exchanges this.
struct RateModel {
  int speed_count = 0;
  int column_count = 0;
  std::vector<Expr> symbols;  ///< rho
  std::vector<SparseRow> W;   ///< one row per rate
  std::vector<Expr> X;
  std::vector<Expr> values;  ///< W u + X with auxiliary speeds zero
  std::vector<Expr> second;  ///< rho'_t: derivative of rho where u' = 0
  /// u' per column, already contained in `second`; empty = all zero.
  std::vector<Expr> accelerations;
  bool constant = false;  ///< W depends on parameters only
};

/// Further results of solving the kinematical equations.
struct Kinematical {
  RateModel model;
  std::vector<Expr> qdot;             ///< one per coordinate
  Substitution rates_to_speeds;       ///< rho -> values, q' of parameters of orientation, auxiliary speeds -> 0
  Substitution time_rates;            ///< q -> q', t -> 1, specified motions; u constant
  std::vector<std::string> warnings;  ///< where the choice of speeds is singular
};

/// The same with u' as symbols instead of zero: accelerations are then complete.
[[nodiscard]] RateModel with_accelerations(RateModel model, const System& system);

/// Throws ModelError for a speed that is not linear in the rates, and for speeds that depend on each other.
[[nodiscard]] Kinematical form_kinematical_equations(const System& system);

/// Appends the states of the system to the coordinates, and their rates to qdot. Throws ModelError for a rate that is
/// written with accelerations or forces.
void add_states(const System& system, const Substitution& rates_to_speeds, EquationsOfMotion& equations);

/// The symbols that expressions depend on, remembered node by node.
class Dependence {
 public:
  explicit Dependence(const System& system) : system_(&system) {}
  /// Numbers and parameters only.
  [[nodiscard]] bool constant(const Expr& e) { return (flags(e) & ~1U) == 0; }
  [[nodiscard]] bool constant(const Expr3& c) { return constant(c[0]) && constant(c[1]) && constant(c[2]); }
  [[nodiscard]] bool on(const Expr& e, SymbolKind kind) { return (flags(e) & bit(kind)) != 0; }

 private:
  [[nodiscard]] static unsigned bit(SymbolKind kind) {
    return kind == SymbolKind::Parameter ? 1U : 2U << static_cast<unsigned>(kind);
  }
  [[nodiscard]] unsigned flags(const Expr& e);
  const System* system_;
  std::vector<unsigned> known_;  // by node; kUnknown where not yet needed
  static constexpr unsigned kUnknown = ~0U;
};

/// The symbols other than parameters on which the value of e really depends, however it is written.
[[nodiscard]] std::vector<Expr> find_variables(const System& system, const Expr& e);

}  // namespace kane
