#pragma once
// An integrator that chooses its method: explicit until stiffness is detected, then backward differentiation
// formulas.

#include "kane/solve/explicit_adaptive.hpp"
#include "kane/solve/stiff.hpp"

namespace kane {

struct AutoSwitchOptions {
  AdaptiveOptions adaptive = {};
  RhsJacobian jacobian = {};  ///< for the stiff method; by finite differences if there is none
  double stiff_absolute = 0;  ///< least absolute tolerance of the stiff method
};

/// Dormand-Prince 8(5,3) if some relative tolerance is below 1e-9, else 5(4); CVODE from the step at which the
/// explicit method reports stiffness or its step size becomes too small.  start() begins with the explicit method
/// again.
class AdaptiveIntegrator final : public Integrator {
 public:
  AdaptiveIntegrator(std::size_t size, Rhs rhs, const AutoSwitchOptions& options = {});
  /// For the method in use.
  [[nodiscard]] std::string_view name() const override { return active_->name(); }
  [[nodiscard]] bool stiff() const { return active_ == stiff_.get(); }
  void set_projection(StateProjection projection) override;
  void exchange(MemoryArchive& a) override;

 protected:
  void do_start() override;
  void do_resume() override;
  StepStatus do_step(double t_limit) override;
  StepStatus do_interpolate(double t, std::span<double> y) override;

 private:
  StepStatus take(const StepReport& report);
  void switch_to_stiff();

  std::unique_ptr<Integrator> explicit_, stiff_;
  Integrator* active_;
  bool switch_next_ = false;
};

}  // namespace kane
