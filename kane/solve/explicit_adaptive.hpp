#pragma once
// Explicit Runge-Kutta methods with an error estimate: step size control, first step, detection of stiffness. Hairer,
// Norsett, Wanner, Solving Ordinary Differential Equations I (2nd ed.), II.4 and II.5; Hairer, Wanner, volume II, IV.2.

#include "kane/solve/integrator.hpp"
#include "kane/solve/stage_sum.hpp"

namespace kane {

/// Properties of a method that the step size controller needs.
struct ExplicitTraits {
  int order = 0;
  double error_exponent = 0;  ///< the error estimate behaves like h^(1/error_exponent)
  double memory = 0;          ///< beta of the PI controller
  double shrink = 0.2;        ///< least and largest factor from step to step
  double grow = 10;
  double stability = 0;  ///< where |h lambda| means stiff: the edge of the stability region on the real axis
};

class ExplicitAdaptive : public Integrator {
 public:
  ExplicitAdaptive(std::size_t size, Rhs rhs, const AdaptiveOptions& options, const ExplicitTraits& traits);

  /// The step size that will be tried next (positive; 0 before the first step).
  [[nodiscard]] double next_step_size() const { return h_; }
  void exchange(MemoryArchive& a) override;

 protected:
  struct Attempt {
    RhsStatus status = RhsStatus::Ok;
    double error = 0;  ///< relative to the tolerance: 1 is just acceptable
  };

  /// Tries a step of length h (signed) from (t_, y_) with slope_ = f(t_, y_), to y_next_ with slope_next_ = f there.
  /// The error must not be finite if any slope is not, whether it has a weight in the estimate or not.
  virtual Attempt attempt(double h) = 0;
  /// |f(y_next) - f(Y)| / |y_next - Y| for a stage Y at the same time t + h: an estimate of the largest |lambda|.
  virtual double estimate_lambda() = 0;
  /// Everything interpolation needs, from t_previous_, y_previous_, slope_previous_ and t_, y_, slope_.
  virtual StepStatus prepare_dense() = 0;
  virtual void evaluate_dense(double s, std::span<double> y) const = 0;

  void do_start() final;
  void do_resume() final;
  StepStatus do_step(double t_limit) final;
  void do_accept() final;
  StepStatus do_interpolate(double t, std::span<double> y) final;

  /// Sum of the squares of e_i / (atol_i + rtol_i max(|y_i|, |y_next_i|)).
  [[nodiscard]] double scaled_square(const double* e) const {
    return sums_.scaled_square(e, {rtol_.data(), atol_.data(), y_.data(), y_next_.data()}, padded_);
  }
  void find_worst(const double* e);

  const StageSums& sums_ = best_stage_sums();
  std::vector<double> slope_, slope_next_, slope_previous_;
  std::vector<double> rtol_, atol_;

 private:
  [[nodiscard]] StepStatus choose_first_step(double t_limit);
  [[nodiscard]] Attempt attempt_watched(double h);
  [[nodiscard]] double smallest_step() const;
  [[nodiscard]] double limit_step(double direction, double t_limit);
  void plan_next(double error, bool after_rejection);
  void look_for_stiffness(double h);
  [[nodiscard]] StepStatus failure(RhsStatus status, bool projection_failed) const;
  [[nodiscard]] StepStatus need_slope();

  ExplicitTraits traits_;
  AdaptiveOptions options_;
  double h_ = 0;              ///< next step size, positive; 0: to be chosen
  double log_old_error_ = 0;  ///< log of the error of the last accepted step, at least 1e-4
  int stiff_hits_ = 0, free_hits_ = 0;
  long until_check_ = 0;
  bool has_slope_ = false, next_slope_valid_ = false, has_dense_ = false, limited_ = false;
};

}  // namespace kane
