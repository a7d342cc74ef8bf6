#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/batch/measures.hpp"

namespace kane {

namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// A cubic in x = t - t_left, by its coefficients.
struct Cubic {
  double c0, c1, c2, c3;
  [[nodiscard]] double at(double x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

/// Through up to four points (Newton's divided differences, expanded about `origin`).
Cubic through(const double* t, const double* f, std::size_t n, double origin) {
  double d[4], x[4];
  for (std::size_t i = 0; i < n; ++i) d[i] = f[i], x[i] = t[i] - origin;
  for (std::size_t order = 1; order < n; ++order)
    for (std::size_t i = n - 1; i >= order; --i) d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - order]);
  Cubic p{d[n - 1], 0, 0, 0};
  for (std::size_t i = n - 1; i-- > 0;)
    p = {d[i] - x[i] * p.c0, p.c0 - x[i] * p.c1, p.c1 - x[i] * p.c2, p.c2 - x[i] * p.c3};
  return p;
}

/// Gauss' rule with four points on [0, h], for the cubic (power 1) or its square (exact to degree 7).
double integrate(const Cubic& p, double h, bool squared) {
  constexpr double kNode[] = {0.33998104358485626, 0.86113631159405258},
                   kWeight[] = {0.65214515486254614, 0.34785484513745386};
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (const double side : {-1.0, 1.0}) {
      const double f = p.at(0.5 * h * (1 + side * kNode[i]));
      sum += kWeight[i] * (squared ? f * f : f);
    }
  return 0.5 * h * sum;
}

/// The largest value on [0, h].
double largest(const Cubic& p, double h) {
  double best = std::max(p.c0, p.at(h));
  const double a = 3 * p.c3, b = p.c2, c = p.c1;  // a x^2 + 2 b x + c = 0
  const double root = b * b - a * c;
  if (!(root >= 0)) return best;
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (const double x : {a != 0 ? q / a : kNever, q != 0 ? c / q : kNever})
    if (x > 0 && x < h) best = std::max(best, p.at(x));
  return best;
}

/// Where p changes its sign between 0 and h.
double crossing(const Cubic& p, double h) {
  double low = 0, high = h;
  const bool rising = p.at(h) > 0;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    ((p.at(middle) > 0) == rising ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

MeasureTrack::MeasureTrack(const MeasureSet& set, bool smooth)
    : set_(set),
      outer_(set.outer()),
      smooth_(smooth),
      width_(set.signal_count()),
      ring_(kPoints * width_),
      first_(width_),
      states_(set.aggregates().size()) {}

void MeasureTrack::start() {
  held_ = processed_ = 0;
  begun_ = false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i] = {};
    states_[i].found = kNever;
  }
}

void MeasureTrack::add_strided(double t, const double* from, std::size_t stride) {
  const bool first = !begun_;
  if (first) t_begin_ = t, begun_ = true;
  if (held_ > 0 && !(t > t_[held_ - 1])) {  // a jump: the value from now on, and nothing is interpolated across it
    close_intervals(true);
    held_ = processed_ = 0;
  }
  if (held_ == kPoints) {
    std::copy(t_.begin() + 1, t_.end(), t_.begin());
    std::copy(ring_.begin() + static_cast<std::ptrdiff_t>(width_), ring_.end(), ring_.begin());
    --held_;
    if (processed_ > 0) --processed_;
  }
  t_[held_] = t;
  double* const to = values(held_);
  for (std::size_t i = 0; i < width_; ++i) to[i] = from[i * stride];
  ++held_;
  if (first) {
    std::copy_n(to, width_, first_.begin());
    const auto& list = set_.aggregates();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool holds = to[list[i].signal] > 0;
      if (list[i].kind == Aggregate::Kind::First && holds && !states_[i].set)
        states_[i].found = t, states_[i].set = true;
      if (list[i].kind == Aggregate::Kind::Count && holds) states_[i].count = 1;
    }
  }
  if (set_.needs_samples()) close_intervals(false);
}

void MeasureTrack::add_event(std::string_view name, double t, std::span<const double> signals) {
  const auto& list = set_.aggregates();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].event != name) continue;
    if (!states_[i].set) states_[i].found = list[i].kind == Aggregate::Kind::AtEvent ? signals[list[i].signal] : t;
    states_[i].set = true;
    ++states_[i].count;
  }
}

