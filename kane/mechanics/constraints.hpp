#pragma once
// Constraints: from the user's expressions to rows of A u + b = 0 and A u' = gamma, and their rank.

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

/// Whether the direction is constant in the inertial frame.
[[nodiscard]] bool is_fixed_direction(const System& system, Dependence& dependence, const Vector& direction);

/// Marks redundant rows among the active ones (a warning for each) and throws for contradictory ones.
void check_constraint_rank(const System& system, std::vector<ConstraintRow>& rows, std::vector<std::string>& warnings);

}  // namespace kane
