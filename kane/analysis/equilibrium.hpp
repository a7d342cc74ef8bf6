#pragma once
// Equilibria and steady motions. Unknowns are the coordinates, the speeds, the derivatives of dependent speeds, the
// multipliers of the active constraints and the inputs set free; the equations (independent speeds do not change)
//
//     rhs - M udot + A^T lambda = 0,  A udot = gamma
//     qdot_k = 0                 equilibrium: all coordinates; steady motion: those it depends on (linear_model.hpp)
//     A u + b = 0,  phi = 0,  |e| = 1
//
// are solved by damped Gauss-Newton with symbolic derivatives, from the given start and from others. There may be fewer
// equations than unknowns (a family of steady motions: the nearest is found) or contradictory ones (they are reported). If
// constraints are redundant once the mechanism is closed, the search starts from the closed configuration with an independent
// subset (independent_constraints.hpp); the rows left out must hold at the solution, or another subset is chosen.
//
//     EquilibriumFinder finder(evaluator, {.steady = true, .held = {"q2", "u2"}});
//     EquilibriumReport report = finder.find(start);

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kane/analysis/force_ranges.hpp"
#include "kane/analysis/linear_model.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/simulate/system/independent_constraints.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

/// Options of the search.
struct EquilibriumOptions {
  /// Search for steady motions: coordinates that the motion does not depend on may change.
  bool steady = false;
  /// Coordinates and speeds held at their initial values.
  std::vector<std::string> held{};
  /// Inputs to solve for (trim).
  std::vector<std::string> free_inputs{};
  /// Number of additional starts, used if the first fails or if `all` is set.
  int starts = 60;
  /// Search from all starts, instead of stopping at the first solution.
  bool all = false;
  double reach = 3.2;  ///< range around the start for additional starts (rad, m)
  /// Called before each additional start, and while solutions are compared. What it throws ends the search.
  std::function<void()> on_start{};

  /// Throws ModelError for values that make no sense.
  void check() const;
};

/// One equilibrium or steady motion.
struct Equilibrium {
  State state;                 ///< at the equilibrium
  std::vector<double> inputs;  ///< including the free ones
  std::vector<double> lambda;  ///< multipliers of the constraints
  double residual = 0;         ///< largest residual, relative to typical forces
  int family = 0;              ///< dimension of the set of solutions this one belongs to, with the held values held
  int neighbours = 0;          ///< the same with nothing held: at least this many eigenvalues vanish
  /// Modes about the solution, without ignorable coordinates; empty if they do not exist there (no_modes says why).
  std::optional<ModeReport> modes;
  std::vector<std::string> states;  ///< names of the states of the modes
  std::string no_modes;             ///< why there are no modes
  /// Contacts, stops and frictions with their forces; empty if the model has none.
  std::vector<ContactForce> contacts{};
  bool indeterminate = false;  ///< more than one set of forces is in balance: one of them is given
  /// Forces of contacts and friction that are not unique, and their bounds.
  std::vector<ForceRange> ranges{};
  bool conservative = false;  ///< at rest, and forces have a potential: imaginary eigenvalues mean a minimum of it
  /// A sentence on stability.
  [[nodiscard]] std::string stability() const;

 private:
  [[nodiscard]] double slowest_decay() const;
};

/// Result of a search.
struct EquilibriumReport {
  std::vector<Equilibrium> found;      ///< the nearest first
  int starts = 0;                      ///< additional starts that were tried
  std::vector<std::string> ignorable;  ///< coordinates that the motion does not depend on
  std::vector<std::string> warnings;   ///< for the user
  std::string message;                 ///< if nothing was found: a sentence that says what does not balance
  /// Whether anything was found.
  [[nodiscard]] bool ok() const { return !found.empty(); }
};

/// Searches for equilibria of one system.
class EquilibriumFinder {
 public:
  /// Throws ModelError for unknown names. Adds expressions to the graph of the equations.
  EquilibriumFinder(SystemEvaluator& evaluator, EquilibriumOptions options = {});

  /// Uses the evaluator's parameters, active constraints and inputs (except the free ones), at start.t.
  [[nodiscard]] EquilibriumReport find(const State& start);

 private:
  using Vector = std::vector<double>;
  struct Best {
    double relative = 0, size = 0;
    int row = -1;  ///< row of the kernel
  };

  void compile();
  void hold_moving_constraints(const EquationsOfMotion& e, std::vector<Expr>& rows);
  void check_names() const;
  struct Solution {
    Vector x;
    IndependentConstraints constraints;
  };

  void prepare(const State& start);
  void calc_scales(const State& start);
  /// Equations and unknowns with these constraints.
  void use(const IndependentConstraints& constraints);
  void calc_rows(std::span<const double> x);
  [[nodiscard]] bool calc_residual(std::span<const double> x, std::span<double> r);
  [[nodiscard]] bool calc_jacobian(std::span<const double> x, MatrixView j);
  /// Starts from x, closed first if constraints are redundant.
  void search(Vector x);
  [[nodiscard]] bool search_closed(Vector& x);
  void forget_forces(Vector& x) const;
  void guess_given_forces(Vector& x) const;
  [[nodiscard]] bool is_singular(const Vector& x);
  [[nodiscard]] bool solve(Vector& x);
  [[nodiscard]] NewtonReport run_newton(Vector& x);
  [[nodiscard]] bool tighten_scales(const Vector& x);
  [[nodiscard]] bool dropped_hold(const Vector& x);
  void polish(Vector& x);
  [[nodiscard]] bool is_connected(const Solution& a, const Solution& b);
  [[nodiscard]] int calc_rank(std::span<const double> x, std::span<const double> scale);
  [[nodiscard]] bool is_conservative(const State& state);
  void unwind(Vector& x);
  void keep(const Vector& x);
  [[nodiscard]] Equilibrium describe_solution(const Solution& solution);
  [[nodiscard]] bool is_change_point(const State& state);
  void calc_shortest_multipliers(Equilibrium& found);
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] std::string name_row(std::size_t row) const;

  SystemEvaluator& evaluator_;
  const EquationsOfMotion& equations_;
  EquilibriumOptions options_;
  std::vector<bool> essential_;
  std::vector<std::size_t> free_inputs_;
  Linearizer linearizer_;
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
  struct Entry {
    std::size_t row, column;
  };
  std::vector<Entry> entries_;
  std::size_t all_rows_ = 0;
  bool depends_on_time_ = false;
  std::vector<std::size_t> held_rows_;  ///< constraints that move with time
  // State of one find():
  State start_;
  Vector start_x_, inputs_, scale_, row_scale_, start_scale_;
  double force_scale_ = 1;
  double given_scale_ = 1;         ///< of forces that loads depend on
  std::vector<std::size_t> rows_;  ///< which rows of the kernel are equations
  std::span<const double> values_;
  std::optional<GaussNewton> newton_;
  IndependentConstraintFinder finder_;
  IndependentConstraints all_, chosen_;
  bool redundant_ = false;           ///< constraints are redundant at the closed start
  std::vector<std::string> moving_;  ///< names of active constraints that move with time
  Best best_;
  std::vector<Solution> solutions_;
};

}  // namespace kane
