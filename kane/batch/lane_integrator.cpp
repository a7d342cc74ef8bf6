#include "kane/batch/lane_integrator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/solve/dense_output.hpp"

namespace kane {

namespace {

// As in explicit_adaptive.cpp and dopri5.cpp.
constexpr double kLaneSafety = 0.9, kLaneShrink = 0.2, kLaneGrow = 10, kLaneExponent = 0.2, kLaneMemory = 0.04;
constexpr double kLaneLogSmallestError = -9.210340371976182736;  // log 1e-4
constexpr double kLaneOrder = 5;

double lane_smallest_step(double t) {
  return std::max(16 * std::numeric_limits<double>::epsilon() * std::abs(t), 1e-100);
}

}  // namespace

LaneIntegrator::LaneIntegrator(LaneProblem& problem)
    : problem_(problem),
      loops_(best_lane_loops(problem.options().lanes)),
      n_(problem.size()),
      lanes_(static_cast<std::size_t>(problem.options().lanes)),
      k_{LaneArray(n_ * lanes_), LaneArray(n_ * lanes_), LaneArray(n_ * lanes_), LaneArray(n_ * lanes_),
         LaneArray(n_ * lanes_), LaneArray(n_ * lanes_), LaneArray(n_ * lanes_)},
      y_(n_ * lanes_),
      next_(n_ * lanes_),
      stage_(n_ * lanes_),
      before_(n_ * lanes_),
      slope_before_(n_ * lanes_),
      slope_after_(n_ * lanes_),
      dense_(n_ * lanes_),
      h_(lanes_),
      t_stage_(lanes_),
      t_now_(lanes_),
      t_next_(lanes_),
      squares_(lanes_) {}

void LaneIntegrator::start(std::size_t l, const State& state, double end) {
  for (std::size_t i = 0; i < state.q.size(); ++i) y_[i * lanes_ + l] = state.q[i];
  for (std::size_t i = 0; i < state.u.size(); ++i) y_[(state.q.size() + i) * lanes_ + l] = state.u[i];
  LaneState& s = state_[l];
  s = {};
  s.t = s.t_before = s.begin = state.t;
  s.end = end;
  s.log_old_error = kLaneLogSmallestError;
  s.active = s.fresh = true;
}

void LaneIntegrator::begin() {
  problem_.update();
  for (std::size_t l = 0; l < lanes_; ++l) t_now_[l] = state_[l].t;
  // Lanes in the middle of a run get the slope they had.
  problem_.calc_rates(t_now_.data(), y_.data(), k_[0].data());
  for (std::size_t i = 0; i < n_ * lanes_; ++i) before_[i] = y_[i], slope_before_[i] = slope_after_[i] = k_[0][i];
  if (!problem_.fixed_step()) choose_first_steps();
  for (std::size_t l = 0; l < lanes_; ++l) state_[l].fresh = false;
}

// ExplicitAdaptive::choose_first_step, for the lanes that are new.
void LaneIntegrator::choose_first_steps() {
  const LaneProblemOptions& o = problem_.options();
  const double root_n = std::sqrt(static_cast<double>(n_)), one = 1;
  std::array<double, kMostLanes> d0{}, d1{}, d2{}, h{}, ones;
  std::array<bool, kMostLanes> open{};
  ones.fill(1);
  const double* const state[] = {y_.data()};
  const double* const slope[] = {k_[0].data()};
  loops_.error(squares_.data(), state, &one, 1, ones.data(), y_.data(), y_.data(), o.relative, o.absolute, n_);
  for (std::size_t l = 0; l < lanes_; ++l) d0[l] = std::sqrt(squares_[l]) / root_n;
  loops_.error(squares_.data(), slope, &one, 1, ones.data(), y_.data(), y_.data(), o.relative, o.absolute, n_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    const LaneState& s = state_[l];
    d1[l] = std::sqrt(squares_[l]) / root_n;
    open[l] = s.active && s.fresh;
    h[l] = d0[l] < 1e-5 || d1[l] < 1e-5 ? 1e-6 : 0.01 * d0[l] / d1[l];
    h[l] = open[l] ? std::min({h[l], o.max_step, s.end - s.t}) : 0;
    if (open[l] && !std::isfinite(d1[l])) state_[l].failed = true, open[l] = false;
  }
  const auto fresh = open;
  constexpr int kTries = 40;
  for (int tries = 0; tries < kTries && std::find(open.begin(), open.end(), true) != open.end(); ++tries) {
    for (std::size_t l = 0; l < lanes_; ++l) h_[l] = h[l], t_stage_[l] = state_[l].t + h[l];
    loops_.stage(stage_.data(), y_.data(), h_.data(), slope, &one, 1, n_);
    problem_.calc_rates(t_stage_.data(), stage_.data(), k_[1].data());
    for (std::size_t i = 0; i < n_ * lanes_; ++i) k_[1][i] -= k_[0][i];
    const double* const change[] = {k_[1].data()};
    loops_.error(squares_.data(), change, &one, 1, ones.data(), y_.data(), y_.data(), o.relative, o.absolute, n_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (!open[l]) continue;
      if (std::isfinite(squares_[l]))
        d2[l] = std::sqrt(squares_[l]) / root_n / h[l], open[l] = false;
      else
        h[l] *= 0.1;
    }
  }
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!fresh[l]) continue;
    LaneState& s = state_[l];
    const double steepest = std::max(d1[l], d2[l]);
    const double h1 = steepest <= 1e-15 ? std::max(1e-6, h[l] * 1e-3) : std::pow(0.01 / steepest, 1 / kLaneOrder);
    s.h = std::max(std::min({100 * h[l], h1, o.max_step, s.end - s.t}), 2 * lane_smallest_step(s.t));
    if (!std::isfinite(s.h)) s.h = 1e-6;
  }
}

