#pragma once
// Bringing a state back to its constraints. Integration keeps A udot = gamma and drifts away from phi = 0, |e| = 1 and
// A u + b = 0 by its own error; after every step the nearest state that satisfies them takes its place:
//
//     q: Newton's method on phi(q, t) = 0 and e . e = 1 with the shortest steps, dq = -J^+ phi, J = dphi/dq
//     u: the speeds nearest in kinetic energy with A u + b = 0 (an inelastic impact of the size of the error)
//
// Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4: the order of the method is kept, since the projection
// moves a state no further than the step has missed. Redundant rows do no harm (J^+ of a rank-revealing factorisation).

#include <span>
#include <vector>

#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/integrator.hpp"
#include "kane/solve/newton.hpp"
#include "kane/solve/qr.hpp"
#include "kane/solve/row_gram.hpp"

namespace kane {

/// How far open the constraints are.
struct ConstraintResiduals {
  double configuration = 0;    ///< largest |phi|, and |e . e - 1| / 2 of quaternions
  int configuration_row = -1;  ///< its constraint; or constraint_count() + number of the quaternion
  double motion = 0;           ///< largest |A u + b|
  int motion_row = -1;
};

class ConstraintProjector {
 public:
  /// `tolerance`: on every |phi|, and on every |A u + b| relative to its terms. Rounding of large numbers is allowed for.
  explicit ConstraintProjector(SystemEvaluator& evaluator, double tolerance = 1e-13);

  [[nodiscard]] double tolerance() const { return tolerance_; }
  /// From now on.
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  /// The active constraints of the evaluator have changed.
  void update_active();
  /// False if there is nothing to project onto.
  [[nodiscard]] bool needed() const {
    return !rows_.empty() || !contact_rows_.empty() || !written_.empty() || quaternions_ > 0 ||
           !evaluator_.active_rows().empty();
  }

  /// At the evaluator's time and inputs. Failed: `residuals` says which constraint is open, and how far.
  [[nodiscard]] ProjectionStatus project(std::span<double> q, std::span<double> u);
  [[nodiscard]] ProjectionStatus project_coordinates(std::span<double> q);
  [[nodiscard]] ProjectionStatus project_speeds(std::span<const double> q, std::span<double> u);

  /// After the last projection.
  [[nodiscard]] const ConstraintResiduals& residuals() const { return residuals_; }
  /// Whether the configuration equations hold, to the tolerance or to the rounding of q.
  [[nodiscard]] bool is_closed(std::span<const double> q);
  /// Measures without moving anything.
  [[nodiscard]] ConstraintResiduals calc_residuals(std::span<const double> q, std::span<const double> u);

  /// Rows of configuration equations: active constraints, quaternions, closed contacts of shapes, constraints written while
  /// it runs.
  [[nodiscard]] std::size_t row_count() const {
    return rows_.size() + quaternions_ + contact_rows_.size() + written_.size();
  }
  /// Number of the constraint of a row (or constraint_count() + number of the quaternion; -2 for a contact of shapes, -3 for
  /// a constraint added at run time).
  [[nodiscard]] int constraint_of_row(std::size_t row) const;
  /// All configuration equations and their derivatives at q. Either may be left out.
  void calc_configuration(std::span<const double> q, std::span<double> residual, MatrixView jacobian);
  /// Solves them by Gauss and Newton's method, from anywhere.
  [[nodiscard]] NewtonReport solve_configuration(GaussNewton& newton, std::span<double> q,
                                                 const NewtonOptions& options);

 private:
  struct Measure {
    double excess = 0;  ///< largest residual in units of its tolerance
    double largest = 0;
    int row = -1;
  };
  void evaluate(std::span<const double> q);
  void find_places();
  [[nodiscard]] bool solve_with_gram();
  void calc_contacts(std::span<const double> q, std::span<double> residual, MatrixView j);
  void calc_written(std::span<const double> q, std::span<double> residual, MatrixView j);
  [[nodiscard]] Measure measure(std::span<const double> q) const;
  /// Largest |A u + b| in units of its tolerance; fills residuals_.motion.
  [[nodiscard]] double measure_speeds(std::span<const double> u);

  SystemEvaluator& evaluator_;
  double tolerance_;
  KernelRunner configuration_;
  std::vector<int> phi_constraints_;  ///< constraints with phi, in the order of the kernel
  std::vector<std::size_t> rows_;     ///< positions in phi_constraints_ of the active ones
  std::size_t quaternions_;
  std::vector<std::size_t> contact_rows_;  ///< rows of the evaluator: normals of closed contacts of shapes
  std::vector<std::size_t> written_;       ///< places of the configuration constraints among the free rows
  Matrix jacobian_, gram_;
  std::vector<double> residual_, step_, trial_, zeros_, speeds_;
  PivotedQr qr_;
  RowGram gram_of_rows_;  ///< of J, for mechanisms with many loops
  bool few_entries_ = false;
  ConstraintResiduals residuals_;
};

/// "the constraint 'loop.x'" or "the norm of the quaternion e1".
[[nodiscard]] std::string describe_configuration_row(int row, const EquationsOfMotion& equations);

}  // namespace kane
