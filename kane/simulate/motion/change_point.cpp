#include "kane/simulate/motion/change_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kane {

namespace {

/// How independent the least independent constraint is where it is time to watch, to jump, and to jump at any price. Of
/// many loops one is always nearly dependent on the others: there the first two count as parts of the largest value so far.
constexpr double kWatch = 0.1, kNear = 1e-2, kLast = 3e-4;
constexpr double kPartToWatch = 0.2, kPartNear = 0.02;
/// The finest tolerance of a jump: rates are not known better near such places.
constexpr double kLeastJumpTolerance = 1e-9;
/// A jump may be off the constraints by this much of the state before they are imposed, and by this part of the distance
/// to the place.
constexpr double kMostCorrection = 1e-4, kMostOfDistance = 0.1;
/// A step may come nearer by this factor, and moments that are remembered do by this one.
constexpr double kMostApproach = 0.4, kLeastApproach = 0.8;

double largest_difference(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  for (std::size_t i = 0; i < a.u.size(); ++i) largest = std::max(largest, std::abs(a.u[i] - b.u[i]));
  return largest;
}

double size_of(const State& a) {
  double largest = 1;
  for (const double x : a.q) largest = std::max(largest, std::abs(x));
  for (const double x : a.u) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

ChangePoint::ChangePoint(SystemEvaluator& evaluator, ConstraintProjector& projector, double tolerance, Motion motion)
    : evaluator_(evaluator),
      projector_(projector),
      tolerance_(std::max(tolerance, kLeastJumpTolerance)),
      usual_(projector.tolerance()),
      motion_(std::move(motion)) {
  if (!motion_)
    motion_ = [this](const State& state, std::span<double> qdot, std::span<double> udot) {
      return evaluator_.calc_motion(state.q, state.u, qdot, udot).ok();
    };
  const std::size_t nq = evaluator.system().coordinate_count(), nu = evaluator.system().speed_count();
  for (Moment& m : moments_) m.rates.resize(nq + nu);
  beyond_.rates.resize(nq + nu);
  for (State* s : {&begin_, &end_, &lower_, &higher_, &predicted_}) s->q.resize(nq), s->u.resize(nu);
}

double ChangePoint::calc_independence(const State& state) {
  evaluator_.calc_constraints(state.q, state.u);
  const double s = evaluator_.calc_independence(most_rank_);
  usual_s_ = std::max(usual_s_, s);
  return s;
}

void ChangePoint::set_fine(bool fine) {
  constexpr double kFine = 1e-16;
  fine_ = fine;
  projector_.set_tolerance(fine ? std::min(kFine, usual_) : usual_);
}

double ChangePoint::watch() const { return std::min(kWatch, kPartToWatch * usual_s_); }
double ChangePoint::near() const { return std::max(kLast, std::min(kNear, kPartNear * usual_s_)); }

bool ChangePoint::is_near(const State& state) {
  const double s = calc_independence(state);
  return s < watch();
}

// A look costs as much as an evaluation or two. Far from the place that is too much for every step; the next look comes
// after a quarter of the steps in which the place could be reached at the pace of the last ones. The pace is remembered
// for some looks: where s is largest it stands still for a moment, and soon after it does not.
void ChangePoint::plan_look(double independence) {
  constexpr double kSlowest = 1e-3, kMost = 16, kMemory = 0.8;
  pace_ = std::max({kSlowest, std::abs(independence - last_look_) / (steps_between_ + 1), kMemory * pace_});
  skip_ = steps_between_ = static_cast<int>(std::min(kMost, 0.25 * (independence - watch()) / pace_));
  last_look_ = independence;
}

bool ChangePoint::observe(const State& state, FunctionRef<double()> was_independent) {
  if (skip_-- > 0) return true;
  const double independence = calc_independence(state);
  if (fine_ != (independence <= watch())) set_fine(!fine_);
  if (independence > watch()) {
    count_ = 0;
    plan_look(independence);
    return true;
  }
  skip_ = 0;
  if (independence < kMostApproach * (count_ > 0 ? moments_.front().independence : was_independent())) return false;
  // Moments that follow each other closely amplify the rounding of their rates: the one in between is dropped.
  const bool close = count_ > 1 && moments_[0].independence > kLeastApproach * moments_[1].independence;
  if (!close) std::rotate(moments_.begin(), moments_.end() - 1, moments_.end());
  Moment& now = moments_.front();
  now.t = state.t;
  now.independence = independence;
  const std::span<double> rates(now.rates);
  const std::size_t nq = state.q.size();
  count_ = motion_(state, rates.first(nq), rates.subspan(nq)) ? std::min(count_ + (close ? 0 : 1), kMoments) : 0;
  return true;
}

double ChangePoint::most_step(const State& state) const {
  constexpr double kPart = 0.5;
  if (count_ < 2 || moments_[0].t != state.t) return std::numeric_limits<double>::infinity();
  const double closer = moments_[1].independence - moments_[0].independence;
  if (!(closer > 0)) return std::numeric_limits<double>::infinity();
  return kPart * moments_[0].independence * (moments_[0].t - moments_[1].t) / closer;
}

/// Whether s goes to zero, and not to a least value before it grows again: s^2 = a (t - t_c)^2 + b, and b tells. Where the
/// place is missed by a little, the motion turns sharply there, and no jump would follow it.
bool ChangePoint::vanishes() const {
  constexpr double kLeastOfNow = 0.1;
  const auto square = [&](std::size_t i) { return moments_[i].independence * moments_[i].independence; };
  const double t0 = moments_[0].t, t1 = moments_[1].t, t2 = moments_[2].t;
  const double d01 = (square(0) - square(1)) / (t0 - t1), d12 = (square(1) - square(2)) / (t1 - t2);
  const double a = (d01 - d12) / (t0 - t2);
  if (!(a > 0)) return false;
  const double slope = d01 + a * (t0 - t1);  // at t0
  return square(0) - slope * slope / (4 * a) < kLeastOfNow * kLeastOfNow * square(0);
}

void ChangePoint::predict(double h, std::size_t order, State& state) const {
  // Gauss' formula with three nodes is exact for the degrees that occur, five at most.
  constexpr double kNode = 0.77459666924148337704;
  constexpr std::array<std::array<double, 2>, 3> kRule = {{{-kNode, 5.0 / 18}, {0, 8.0 / 18}, {kNode, 5.0 / 18}}};
  state = begin_;
  state.t += h;
  const std::size_t nodes = order + (corrected_ ? 1 : 0);
  for (std::size_t j = 0; j < nodes; ++j) {
    double weight = 0;
    for (const auto& [node, part] : kRule) {
      const double t = begin_.t + 0.5 * h * (1 + node);
      double basis = part;
      for (std::size_t i = 0; i < nodes; ++i)
        if (i != j) basis *= (t - moment(i).t) / (moment(j).t - moment(i).t);
      weight += basis;
    }
    for (std::size_t k = 0; k < state.q.size(); ++k) state.q[k] += h * weight * moment(j).rates[k];
    for (std::size_t k = 0; k < state.u.size(); ++k) state.u[k] += h * weight * moment(j).rates[state.q.size() + k];
  }
}

double ChangePoint::find_jump(const State& state) {
  planned_ = 0;
  corrected_ = false;
  if (count_ < 3 || moments_[0].t != state.t || moments_[0].independence > near()) return 0;
  const double closer = moments_[1].independence - moments_[0].independence;
  if (!(closer > 0)) return 0;
  // As far behind the place as the state is before it.
  const double h = 2 * moments_[0].independence * (moments_[0].t - moments_[1].t) / closer;
  begin_ = state;
  double least = std::numeric_limits<double>::infinity();
  predict(h, 1, lower_);
  for (std::size_t order = 2; order <= count_; ++order, std::swap(lower_, higher_)) {
    predict(h, order, higher_);
    const double last_term = largest_difference(lower_, higher_);
    if (last_term < least) least = last_term, order_ = order;
  }
  const bool good = least <= tolerance_ * size_of(state);
  if (!good && (moments_[0].independence > kLast || !vanishes())) return 0;
  return planned_ = h;
}

bool ChangePoint::jump(State& state) {
  predict(planned_, order_, end_);
  higher_ = end_;
  if (projector_.project(end_.q, end_.u) == ProjectionStatus::Failed ||
      !(largest_difference(end_, higher_) <=
        std::min(kMostCorrection, kMostOfDistance * moments_[0].independence) * size_of(state))) {
    forget();
    return false;
  }
  correct();
  state = end_;
  count_ = 0;
  ++jumps_;
  return true;
}

/// The rates beyond the place tell the motion across it, and so their own state, better than those before it. Repeated until
/// that changes nothing; where it does not settle, the prediction stands.
void ChangePoint::correct() {
  constexpr int kMost = 6;
  constexpr double kSettled = 1e-14, kShrinks = 0.5, kNoise = 1e-10;
  predicted_ = end_;
  const std::size_t nq = end_.q.size();
  double last = std::numeric_limits<double>::infinity();
  const auto improve = [&] {
    beyond_.t = end_.t;
    const std::span<double> rates(beyond_.rates);
    if (!motion_(end_, rates.first(nq), rates.subspan(nq))) return false;
    lower_ = end_;
    corrected_ = true;
    predict(planned_, order_, end_);
    return projector_.project(end_.q, end_.u) != ProjectionStatus::Failed;
  };
  for (int i = 0; i < kMost; ++i) {
    const bool done = improve();
    const double change = done ? largest_difference(end_, lower_) / size_of(end_) : 1.0;
    if (change <= kSettled) return;
    // As small as rounding lets it become, or it does not settle.
    if (!(change < kShrinks * last) || i + 1 == kMost) {
      if (change <= kNoise) return;
      break;
    }
    last = change;
  }
  corrected_ = false;
  end_ = predicted_;
}

void ChangePoint::exchange(MemoryArchive& a) {
  a(count_, order_, jumps_, corrected_, planned_, last_look_, pace_, skip_, steps_between_, most_rank_, usual_s_);
  for (Moment& m : moments_) a(m.t, m.independence, m.rates);
  a(beyond_.t, beyond_.rates);
  a(fine_);
  set_fine(fine_);
  for (State* s : {&begin_, &end_}) a(s->t, s->q, s->u);
}

void ChangePoint::interpolate(double t, State& state) {
  predict(planned_, order_, lower_);
  const double h = t - begin_.t, part = h / planned_;
  predict(h, order_, state);
  for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += part * (end_.q[i] - lower_.q[i]);
  for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] += part * (end_.u[i] - lower_.u[i]);
}

}  // namespace kane