/// The length of the step that is tried next.
void LaneIntegrator::plan_step(std::size_t l) {
  LaneState& s = state_[l];
  h_[l] = 0, t_now_[l] = t_next_[l] = s.t;
  if (!s.active || s.failed || s.t >= s.end) return;
  const double left = s.end - s.t;
  if (problem_.fixed_step()) {
    const double step = problem_.options().step;
    double to = s.begin + static_cast<double>(s.count + 1) * step;
    s.limited = left <= step * (1 + 1e-9) || to > s.end;
    if (s.limited) to = s.end;
    t_next_[l] = to, h_[l] = to - s.t;
    if (to == s.t) s.failed = true;
    return;
  }
  s.limited = s.h * 1.01 >= left;
  t_next_[l] = s.limited ? s.end : s.t + s.h;
  h_[l] = s.limited ? left : t_next_[l] - s.t;
}

void LaneIntegrator::step() {
  for (std::size_t l = 0; l < lanes_; ++l) plan_step(l);
  if (problem_.fixed_step())
    attempt_rk4();
  else
    attempt_dopri5();
  accept();
  has_dense_ = false;
}

void LaneIntegrator::attempt_rk4() {
  double* const k1 = k_[0].data();
  double* const k2 = k_[1].data();
  double* const k3 = k_[2].data();
  double* const k4 = k_[3].data();
  const double half = 0.5, one = 1;
  const double *first[] = {k1}, *second[] = {k2}, *third[] = {k3};
  for (std::size_t l = 0; l < lanes_; ++l) t_stage_[l] = t_now_[l] + 0.5 * h_[l];
  loops_.stage(stage_.data(), y_.data(), h_.data(), first, &half, 1, n_);
  problem_.calc_rates(t_stage_.data(), stage_.data(), k2);
  loops_.stage(stage_.data(), y_.data(), h_.data(), second, &half, 1, n_);
  problem_.calc_rates(t_stage_.data(), stage_.data(), k3);
  loops_.stage(stage_.data(), y_.data(), h_.data(), third, &one, 1, n_);
  problem_.calc_rates(t_next_.data(), stage_.data(), k4);
  const double* const all[] = {k1, k2, k3, k4};
  constexpr double kWeights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  loops_.stage(next_.data(), y_.data(), h_.data(), all, kWeights, 4, n_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    LaneState& s = state_[l];
    s.accepted = s.active && !s.failed && h_[l] != 0;
    if (!s.accepted) continue;
    double sum = 0;  // not finite if anything in it is not
    for (std::size_t i = 0; i < n_; ++i) sum += 0 * next_[i * lanes_ + l];
    if (sum != 0 || std::isnan(sum)) s.failed = true, s.accepted = false;
    if (s.limited)
      s.begin = t_next_[l], s.count = 0;
    else
      ++s.count;
  }
}

