#pragma once
// Numeric linear equations about a state, x' = A x + B r, y = C x + D r, compiled once and evaluated for any parameters
// and states (root loci, equilibria, frequency responses). The same matrices in symbols: kane/mechanics/linearize.hpp.
//
// x are independent changes of coordinates and speeds. All changes that respect the constraints are dy = T x:
//
//     J dq = 0                   J = dphi/dq, and 2 e . de = 0 of quaternions
//     A du + d(A u + b)/dq dq = 0
//
// T has unit rows for the independent changes, so that A = (independent rows of df/dy) T.

#include <string>
#include <vector>

#include "kane/analysis/motion_tangent.hpp"
#include "kane/analysis/signals.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"

namespace kane {

/// x' = A x + B r, y = C x + D r.
struct LinearModel {
  std::vector<std::string> states;   ///< names of x
  std::vector<std::string> inputs;   ///< names of r
  std::vector<std::string> outputs;  ///< names of y
  std::size_t coordinates = 0;       ///< number of coordinates, which come first among the states
  Matrix a;                          ///< A
  Matrix b;                          ///< B
  Matrix c;                          ///< C
  Matrix d;                          ///< D
  /// Rates of the states at the nominal state: zero at an equilibrium.
  std::vector<double> drift;
};

/// Options of a linear model.
struct LinearModelOptions {
  std::vector<Signal> outputs{};  ///< y
  /// Only these coordinates and speeds vary; empty: all independent ones.
  std::vector<std::string> only{};
};

/// Linear models about any state of one system.
class Linearizer {
 public:
  /// Throws ModelError for unknown names.
  explicit Linearizer(SystemEvaluator& evaluator, LinearModelOptions options = {});

  /// Linearizes with the evaluator's parameters, inputs and active constraints. Throws ModelError if the equations cannot
  /// be solved at the state.
  [[nodiscard]] LinearModel calc(const State& state);

  /// The coordinates that the motion depends on. A coordinate is ignorable if changing it affects neither the derivatives
  /// of the speeds nor the rate of a coordinate that is not ignorable itself: the heading and the contact point of a
  /// rolling disk are ignorable, its lean is not. Found from the linear equations at states near the given one.
  [[nodiscard]] std::vector<bool> find_essential(const State& near);
  /// Leaves out these coordinates from now on.
  void drop(const std::vector<bool>& coordinates) { dropped_ = coordinates; }

 private:
  Linearizer(SystemEvaluator& evaluator, LinearModelOptions options, const KernelWorkshop& shop);
  void choose_states(const State& state);
  /// The columns of T: changes of (q, u), one per state.
  [[nodiscard]] std::vector<std::vector<double>> calc_basis(const State& state);
  [[nodiscard]] bool is_wanted(const std::string& name) const;
  void fill_outputs(LinearModel& model, std::span<const double> derivatives, std::span<const double> change,
                    std::size_t column, bool input) const;

  SystemEvaluator& evaluator_;
  LinearModelOptions options_;
  std::vector<bool> dropped_;
  MotionTangent tangent_;
  ConstraintProjector projector_;
  std::unique_ptr<Kernel> velocity_kernel_, output_kernel_;
  KernelRunner velocity_, output_;
  std::vector<std::size_t> free_q_, bound_q_, free_u_, bound_u_;
  Matrix configuration_;
};

}  // namespace kane
