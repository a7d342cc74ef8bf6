#pragma once
// Gauss methods with 1, 2 or 3 stages: order 2 (the implicit midpoint rule), 4 and 6. Symplectic for canonical
// variables (y = (q, p), also when the mass matrix depends on q), symmetric, A-stable, and they keep quadratic
// invariants. Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1.3, VI.4 and VIII.6.
//
//     Y_i = y + Z_i,   Z_i = h sum_j a_ij f(t + c_j h, Y_j),   y_next = y + h sum_i b_i f(t + c_i h, Y_i)
//
// Z is iterated until it stops changing in double precision, and y is summed with compensation, so that the invariants
// random-walk at rounding level over long runs (Hairer, McLachlan, Razakarivony, Achieving Brouwer's law with implicit
// Runge-Kutta methods, BIT 2008). The iteration is a fixed-point iteration (no Jacobian; converges if h |df/dy| < 1);
// where it does not converge, or on request, simplified Newton is used.

#include "kane/solve/dense.hpp"
#include "kane/solve/fixed_step.hpp"

namespace kane {

enum class StageIteration {
  Automatic,  ///< fixed point; Newton from the first step at which that does not converge
  FixedPoint,
  Newton,
};

struct GaussOptions {
  double step = 1e-3;
  int stages = 1;  ///< 1, 2 or 3: order 2, 4, 6
  StageIteration iteration = StageIteration::Automatic;
  RhsJacobian jacobian = {};  ///< for Newton; by finite differences if there is none
  int max_iterations = 60;
};

class GaussIntegrator final : public FixedStepIntegrator {
 public:
  GaussIntegrator(std::size_t size, Rhs rhs, GaussOptions options);
  [[nodiscard]] std::string_view name() const override;
  void exchange(MemoryArchive& a) override {
    FixedStepIntegrator::exchange(a);
    a(f_, z_, compensation_, carried_, factored_h_, h_last_, newton_from_now_, has_history_);
    newton_.exchange(a);
  }

 protected:
  StepStatus advance(double h) override;
  void forget() override;
  void projected() override;

 private:
  void predict();
  void weigh(double h);
  [[nodiscard]] StepStatus evaluate_stages(double h);
  [[nodiscard]] double update_fixed_point(double h);
  [[nodiscard]] double update_newton(double h);
  [[nodiscard]] StepStatus iterate(double h, bool newton);
  [[nodiscard]] StepStatus factor(double h);
  void finish(double h);

  GaussOptions options_;
  std::size_t s_;
  std::vector<double> f_, z_, z_old_, delta_;  ///< one block of padded_ per stage
  std::vector<double> weight_, compensation_, carried_;
  Matrix jacobian_;
  Lu newton_;
  double factored_h_ = 0, h_last_ = 0;
  bool newton_from_now_ = false, has_history_ = false;
};

}  // namespace kane