// The tableau of table II.5.2 (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I).
void LaneIntegrator::attempt_dopri5() {
  static constexpr double a2[] = {1.0 / 5}, a3[] = {3.0 / 40, 9.0 / 40}, a4[] = {44.0 / 45, -56.0 / 15, 32.0 / 9},
                          a5[] = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                          a6[] = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                          b[] = {35.0 / 384, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
                          e[] = {71.0 / 57600, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  static constexpr double c[] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9};
  static constexpr const double* const a[] = {a2, a3, a4, a5};
  const double* const slopes[] = {k_[0].data(), k_[1].data(), k_[2].data(), k_[3].data(),
                                  k_[4].data(), k_[5].data(), k_[6].data()};
  for (int s = 0; s < 4; ++s) {
    for (std::size_t l = 0; l < lanes_; ++l) t_stage_[l] = t_now_[l] + c[s] * h_[l];
    loops_.stage(stage_.data(), y_.data(), h_.data(), slopes, a[s], s + 1, n_);
    problem_.calc_rates(t_stage_.data(), stage_.data(), k_[static_cast<std::size_t>(s) + 1].data());
  }
  loops_.stage(stage_.data(), y_.data(), h_.data(), slopes, a6, 5, n_);
  problem_.calc_rates(t_next_.data(), stage_.data(), k_[5].data());
  const double* const last[] = {slopes[0], slopes[2], slopes[3], slopes[4], slopes[5], slopes[6]};
  loops_.stage(next_.data(), y_.data(), h_.data(), last, b, 5, n_);
  problem_.calc_rates(t_next_.data(), next_.data(), k_[6].data());
  loops_.error(squares_.data(), last, e, 6, h_.data(), y_.data(), next_.data(), problem_.options().relative,
               problem_.options().absolute, n_);
  for (std::size_t l = 0; l < lanes_; ++l) judge(l, squares_[l]);
}

/// Accepts the step of a lane or not, and plans the next one.
void LaneIntegrator::judge(std::size_t l, double square) {
  LaneState& s = state_[l];
  s.accepted = false;
  if (!s.active || s.failed || h_[l] == 0) return;
  const double error = std::sqrt(square / static_cast<double>(n_)), made = h_[l];
  const LaneProblemOptions& o = problem_.options();
  ++s.steps;
  if (o.max_steps > 0 && s.steps > o.max_steps) {
    s.failed = true;
    return;
  }
  if (error <= 1) {
    const double log_error = std::log(std::max(error, 1e-30));
    double factor =
        kLaneSafety * std::exp(-(kLaneExponent - 0.75 * kLaneMemory) * log_error + kLaneMemory * s.log_old_error);
    factor = std::clamp(factor, kLaneShrink, s.rejected ? 1.0 : kLaneGrow);
    s.log_old_error = std::max(log_error, kLaneLogSmallestError);
    s.h = std::min(s.limited ? std::max(s.h, made * factor) : made * factor, o.max_step);
    s.accepted = true;
    s.rejected = false;
    return;
  }
  s.rejected = true;
  const double factor =
      std::isfinite(error) ? std::max(kLaneShrink, kLaneSafety * std::pow(error, -kLaneExponent)) : 0.25;
  s.h = made * std::min(factor, 0.9);
  s.failed = s.h < lane_smallest_step(s.t);
}

/// Moves the lanes that have made a step; the others stay where they are, to the last bit.
void LaneIntegrator::accept() {
  const bool fixed = problem_.fixed_step();
  const bool normalized = problem_.normalize(next_.data());
  const bool projected = problem_.project(t_next_.data(), next_.data()) || normalized;
  for (std::size_t l = 0; l < lanes_; ++l)
    if (state_[l].accepted && problem_.is_broken(l)) state_[l].accepted = false, state_[l].failed = true;
  double* const after = slope_after_.data();
  if (fixed || projected)
    problem_.calc_rates(t_next_.data(), next_.data(), after);
  else
    std::copy_n(k_[6].data(), n_ * lanes_, after);
  const bool all = std::all_of(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(lanes_),
                               [](const LaneState& s) { return s.accepted; });
  if (all) {  // whole arrays change hands
    std::swap(before_, y_), std::swap(y_, next_);
    std::swap(slope_before_, k_[0]);
    std::copy_n(after, n_ * lanes_, k_[0].data());
  }
  for (std::size_t l = 0; l < lanes_; ++l) {
    LaneState& s = state_[l];
    if (!s.accepted) continue;
    s.t_before = s.t, s.t = t_next_[l];
    for (std::size_t at = l; !all && at < n_ * lanes_; at += lanes_) {
      before_[at] = y_[at], slope_before_[at] = k_[0][at];
      y_[at] = next_[at], k_[0][at] = after[at];
    }
    if (!watched_.empty() && leaves_bounds(l)) s.accepted = false, s.failed = true;
  }
}

void LaneIntegrator::watch(std::vector<std::size_t> coordinates) {
  watched_ = std::move(coordinates);
  bounds_.assign(2 * watched_.size() * lanes_, 0.0);
}

void LaneIntegrator::set_bounds(std::size_t l, std::span<const double> bounds) {
  std::copy(bounds.begin(), bounds.end(), bounds_.begin() + static_cast<std::ptrdiff_t>(2 * watched_.size() * l));
}

/// In the last step, at its end or in between, where the cubic through its ends turns around.
bool LaneIntegrator::leaves_bounds(std::size_t l) {
  const LaneState& s = state_[l];
  const double h = s.t - s.t_before;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const std::size_t at = watched_[i] * lanes_ + l;
    const double least = bounds_[2 * (watched_.size() * l + i)], most = bounds_[2 * (watched_.size() * l + i) + 1];
    if (!(y_[at] > least && y_[at] < most)) return true;
    const double a = h * slope_before_[at], b = h * k_[0][at];
    if ((a > 0) == (b > 0)) continue;
    // p(x) = y0 + a x + (3 d - 2 a - b) x^2 + (a + b - 2 d) x^3 with d = y1 - y0; p' = 0 in the step
    const double d = y_[at] - before_[at], c2 = 3 * d - 2 * a - b, c3 = a + b - 2 * d;
    const double root = std::sqrt(std::max(0.0, c2 * c2 - 3 * a * c3)), q = -(c2 + std::copysign(root, c2));
    for (const double x : {c3 != 0 ? q / (3 * c3) : -1.0, q != 0 ? a / q : -1.0}) {
      if (!(x > 0 && x < 1)) continue;
      const double y = before_[at] + x * (a + x * (c2 + x * c3));
      if (!(y > least && y < most)) return true;
    }
  }
  return false;
}

