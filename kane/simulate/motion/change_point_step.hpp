#pragma once
// A jump over a change point (change_point.hpp) in the shape of an integrator's step, so that events and samples inside it are
// found as in any other step.

#include <functional>

#include "kane/simulate/motion/change_point.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

class ChangePointStep final : public Integrator {
 public:
  /// `situate(t)`: gives the evaluator time and inputs of that instant.
  ChangePointStep(ChangePoint& change_point, std::size_t states, std::function<void(double)> situate);

  [[nodiscard]] std::string_view name() const override { return "jump"; }
  /// From a state where a jump is due, if it ends before `limit`. False: step on.
  [[nodiscard]] bool pass(const State& state, double limit);
  void exchange(MemoryArchive& a) override {
    Integrator::exchange(a);
    a(state_.t, state_.q, state_.u);
  }

 private:
  void do_start() override {}
  void do_resume() override {}
  StepStatus do_step(double t_limit) override;
  StepStatus do_interpolate(double t, std::span<double> y) override;

  ChangePoint& change_point_;
  std::function<void(double)> situate_;
  State state_;
};

}  // namespace kane
