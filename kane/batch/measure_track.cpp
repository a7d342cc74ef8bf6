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

/// The same through f at -h, 0, h and 2 h.
Cubic through_equal(const double* f, double h) {
  const double a = 1 / h;
  const double c3 = ((f[3] - f[0]) + 3 * (f[1] - f[2])) / 6, c2 = 0.5 * ((f[0] + f[2]) - 2 * f[1]);
  return {f[1], a * ((f[2] - f[1]) - c2 - c3), a * a * c2, a * a * a * c3};
}

/// What the cubic through f at -h, 0, h and 2 h does not exceed between 0 and h: Lagrange's polynomials of the inner points are
/// positive there, those of the outer ones are negative and at least -1/(9 sqrt(3)).
double never_above(const double* f) {
  constexpr double kOuter = 0.0641501;
  const double m = std::max(f[1], f[2]);
  return m + kOuter * (std::max(0.0, m - f[0]) + std::max(0.0, m - f[3]));
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
      states_(set.aggregates().size()),
      sketch_of_(set.aggregates().size()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    sketch_of_[i] = sketches_.size();
    if (set.aggregates()[i].kind == Aggregate::Kind::Quantile) sketches_.emplace_back();
  }
}

void MeasureTrack::start(double series_step) {
  held_ = processed_ = 0;
  series_.clear();
  series_step_ = series_step;
  for (QuantileSketch& sketch : sketches_) sketch.clear();
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
  if (!set_.series_signals().empty()) keep_series(t, to);
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

void MeasureTrack::keep_series(double t, const double* signals) {
  constexpr double kSlack = 1e-6;  // of a step: samples are not exactly where they are wanted
  if (series_.empty()) series_next_ = t_begin_;
  if (t < series_next_ - kSlack * series_step_) return;
  if (series_step_ > 0)
    series_next_ = t_begin_ + series_step_ * (std::floor((t - t_begin_) / series_step_ + kSlack) + 1);
  series_.push_back(t);
  for (const std::size_t s : set_.series_signals()) series_.push_back(signals[s]);
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
  constexpr double kSame = 1e-9;
  const bool equal = n == kPoints && begin + 1 == left && std::abs(t_[left] - t_[begin] - h) <= kSame * h &&
                     std::abs(t_[left + 2] - t_[left + 1] - h) <= kSame * h;
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
    if (equal && s.set && a.exact && (a.kind == Kind::Max || a.kind == Kind::Min)) {
      const double sign = a.kind == Kind::Max ? 1 : -1;
      const double turned[] = {sign * f[0], sign * f[1], sign * f[2], sign * f[3]};
      if (never_above(turned) < s.best) continue;
    }
    const Cubic p = equal && used == kPoints ? through_equal(f, h) : through(t_.data() + first, f, used, t_[left]);
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
      case Kind::Quantile: {
        constexpr int kParts = 4;  // each stands for the value in its middle
        for (int part = 0; part < kParts; ++part)
          sketches_[sketch_of_[i]].add(p.at(h * (part + 0.5) / kParts), h / kParts);
        break;
      }
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
  if (const std::size_t width = 1 + set_.series_signals().size();
      width > 1 && series_[series_.size() - width] < t_end) {
    series_.push_back(t_end);
    for (const std::size_t s : set_.series_signals()) series_.push_back(last[s]);
  }
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
      case Kind::Quantile: {
        QuantileSketch& sketch = sketches_[sketch_of_[i]];
        to[i] = sketch.weight() > 0 ? sketch.quantile(list[i].time) : end;
        break;
      }
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