/// An interval is worked on when there is a point on each side of it, at the ends of a run with those there are.
void MeasureTrack::close_intervals(bool last) {
  const std::size_t ahead = smooth_ ? 2 : 1;
  while (processed_ + 1 < held_ && (last || processed_ + ahead < held_)) {
    // At the beginning wait for four points.
    if (!last && smooth_ && processed_ == 0 && held_ < kPoints) return;
    process(processed_, held_);
    ++processed_;
  }
}

void MeasureTrack::process(std::size_t left, std::size_t points) {
  using Kind = Aggregate::Kind;
  std::size_t begin = left, n = 2;
  if (smooth_) n = std::min(points, kPoints), begin = std::min(left == 0 ? 0 : left - 1, points - n);
  const double h = t_[left + 1] - t_[left];
  const auto& list = set_.aggregates();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Aggregate& a = list[i];
    State& s = states_[i];
    if (a.kind == Kind::Start || a.kind == Kind::End || !a.event.empty()) continue;
    if (a.kind == Kind::First && s.set) continue;
    if (a.kind == Kind::AtTime && !(a.time >= t_[left] && a.time <= t_[left + 1])) continue;
    double f[kPoints];
    const std::size_t first = a.exact ? begin : left, used = a.exact ? n : 2;
    for (std::size_t k = 0; k < used; ++k) f[k] = values(first + k)[a.signal];
    const double before = values(left)[a.signal], after = values(left + 1)[a.signal];
    if ((a.kind == Kind::First || a.kind == Kind::Count) && !(before <= 0 && after > 0)) continue;
    const Cubic p = through(t_.data() + first, f, used, t_[left]);
    switch (a.kind) {
      case Kind::Integral:
      case Kind::Mean: s.sum += integrate(p, h, false); break;
      case Kind::Rms: s.sum += integrate(p, h, true); break;
      case Kind::Max:
      case Kind::Min: {
        const double sign = a.kind == Kind::Max ? 1 : -1;
        const double top = largest({sign * p.c0, sign * p.c1, sign * p.c2, sign * p.c3}, h);
        s.best = s.set && !(top > s.best) ? s.best : top;
        s.set = true;
        break;
      }
      case Kind::First: s.found = t_[left] + crossing(p, h), s.set = true; break;
      case Kind::Count: ++s.count; break;
      case Kind::Duration:
        if (before > 0 && after > 0) s.sum += h;
        if (before > 0 && !(after > 0)) s.sum += crossing(p, h);
        if (!(before > 0) && after > 0) s.sum += h - crossing(p, h);
        break;
      case Kind::AtTime: s.found = p.at(a.time - t_[left]); break;
      default: break;
    }
  }
}

void MeasureTrack::finish(std::span<double> measures) {
  using Kind = Aggregate::Kind;
  if (set_.needs_samples()) close_intervals(true);
  const double t_end = held_ > 0 ? t_[held_ - 1] : t_begin_, span = t_end - t_begin_;
  const double* const last = values(held_ > 0 ? held_ - 1 : 0);
  const auto& list = set_.aggregates();
  const auto to = outer_.state();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const State& s = states_[i];
    const double end = last[list[i].signal];
    switch (list[i].kind) {
      case Kind::Start: to[i] = first_[list[i].signal]; break;
      case Kind::End: to[i] = end; break;
      case Kind::Integral:
      case Kind::Duration: to[i] = s.sum; break;
      case Kind::Mean: to[i] = span > 0 ? s.sum / span : end; break;
      case Kind::Rms: to[i] = span > 0 ? std::sqrt(s.sum / span) : std::abs(end); break;
      case Kind::Max: to[i] = s.set ? s.best : end; break;
      case Kind::Min: to[i] = s.set ? -s.best : end; break;
      case Kind::Count:
      case Kind::CountEvents: to[i] = static_cast<double>(s.count); break;
      case Kind::AtTime: to[i] = span == 0 && list[i].time == t_end ? end : s.found; break;
      default: to[i] = s.found; break;
    }
  }
  set_.outer().run_state(outer_);
  std::copy_n(outer_.outputs().begin(), measures.size(), measures.begin());
}

}  // namespace kane
