#pragma once
// Explicit symplectic integration of separable systems, qdot = a(t, u), udot = b(t, q): constant mass matrix, forces of
// position (and time) only. The Stormer-Verlet method
//
//     u_half = u + h/2 b(t, q),   q_next = q + h a(u_half),   u_next = u_half + h/2 b(t + h, q_next)
//
// is the variational integrator of the trapezoidal discrete Lagrangian, of order 2 (Hairer, Lubich, Wanner, Geometric
// Numerical Integration, I.1.4 and VI.6); composed with itself over h g1, h (1 - 2 g1), h g1, g1 = 1/(2 - 2^(1/3)), it
// has order 4 (II.4, triple jump). One evaluation of b per stage.

#include "kane/solve/fixed_step.hpp"

namespace kane {

/// Writes qdot from u, or udot from q.
using HalfRhs = std::function<RhsStatus(double t, std::span<const double> from, std::span<double> rate)>;

struct SeparableSystem {
  std::size_t coordinates = 0;  ///< y = (q, u), q first
  std::size_t speeds = 0;
  HalfRhs qdot;
  HalfRhs udot;
};

class StormerVerlet final : public FixedStepIntegrator {
 public:
  /// order: 2 or 4.
  StormerVerlet(SeparableSystem system, double step, int order = 2);
  [[nodiscard]] std::string_view name() const override { return order_ == 2 ? "verlet" : "verlet4"; }
  void exchange(MemoryArchive& a) override {
    FixedStepIntegrator::exchange(a);
    a(qdot_, udot_, compensation_, has_force_);
  }

 protected:
  StepStatus advance(double h) override;
  void forget() override;
  void projected() override;

 private:
  StepStatus stage(double t, double h);
  StepStatus calc_force(double t);
  void add(std::size_t first, double h, const std::vector<double>& rate);

  SeparableSystem system_;
  int order_;
  std::vector<double> qdot_, udot_, compensation_;
  bool has_force_ = false;
};

}  // namespace kane
