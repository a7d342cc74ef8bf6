#pragma once
// Constraints: from what the user wrote to rows of A u + b = 0 and A u' = gamma, their rank, and their embedding.

#include <vector>

#include "kane/mechanics/dynamics.hpp"

namespace kane {

/// A row as EquationsOfMotion has it, and its columns for auxiliary speeds.
struct ConstraintRow {
  ConstraintEquation equation;
  std::vector<Expr> auxiliary;  ///< one per auxiliary speed
  bool has_points = false;      ///< the points the multiplier acts on are known
};

/// Rows for all constraints of the system. Throws ModelError for constraints that can never hold.
[[nodiscard]] std::vector<ConstraintRow> form_constraint_rows(Kinematics& kinematics, const Kinematical& kinematical);

/// Marks redundant rows among the active ones (a warning for each) and throws for contradictory ones.
void check_constraint_rank(const System& system, std::vector<ConstraintRow>& rows, std::vector<std::string>& warnings);

/// u_dep = D u_ind + E for the active, not redundant rows; dependent speeds as asked for, or chosen where the
/// coefficients are simplest. Throws ModelError if the speeds asked for cannot be solved for. M and rhs are left empty.
[[nodiscard]] EmbeddedEquations form_dependent_speeds(const System& system, const std::vector<ConstraintRow>& rows,
                                                      std::vector<std::string>& warnings);

/// Rates in terms of the independent speeds.
[[nodiscard]] RateModel embed(const RateModel& model, const EmbeddedEquations& embedded, Dependence& dependence);

/// C^T M C and C^T (rhs - M g) with u = C u_ind + ..., recombined from the unconstrained equations.
void recombine(const ExprMatrix& M, const std::vector<Expr>& rhs, EmbeddedEquations& embedded);

}  // namespace kane
