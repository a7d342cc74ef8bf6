#pragma once
// How the motion changes when the state, an input or a parameter changes: the equations of motion differentiated by the
// chain rule. At a state with the accelerations udot and multipliers lambda,
//
//     g := rhs - M udot + A^T lambda = 0,   h := gamma - A udot = 0
//
// and a change d of (q, u) and of anything else that occurs in the equations gives
//
//     M dudot = dg + A^T dlambda,   A dudot = dh          (dg, dh at fixed udot and lambda)
//
// which has the form of the equations of motion themselves: the same embedding solves it. One program computes all
// derivatives; only entries that are not identically zero are in it. For large systems that would be too long: there the
// program has the derivative along one change of everything, whose components are further arguments, and runs once for
// each change.

#include <memory>
#include <span>
#include <vector>

#include "kane/expr/substitution.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

class MotionTangent {
 public:
  /// Derivatives with respect to all coordinates and speeds, and along further directions: each a set of rates of symbols
  /// (parameters, inputs, t), for instance {m: 1}. Adds expressions to the graph of the equations.
  MotionTangent(SystemEvaluator& evaluator, const KernelWorkshop& shop, std::span<const Substitution> directions = {});

  [[nodiscard]] std::size_t direction_count() const { return directions_; }

  /// Motion and derivatives at a state, with the evaluator's parameters, inputs, time and active constraints.
  [[nodiscard]] MotionReport calc(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] std::span<const double> qdot() const { return qdot_; }
  [[nodiscard]] std::span<const double> udot() const { return udot_; }
  /// Multipliers of all constraints, zero for inactive ones.
  [[nodiscard]] std::span<const double> lambda() const { return lambda_; }

  /// The change of (qdot, udot) for a change dy of (q, u) and, if `direction` is not negative, a change along that
  /// direction of the given length. `dlambda` (all constraints) may be left out. False if the equations cannot be solved
  /// here. Does not allocate.
  [[nodiscard]] bool apply(std::span<const double> dy, int direction, std::span<double> dydot,
                           std::span<double> dlambda = {}, double length = 1);

 private:
  struct Entry {
    std::size_t row, output;
  };
  /// All derivatives, column by column.
  void compile_columns(const KernelWorkshop& shop, const std::vector<Expr>& rows,
                       std::span<const Substitution> directions);
  /// The derivative along one change.
  void compile_along(const KernelWorkshop& shop, const std::vector<Expr>& rows,
                     std::span<const Substitution> directions);
  /// Into rows_.
  [[nodiscard]] bool calc_rows(std::span<const double> dy, int direction, double length);
  void add_column(std::size_t column, double factor);
  [[nodiscard]] bool prepare_solver(std::span<const double> q, std::span<const double> u);

  SystemEvaluator& evaluator_;
  std::size_t directions_;
  std::vector<Entry> entries_;      ///< column by column
  std::vector<std::size_t> begin_;  ///< first entry of each column, and the end; empty: along one change
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
  std::span<const double> values_;
  std::vector<double> q_, u_, change_;  ///< arguments of the derivative along one change
  std::vector<double> qdot_, udot_, lambda_, rows_, gamma_, active_lambda_, all_lambda_;
  MassFactors factors_;
};

/// g and h of above as expressions, with the laws of the inputs put in: rows qdot, g, h (all constraints).
[[nodiscard]] std::vector<Expr> motion_rows(const KernelWorkshop& shop);

}  // namespace kane