// The continuous extension of section II.6, as in dopri5.cpp.
void LaneIntegrator::prepare_dense() {
  has_dense_ = true;
  if (problem_.fixed_step()) {
    std::fill_n(dense_.data(), n_ * lanes_, 0.0);
    return;
  }
  constexpr double kWeights[] = {-12715105075.0 / 11282082432.0, 87487479700.0 / 32700410799.0,
                                 -10690763975.0 / 1880347072.0,  701980252875.0 / 199316789632.0,
                                 -1453857185.0 / 822651844.0,    69997945.0 / 29380423.0};
  const double* const slopes[] = {slope_before_.data(), k_[2].data(), k_[3].data(),
                                  k_[4].data(),         k_[5].data(), slope_after_.data()};
  std::fill_n(stage_.data(), n_ * lanes_, 0.0);
  for (std::size_t l = 0; l < lanes_; ++l) h_[l] = state_[l].t - state_[l].t_before;
  loops_.stage(dense_.data(), stage_.data(), h_.data(), slopes, kWeights, 6, n_);
}

const double* LaneIntegrator::calc_signals(const double* t) {
  if (!has_dense_) prepare_dense();
  for (std::size_t l = 0; l < lanes_; ++l) {
    const LaneState& s = state_[l];
    const double h = s.t - s.t_before;
    if (t[l] == s.t || h == 0) {
      for (std::size_t at = l; at < n_ * lanes_; at += lanes_) stage_[at] = y_[at];
      continue;
    }
    if (t[l] == s.t_before) {
      for (std::size_t at = l; at < n_ * lanes_; at += lanes_) stage_[at] = before_[at];
      continue;
    }
    const double x = (t[l] - s.t_before) / h;
    for (std::size_t at = l; at < n_ * lanes_; at += lanes_)
      stage_[at] = interpolate_step(x, before_[at], y_[at], h * slope_before_[at], h * slope_after_[at], dense_[at]);
  }
  problem_.normalize(stage_.data());
  (void)problem_.project(t, stage_.data());
  return problem_.calc_signals(t, stage_.data());
}

}  // namespace kane
