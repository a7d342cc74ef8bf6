#include "kane/simulate/motion/change_point_step.hpp"

#include <algorithm>

namespace kane {

namespace {

void store(const State& state, std::span<double> y) {
  std::ranges::copy(state.q, y.begin());
  std::ranges::copy(state.u, y.begin() + static_cast<std::ptrdiff_t>(state.q.size()));
}

}  // namespace

ChangePointStep::ChangePointStep(ChangePoint& change_point, std::size_t states, std::function<void(double)> situate)
    : Integrator(states, [](double, std::span<const double>, std::span<double>) { return RhsStatus::Stop; }),
      change_point_(change_point),
      situate_(std::move(situate)) {}

bool ChangePointStep::pass(const State& state, double limit) {
  const double h = change_point_.find_jump(state);
  if (h == 0 || state.t + h >= limit) return false;
  state_ = state;
  store(state, y_next_);
  resume(state.t, std::span(y_next_).first(n_));
  return step(state.t + h).status == StepStatus::Ok;
}

StepStatus ChangePointStep::do_step(double t_limit) {
  situate_(t_limit);
  if (!change_point_.jump(state_)) return StepStatus::ProjectionFailed;
  t_next_ = state_.t;
  store(state_, y_next_);
  return StepStatus::Ok;
}

StepStatus ChangePointStep::do_interpolate(double t, std::span<double> y) {
  change_point_.interpolate(t, state_);
  store(state_, y);
  return StepStatus::Ok;
}

}  // namespace kane
