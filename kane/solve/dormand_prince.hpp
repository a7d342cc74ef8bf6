#pragma once
// The explicit methods of Dormand and Prince: order 5 with an error estimate of order 4 (1980) and a continuous extension
// of order 4; order 8 with error estimates of orders 5 and 3 and a continuous extension of order 7 (Hairer, Norsett,
// Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.5, II.6 and II.10: dopri5, dop853).

#include "kane/solve/explicit_adaptive.hpp"

namespace kane {

/// Six evaluations per step (the seventh is the first of the next step).
class DormandPrince54 final : public ExplicitAdaptive {
 public:
  DormandPrince54(std::size_t size, Rhs rhs, const AdaptiveOptions& options = {});
  [[nodiscard]] std::string_view name() const override { return "dopri5"; }
  void exchange(MemoryArchive& a) override {
    ExplicitAdaptive::exchange(a);
    a(k_);  // interpolation needs the stages
  }

 protected:
  Attempt attempt(double h) override;
  double estimate_lambda() override;
  StepStatus prepare_dense() override;
  void evaluate_dense(double s, std::span<double> y) const override;

 private:
  [[nodiscard]] double* k(std::size_t stage) { return k_.data() + (stage - 2) * padded_; }  ///< stages 2 .. 6

  std::vector<double> k_, stage_, error_, dense_;
};

/// Twelve evaluations per step, three more for the first interpolation in it.
class DormandPrince853 final : public ExplicitAdaptive {
 public:
  DormandPrince853(std::size_t size, Rhs rhs, const AdaptiveOptions& options = {});
  [[nodiscard]] std::string_view name() const override { return "dop853"; }
  void exchange(MemoryArchive& a) override {
    ExplicitAdaptive::exchange(a);
    a(k_);  // interpolation needs the stages
  }

 protected:
  Attempt attempt(double h) override;
  double estimate_lambda() override;
  StepStatus prepare_dense() override;
  void evaluate_dense(double s, std::span<double> y) const override;

 private:
  [[nodiscard]] double* k(std::size_t stage) { return k_.data() + (stage - 2) * padded_; }  ///< stages 2 .. 16
  [[nodiscard]] double calc_error(double h);

  std::vector<double> k_, stage_, error_, dense_;
};

}  // namespace kane
