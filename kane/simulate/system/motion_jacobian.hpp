#pragma once
// df/dy of ydot = f(t, y), y = (q, u), from the symbolic derivatives of the equations of motion, with the active
// constraints embedded. Differentiating
//
//     M udot = rhs + A^T lambda,   A udot = gamma
//
// by y_k gives equations for dudot/dy_k of the same form, with the right-hand sides d(rhs - M udot + A^T lambda)/dy_k and
// d(gamma - A udot)/dy_k at fixed udot and lambda; so the embedding solves them column by column. Without constraints, and
// where udot was solved for in symbols, it is differentiated as it is.

#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

class MotionJacobian {
 public:
  /// Forms and compiles the derivatives (once per CompiledSystem).
  explicit MotionJacobian(SystemEvaluator& evaluator);

  /// False: they would be too long, take differences.
  [[nodiscard]] bool available() const { return kernel_ != nullptr; }
  /// At the evaluator's time and inputs. `dfdy` is (nq + nu) x (nq + nu).
  [[nodiscard]] RhsStatus calc(std::span<const double> q, std::span<const double> u, MatrixView dfdy);

 private:
  [[nodiscard]] RhsStatus solve_columns(MatrixView dfdy);

  SystemEvaluator& evaluator_;
  const LinearizationKernel* kernel_;
  KernelRunner runner_;
  std::vector<double> qdot_, udot_, lambda_, column_, gamma_, solution_;
  Matrix rows_;
  MassFactors factors_;
};

}  // namespace kane
