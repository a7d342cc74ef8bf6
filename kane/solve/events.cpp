#include "kane/solve/events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/root.hpp"

namespace kane {

namespace {

/// After an event the first looks are 1e-16, 1e-15 ... of the step away (as far as time can resolve that): a bounce may
/// be far shorter than the step.
constexpr int kEarlyLooks = 16;

double sign_of(double v) { return v > 0 ? 1 : (v < 0 ? -1 : 0); }

}  // namespace

EventLocator::EventLocator(std::size_t states, std::vector<EventSpec> specs, EventFunction function,
                           EventOptions options)
    : specs_(std::move(specs)),
      g_(std::move(function)),
      options_(options),
      active_(specs_.size(), 1),
      sign_(specs_.size()),
      sign_end_(specs_.size()),
      noise_(specs_.size()),
      begin_(specs_.size()),
      y_(states),
      work_(specs_.size()) {
  ensure(options.samples >= 0, "{} samples per step", options.samples);
  times_.resize(at(options.samples + kEarlyLooks + 2));
  values_.resize(times_.size() * specs_.size());
  candidates_.reserve(specs_.size());
  hits_.reserve(specs_.size());
}

void EventLocator::set_active(std::size_t k, bool active) {
  if (active && !active_[k]) sign_[k] = sign_of(begin_[k]), noise_[k] = 0;
  active_[k] = active ? 1 : 0;
}

void EventLocator::start(double t, std::span<const double> y) {
  hits_.clear();
  resume(t, y);
}

void EventLocator::resume(double t, std::span<const double> y) {
  t_begin_ = t;
  g_(t, y, begin_);
  for (std::size_t k = 0; k < size(); ++k) {
    sign_[k] = sign_of(begin_[k]);
    noise_[k] = 0;
  }
  for (const EventHit& hit : hits_) {
    const std::size_t k = at(hit.index);
    sign_[k] = 0;
    noise_[k] = std::abs(begin_[k]);
  }
  hits_.clear();
}

bool EventLocator::wanted(std::size_t k, double sign_before) const {
  switch (specs_[k].direction) {
    case Crossing::Rising: return sign_before < 0;
    case Crossing::Falling: return sign_before > 0;
    case Crossing::Both: return true;
  }
  return true;
}

void EventLocator::choose_times(const Integrator& integrator) {
  const double a = integrator.previous_time(), b = integrator.time();
  // t_begin_ lies inside the step if find() is called again for the rest of it.
  const bool inside = (t_begin_ - a) * (b - t_begin_) > 0;
  const double from = inside ? t_begin_ : a;
  bool at_zero = false;
  for (std::size_t k = 0; k < size(); ++k) at_zero = at_zero || (active_[k] && sign_[k] == 0);
  rows_ = 0;
  const auto add = [&](double t) {
    if (rows_ == 0 || (t - times_[rows_ - 1]) * (b - a) > 0) times_[rows_++] = t;
  };
  add(from);
  const double first = 1.0 / (options_.samples + 1);
  if (at_zero) {
    const double resolution = 8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(b));
    for (int i = kEarlyLooks; i >= 1; --i) {
      const double s = std::pow(10.0, -i);
      if (s < 0.99 * first && s * std::abs(b - from) > resolution) add(from + s * (b - from));
    }
  }
  for (int i = 1; i <= options_.samples; ++i) add(from + i * first * (b - from));
  add(b);
}

EventStatus EventLocator::sample(Integrator& integrator) {
  choose_times(integrator);
  std::copy(begin_.begin(), begin_.end(), values_.begin());
  for (std::size_t row = 1; row < rows_; ++row) {
    const std::span<double> to{values_.data() + row * size(), size()};
    if (times_[row] == integrator.time()) {
      g_(times_[row], integrator.state(), to);
    } else {
      if (integrator.interpolate(times_[row], y_) != StepStatus::Ok) return EventStatus::StepFailed;
      g_(times_[row], y_, to);
    }
    for (std::size_t k = 0; k < size(); ++k) {
      if (!active_[k] || std::isfinite(to[k])) continue;
      failed_ = static_cast<int>(k);
      return EventStatus::NotFinite;
    }
  }
  return EventStatus::None;
}

double EventLocator::value(Integrator& integrator, std::size_t k, double t) {
  if (integrator.interpolate(t, y_) != StepStatus::Ok) {
    interpolation_failed_ = true;
    return std::numeric_limits<double>::quiet_NaN();
  }
  g_(t, y_, work_);
  return work_[k];
}

/// The sign with which g_k, zero at the begin of the step, leaves zero: that of the first sample that is neither as
/// small as the zero itself nor negligible against a next sample of the other sign.
double EventLocator::leave_zero(std::size_t k, std::size_t row) const {
  const double v = g(row, k);
  if (std::abs(v) <= 2 * noise_[k]) return 0;
  if (row + 1 < rows_) {
    const double next = g(row + 1, k);
    if (v * next < 0 && std::abs(v) < 1e-4 * std::abs(next)) return 0;
  }
  return sign_of(v);
}

