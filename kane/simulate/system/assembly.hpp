#pragma once
// Assembly: from initial values that are incomplete or do not fit together to the nearest configuration and speeds that
// satisfy the constraints. Values the user gave are held if that is possible at all; otherwise they move, less willingly
// than the others, and the report says so.
//
//     coordinates: phi(q, t) = 0 by damped Gauss-Newton (kane/solve/newton.hpp) from the values given, then from
//                  several other starts; first with the given values held, then with all free
//     speeds:      A u + b = 0 with the given values held; otherwise the speeds nearest in kinetic energy

#include <string>
#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"

namespace kane {

/// The values of the state that the user has given; the others are guesses.
struct GivenValues {
  std::vector<bool> q, u;
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

/// Throws ModelError unless a run of these equations can begin in the state: of the right size, and finite.
void check_initial_state(const EquationsOfMotion& equations, const State& state);

}  // namespace kane
