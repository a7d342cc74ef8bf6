#pragma once
// Assembly: from initial values that are incomplete or do not fit together to a configuration and speeds that satisfy the
// constraints. Given values are held; the others move, from their guesses to the nearest solution.
//
//     coordinates: phi(q, t) = 0 by damped Gauss-Newton (kane/solve/newton.hpp) from the start, then from several others
//     speeds:      A u + b = 0 by the shortest change of those that are free
//
// Values that satisfy the constraints are not touched at all. Given values may contradict each other. Then as many are
// held as the constraints allow: those of a state or a setting before those of the model, independent ones before those
// that the user lists as dependent, earlier ones before later ones (kane/solve/column_basis.hpp). Values of the model
// that had to move are reported; values of a state or a setting may move by rounding only, else assembly fails and says
// which loops stay open, and how far.

#include <string>
#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"

namespace kane {

/// The values of the state that are given; the others are guesses.
struct GivenValues {
  std::vector<bool> q, u;
  /// Flags of those that a state or a setting gives, which take precedence over those of the model. Empty: none.
  std::vector<bool> insisted_q{}, insisted_u{};
};

struct AssemblyOptions {
  double tolerance = 1e-13;  ///< on every |phi|, as in ConstraintProjector
  int starts = 60;           ///< other starts to try, if the given one leads nowhere
};

struct AssemblyMove {
  std::string name;
  double from = 0, to = 0;
  bool given = false;  ///< the user had given the value
};

struct AssemblyReport {
  bool ok = false;
  std::vector<AssemblyMove> moved;
  std::string warning;  ///< given values that contradict each other: which constraints they leave open, and how far
  int starts = 0;       ///< other starts that were tried
  double residual = 0;  ///< largest |phi| that is left
  std::string open;     ///< the constraint that stays open, if not ok
  std::string message;  ///< if not ok: a sentence with the constraint, how far open it is, and what to do
  [[nodiscard]] bool moved_given() const;
  /// One line per value that moved; empty if none did.
  [[nodiscard]] std::string to_string() const;
};

/// Moves `state` onto the constraints that are active in the evaluator, at state.t and the evaluator's inputs.
[[nodiscard]] AssemblyReport assemble(SystemEvaluator& evaluator, State& state, const GivenValues& given,
                                      const AssemblyOptions& options = {});
/// The same; throws ModelError with the report's message if that is not possible, after filling in `report` if there is one.
void require_assembly(SystemEvaluator& evaluator, State& state, const GivenValues& given,
                      const AssemblyOptions& options, AssemblyReport* report);

/// Flags of the given coordinates that assembly holds while it solves the configuration equations for the others.
/// `j`: their derivatives at q, which satisfies them.
[[nodiscard]] std::vector<bool> find_held_coordinates(ConstMatrixView j, std::span<const double> q,
                                                      const GivenValues& given, const EquationsOfMotion& equations);
/// Flags of the given speeds that it holds while it solves A u + b = 0 for the others.
[[nodiscard]] std::vector<bool> find_held_speeds(ConstMatrixView a, const GivenValues& given,
                                                 const EquationsOfMotion& equations);

/// Throws ModelError unless a run of these equations can begin in the state: of the right size, and finite.
void check_initial_state(const EquationsOfMotion& equations, const State& state);

}  // namespace kane