/// Two crossings may hide between samples row - 1 and row of the same sign, if a parabola through them and a neighbour
/// has its vertex between them and comes near zero there.
bool EventLocator::suspect_dip(std::size_t k, std::size_t row) const {
  const double a = times_[row - 1], b = times_[row], ga = std::abs(g(row - 1, k)), gb = std::abs(g(row, k));
  const double s = sign_of(g(row, k));
  for (const std::size_t other : {row - 2, row + 1}) {  // row - 2 wraps around for row == 1
    if (other >= rows_) continue;
    const double c = times_[other], gc = s * g(other, k);
    // Newton's form: ga + d1 (t - a) + d2 (t - a)(t - b).
    const double d1 = (gb - ga) / (b - a), d2 = ((gc - gb) / (c - b) - d1) / (c - a);
    if (!(d2 > 0)) continue;
    const double vertex = 0.5 * (a + b - d1 / d2);
    if ((vertex - a) * (b - vertex) <= 0) continue;
    const double least = ga + d1 * (vertex - a) + d2 * (vertex - a) * (vertex - b);
    if (least < 0.5 * std::min(ga, gb)) return true;
  }
  return false;
}

EventLocator::Scan EventLocator::search_dip(Integrator& integrator, std::size_t k, std::size_t row, double sign,
                                            Bracket& bracket) {
  const double a = times_[row - 1], b = times_[row];
  const auto height = [&](double t) { return sign * value(integrator, k, t); };
  const Extremum dip = find_minimum(height, a, b, 1e-10 * std::abs(b - a), 0.0);
  if (std::isnan(dip.value)) return Scan::Failed;
  if (!(dip.value < 0)) return Scan::Nothing;
  if (wanted(k, sign)) {
    bracket = {a, g(row - 1, k), dip.at, sign * dip.value};
  } else {
    bracket = {dip.at, sign * dip.value, b, g(row, k)};
  }
  return Scan::Found;
}

/// First crossing of g_k in the samples that is in the wanted direction; otherwise its sign at the end.
EventLocator::Scan EventLocator::scan(Integrator& integrator, std::size_t k, Bracket& bracket) {
  double sign = sign_[k];
  for (std::size_t row = 1; row < rows_; ++row) {
    const double v = g(row, k);
    if (sign == 0) {
      sign = leave_zero(k, row);
    } else if (v * sign > 0) {
      if (suspect_dip(k, row)) {
        const Scan dip = search_dip(integrator, k, row, sign, bracket);
        if (dip != Scan::Nothing) return dip;
      }
    } else if (wanted(k, sign)) {
      bracket = {times_[row - 1], g(row - 1, k), times_[row], v};
      // The sign is known from before; a value that contradicts it is rounding at the begin of the step.
      if (bracket.g_a * sign <= 0) bracket.g_a = sign * std::numeric_limits<double>::min();
      return Scan::Found;
    } else {
      sign = sign_of(v);
    }
  }
  sign_end_[k] = sign;
  return Scan::Nothing;
}

EventStatus EventLocator::locate(Integrator& integrator, std::size_t k, const Bracket& bracket) {
  const auto f = [&](double t) { return value(integrator, k, t); };
  const Root root = find_root(f, bracket.a, bracket.g_a, bracket.b, bracket.g_b);
  if (!root.ok()) {
    failed_ = static_cast<int>(k);
    return interpolation_failed_ ? EventStatus::StepFailed : EventStatus::NotFinite;
  }
  candidates_.push_back({.index = static_cast<int>(k), .time = root.after, .rising = bracket.g_a < 0});
  return EventStatus::Found;
}

void EventLocator::collect(const Integrator& integrator) {
  const double h = integrator.time() - integrator.previous_time(), direction = h > 0 ? 1 : -1;
  const auto earlier = [direction](double s, double t) { return (s - t) * direction < 0; };
  double first = candidates_.front().time;
  for (const EventHit& hit : candidates_) first = earlier(hit.time, first) ? hit.time : first;
  const double ulps = 4 * std::numeric_limits<double>::epsilon() * std::abs(first);
  const double near = std::max(options_.simultaneous * std::abs(h), ulps);
  time_ = first;
  for (const EventHit& hit : candidates_) {  // in the order of their index already
    if (std::abs(hit.time - first) > near) continue;
    hits_.push_back(hit);
    if (earlier(time_, hit.time)) time_ = hit.time;
  }
}

EventStatus EventLocator::find(Integrator& integrator) {
  hits_.clear();
  candidates_.clear();
  failed_ = -1;
  interpolation_failed_ = false;
  if (integrator.time() == integrator.previous_time() || t_begin_ == integrator.time()) return EventStatus::None;
  if (const EventStatus status = sample(integrator); status != EventStatus::None) return status;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!active_[k]) continue;
    Bracket bracket{};
    const Scan result = scan(integrator, k, bracket);
    if (result == Scan::Failed) {
      failed_ = static_cast<int>(k);
      return interpolation_failed_ ? EventStatus::StepFailed : EventStatus::NotFinite;
    }
    if (result == Scan::Nothing) continue;
    if (const EventStatus status = locate(integrator, k, bracket); status != EventStatus::Found) return status;
  }
  if (!candidates_.empty()) {
    collect(integrator);
    return EventStatus::Found;
  }
  for (std::size_t k = 0; k < size(); ++k) sign_[k] = active_[k] ? sign_end_[k] : sign_[k];
  std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>((rows_ - 1) * size()), size(), begin_.begin());
  t_begin_ = integrator.time();
  return EventStatus::None;
}

}  // namespace kane
