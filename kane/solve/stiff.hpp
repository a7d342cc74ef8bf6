#pragma once
// Integrators for stiff systems, by SUNDIALS: CVODE (backward differentiation formulas of order 1 to 5) and ARKODE
// (diagonally implicit Runge-Kutta methods). Same interface as our own; dense linear algebra; df/dy from the caller or
// by finite differences. Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
// ACM TOMS 31 (2005).

#include "kane/solve/integrator.hpp"

namespace kane {

struct StiffOptions {
  AdaptiveOptions adaptive = {};
  RhsJacobian jacobian = {};  ///< by finite differences if there is none
  int order = 0;              ///< CVODE: the largest to use, 1 to 5 (0 = 5). ARKODE: the order, 2 to 5 (0 = 5).
};

/// The common part of CVODE and ARKODE.
class StiffIntegrator : public Integrator {
 public:
  ~StiffIntegrator() override;
  void set_projection(StateProjection projection) override;
  void exchange(MemoryArchive& a) override;

 protected:
  struct Problem;
  StiffIntegrator(std::size_t size, Rhs rhs, StiffOptions options);

  void do_start() final;
  void do_resume() final;
  StepStatus do_step(double t_limit) final;
  StepStatus do_interpolate(double t, std::span<double> y) final;

  virtual void restart() = 0;                 ///< from problem_->y at t_
  virtual void set_first_step(double h) = 0;  ///< first of the steps to come, with its sign; 0: chosen by the method
  /// A step size to start with after resume(), estimated from the steps before; 0 if they say nothing about it.
  [[nodiscard]] virtual double guess_step() const { return 0; }
  virtual void set_guess(double /*step*/) {}
  virtual void turn_around() {}  ///< time is about to run the other way
  virtual void set_stop_time(double t) = 0;
  virtual int advance(double towards, double& reached) = 0;  ///< one step into problem_->out; the library's flag
  virtual int read_dense(double t) = 0;                      ///< into problem_->out
  virtual void enable_projection(bool enable) = 0;
  virtual void read_counters() = 0;  ///< order, rejections, error, worst component
  void measure_error();              ///< from the errors in problem_->scratch and the weights in problem_->scratch2

  StiffOptions options_;
  std::unique_ptr<Problem> problem_;

 private:
  [[nodiscard]] StepStatus explain(int flag) const;

  double direction_ = 0;
  double first_step_ = 0;
  bool fresh_ = true;  ///< no step since start() or resume()
};

/// Backward differentiation formulas.
class CvodeIntegrator final : public StiffIntegrator {
 public:
  CvodeIntegrator(std::size_t size, Rhs rhs, StiffOptions options = {});
  ~CvodeIntegrator() override;
  [[nodiscard]] std::string_view name() const override { return "cvode"; }

 protected:
  void restart() override;
  void set_first_step(double h) override;
  void set_stop_time(double t) override;
  int advance(double towards, double& reached) override;
  int read_dense(double t) override;
  void enable_projection(bool enable) override;
  void read_counters() override;

 private:
  void* memory_ = nullptr;
  long failures_ = 0;
};

/// Diagonally implicit Runge-Kutta: one-step, so that frequent events and impulses cost no start-up at low order.
class ArkodeIntegrator final : public StiffIntegrator {
 public:
  ArkodeIntegrator(std::size_t size, Rhs rhs, StiffOptions options = {});
  ~ArkodeIntegrator() override;
  [[nodiscard]] std::string_view name() const override { return "arkode"; }

 protected:
  void restart() override;
  void set_first_step(double h) override;
  void turn_around() override;
  void set_stop_time(double t) override;
  int advance(double towards, double& reached) override;
  int read_dense(double t) override;
  void enable_projection(bool enable) override;
  void read_counters() override;
  [[nodiscard]] double guess_step() const override;
  void set_guess(double step) override { last_step_ = step; }

 private:
  void create();

  void* memory_ = nullptr;
  long failures_ = 0;
  double last_step_ = 0;
};

}  // namespace kane
