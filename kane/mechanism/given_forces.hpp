#pragma once
// Loads that depend on constraint and reaction forces: friction of a loaded bearing, creep of a wheel under its load, a rope
// around a capstan. A force that a load names becomes a symbol X. What it equals is known with the equations,
//
//     X = R(q, u, u', lambda, X),      M u' = rhs(q, u, X) + A^T lambda
//
// Where R and rhs are linear in X and u' and R has no lambda, X is eliminated in symbols: (1 - K) X = R_0 + G u' and
// rhs = rhs_0 + B X give (M - B (1 - K)^-1 G) u' = rhs_0 + B (1 - K)^-1 R_0. Otherwise the rows X = R stay with the equations
// (ConstraintEquation::given) and are solved at every evaluation.

#include "kane/mechanism/body_motion.hpp"
#include "kane/mechanism/lowering_parts.hpp"

namespace kane {

/// Makes symbols of the forces that are named.
class GivenForceNames final : public ForceNames {
 public:
  enum class For : std::uint8_t { Loads, Outputs };
  GivenForceNames(const Mechanism& mechanism, LoweredMechanism& lowered, For use = For::Loads)
      : mechanism_(mechanism), lowered_(lowered), use_(use) {}
  [[nodiscard]] bool knows(std::string_view name) const override;
  [[nodiscard]] Expr auxiliary(std::string_view name) override;
  [[nodiscard]] Vector reaction(std::string_view joint, bool torque) override;
  [[nodiscard]] Expr multiplier(std::string_view row) override;
  void check_contact(std::string_view first, std::string_view second) const override;
  [[nodiscard]] Expr contact(std::string_view first, std::string_view second, std::size_t part) override;
  /// Symbols of auxiliary speeds in the scalars of a load stand for their forces, too.
  [[nodiscard]] Expr in_scalar(const Expr& e);

 private:
  /// Constraints and joints that close loops.
  [[nodiscard]] std::vector<std::string> groups() const;
  [[nodiscard]] Expr symbol(GivenForce::Kind kind, std::string_view name, std::size_t axis);

  const Mechanism& mechanism_;
  LoweredMechanism& lowered_;
  For use_;
};

/// The forces that complete_given_forces() has eliminated from the equations, as functions of q, u, udot and lambda: for
/// expressions that are formed from the loads later.
[[nodiscard]] Substitution find_eliminated_forces(const LoweredMechanism& lowered, const EquationsOfMotion& equations);

/// Eliminates the forces that were named, or adds their rows. Throws ModelError where they have no solution.
void complete_given_forces(const LoweredMechanism& lowered, EquationsOfMotion& equations);

}  // namespace kane
