#pragma once
// Integrators with a fixed step: their common part (time that does not drift, interpolation), and the classical
// Runge-Kutta method of order 4.

#include "kane/solve/integrator.hpp"

namespace kane {

/// The k-th time is t0 + k h, not a sum of h's. A step is shortened only to meet a limit; then counting starts again.
/// Interpolation is the cubic through both ends with the slopes there (error of order h^4).
class FixedStepIntegrator : public Integrator {
 public:
  FixedStepIntegrator(std::size_t size, Rhs rhs, double step);

  [[nodiscard]] double step_size() const { return h_; }
  void set_step_size(double step);
  void exchange(MemoryArchive& a) override {
    Integrator::exchange(a);
    a(slope_, slope_previous_, h_, t_base_, count_, direction_, has_slope_, has_slope_previous_, shortened_);
  }

 protected:
  void do_start() final;
  void do_resume() final;
  StepStatus do_step(double t_limit) final;
  void do_accept() final;
  StepStatus do_interpolate(double t, std::span<double> y) final;

  /// From (t_, y_) by h into y_next_.
  virtual StepStatus advance(double h) = 0;
  /// Called after the state was changed from outside.
  virtual void forget() {}
  /// Called after the projection has changed y_next_.
  virtual void projected() {}
  /// f at (t_, y_) in slope_, evaluated at most once.
  [[nodiscard]] StepStatus need_slope();
  void forget_slope() { has_slope_ = false; }

  std::vector<double> slope_, slope_previous_;

 private:
  double h_;
  double t_base_ = 0;
  long count_ = 0;
  double direction_ = 1;
  bool has_slope_ = false, has_slope_previous_ = false, shortened_ = false;
};

class RungeKutta4 final : public FixedStepIntegrator {
 public:
  RungeKutta4(std::size_t size, Rhs rhs, double step);
  [[nodiscard]] std::string_view name() const override { return "rk4"; }

 protected:
  StepStatus advance(double h) override;

 private:
  StepStatus try_step(double h);

  std::vector<double> k_, sum_;
};

}  // namespace kane
