#pragma once
// Internals of KaneDerivation: the variants of the kinematics, and the results formed so far.

#include <memory>
#include <optional>

#include "kane/mechanics/kane.hpp"

namespace kane {

struct KaneDerivation::Parts {
  Parts(const System& system, const DeriveOptions& options);

  const System& system;
  DeriveOptions options;
  Bases bases;
  Kinematical kinematical;
  Kinematics felt;                        ///< u' = 0, accelerations less gravity
  std::unique_ptr<Kinematics> plain_;     ///< u' = 0
  std::unique_ptr<Kinematics> complete_;  ///< u' as symbols
  std::optional<std::vector<InertiaElement>> elements_;
  std::vector<AppliedLoad> loads;    ///< without uniform gravity
  std::vector<AppliedLoad> weights;  ///< uniform gravity
  std::vector<Expr> rate_forces;
  std::vector<ConstraintRow> rows;
  EquationsOfMotion equations;

  Kinematics& plain();
  Kinematics& complete();
  /// Made on first use: derivations that form the dynamics otherwise never need them.
  const std::vector<InertiaElement>& elements();
  [[nodiscard]] std::vector<bool> speed_columns() const;
  [[nodiscard]] std::vector<bool> auxiliary_columns() const;
  [[nodiscard]] std::vector<AppliedLoad> all_loads() const;
  /// The substitution applied to loads: rates, and second rates if some load needs them.
  [[nodiscard]] Substitution load_rates() const;

  void form_dynamical_equations();
  void form_constraints();
  void form_outputs();
  void find_auxiliary_forces();
  void find_reactions();

  /// Inertia forces and torques with u' as symbols, given to a projection (all bodies, or one).
  void add_inertia_forces(Projection& projection, std::optional<BodyId> only);
  void describe_symbols();
  void check_inertias();
  void check_mass_matrix(const ExprMatrix& M, const std::vector<int>& columns, const std::string& what);
};

}  // namespace kane
