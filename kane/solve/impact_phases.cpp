#include "kane/solve/impact_phases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Steps in a quarter of the fastest oscillation of the springs, of one contact and of several, and quarters after which an
/// impact is given up.
constexpr int kFineParts = 4000, kCoarseParts = 400;
constexpr int kMostQuarters = 100;
/// A restitution never becomes weaker than this part of the strongest force: then it would not end.
constexpr double kWeakest = 0.02;

}  // namespace

ImpactPhases::ImpactPhases(std::size_t max_contacts, std::size_t max_frictions) {
  const std::size_t rows = max_contacts + 2 * max_frictions;
  contacts_.resize(max_contacts), ended_.resize(max_contacts);
  for (auto* v : {&v_, &next_, &step_}) v->resize(rows);
}

/// Forces of the springs, and the impulses by which they act in a step.
void ImpactPhases::begin_step(double dt, double still) {
  for (std::size_t k = 0; k < ended_.size(); ++k) {
    Contact& c = contacts_[k];
    ended_[k] = 0;
    if (c.phase == Phase::Free && v_[k] < -still) {
      c = {};
      c.phase = Phase::Compression, c.approach = -v_[k];
    }
    if (c.phase == Phase::Compression) {
      c.depth += std::max(0.0, -v_[k]) * dt;
      c.force = c.depth;
      c.strongest = std::max(c.strongest, c.force);
    } else if (c.phase == Phase::Restitution) {
      c.force = c.strongest * std::max(kWeakest, c.total > 0 ? std::sqrt(std::max(0.0, c.left / c.total)) : 0.0);
    }
    step_[k] = c.phase == Phase::Free ? 0.0 : c.force * dt;
  }
}

void ImpactPhases::change(ConstMatrixView w, std::size_t row, double by) {
  step_[row] += by;
  for (std::size_t i = 0; i < w.rows; ++i) next_[i] += w(i, row) * by;
}

/// Within its disc, so that nothing slides at the end of the step, or opposite to what still slides there.
void ImpactPhases::add_friction(ConstMatrixView w, const FrictionTerm& f) {
  const double radius = f.mu * step_[at(f.contact)];
  const std::size_t a = f.first, b = f.first + 1;
  if (f.rows == 1) {
    if (w(a, a) > 0) change(w, a, std::clamp(step_[a] - next_[a] / w(a, a), -radius, radius) - step_[a]);
    return;
  }
  const double half = (w(a, a) - w(b, b)) / 2, largest = (w(a, a) + w(b, b)) / 2 + std::hypot(half, w(a, b));
  if (!(largest > 0)) return;
  constexpr int kMostLocal = 60;
  for (int k = 0; k < kMostLocal; ++k) {
    double pa = step_[a] - next_[a] / largest, pb = step_[b] - next_[b] / largest;
    const double size = std::hypot(pa, pb);
    if (size > radius) pa *= radius / size, pb *= radius / size;
    const double da = pa - step_[a], db = pb - step_[b];
    change(w, a, da), change(w, b, db);
    if (std::abs(da) + std::abs(db) <= 1e-14 * radius) break;
  }
}

/// What slides all through the step has friction opposite to the mean of its speeds, which is accurate to second order.
void ImpactPhases::turn_friction(ConstMatrixView w, const FrictionTerm& f) {
  if (f.rows != 2) return;
  const double radius = f.mu * step_[at(f.contact)];
  const std::size_t a = f.first, b = f.first + 1;
  const double before = std::hypot(v_[a], v_[b]), after = std::hypot(next_[a], next_[b]);
  if (!(radius > 0) || v_[a] * next_[a] + v_[b] * next_[b] < 0.5 * before * after || !(before > 0) || !(after > 0))
    return;
  constexpr int kTurns = 3;
  for (int k = 0; k < kTurns; ++k) {
    const double ma = v_[a] + next_[a], mb = v_[b] + next_[b], size = std::hypot(ma, mb);
    if (!(size > 0)) return;
    const double da = -radius * ma / size - step_[a], db = -radius * mb / size - step_[b];
    change(w, a, da), change(w, b, db);
  }
}

void ImpactPhases::make_step(ConstMatrixView w, std::span<const FrictionTerm> frictions) {
  std::fill(step_.begin() + static_cast<std::ptrdiff_t>(ended_.size()), step_.end(), 0.0);
  for (std::size_t i = 0; i < w.rows; ++i) {
    next_[i] = v_[i];
    for (std::size_t k = 0; k < ended_.size(); ++k) next_[i] += w(i, k) * step_[k];
  }
  const int sweeps = frictions.size() > 1 ? 12 : 1;
  for (int k = 0; k < sweeps; ++k)
    for (const FrictionTerm& f : frictions) add_friction(w, f);
  for (const FrictionTerm& f : frictions) turn_friction(w, f);
}

/// The part of a step of restitution after which it ends; more than 1: it goes on. v_n is linear in p_n within a step.
double ImpactPhases::end_of(const Contact& c, const ImpactLaw& law, double v0, double v1, double dp) const {
  constexpr double kGoesOn = 2;
  switch (law.ratio) {
    case ImpactLaw::Ratio::Speeds: {
      const double aim = law.restitution * c.approach;
      return v1 > v0 && v1 >= aim ? std::clamp((aim - v0) / (v1 - v0), 0.0, 1.0) : kGoesOn;
    }
    case ImpactLaw::Ratio::Impulses: return c.left <= dp ? c.left / dp : kGoesOn;
    case ImpactLaw::Ratio::Work: {
      if (0.5 * (v0 + v1) * dp < c.left) return kGoesOn;
      // v0 x + (v1 - v0) x^2/2 = left/dp
      const double slope = v1 - v0, need = c.left / dp;
      const double root = std::sqrt(std::max(0.0, v0 * v0 + 2 * slope * need));
      return std::clamp(v0 + root > 0 ? 2 * need / (v0 + root) : 1.0, 0.0, 1.0);
    }
  }
  return kGoesOn;
}

/// Counts what was done, and passes on to the next phases.
void ImpactPhases::finish_step(std::span<const ImpactLaw> laws) {
  for (std::size_t k = 0; k < laws.size(); ++k) {
    Contact& c = contacts_[k];
    const double v0 = v_[k], v1 = next_[k], dp = step_[k];
    if (c.phase == Phase::Free) continue;
    if (ended_[k] != 0) {
      c.phase = Phase::Free;
      continue;
    }
    double from = v0, part = 1;  // of the step, in restitution
    if (c.phase == Phase::Compression) {
      const double pressed = v1 < 0 ? 1.0 : v0 < 0 ? v0 / (v0 - v1) : 0.0;
      c.impulse += pressed * dp;
      c.work -= 0.5 * (v0 + std::min(v1, 0.0)) * pressed * dp;
      if (v1 < 0) continue;
      c.phase = Phase::Restitution;
      const double e = laws[k].restitution;
      c.total = c.left = laws[k].ratio == ImpactLaw::Ratio::Speeds     ? e * c.approach
                         : laws[k].ratio == ImpactLaw::Ratio::Impulses ? e * c.impulse
                                                                       : e * e * c.work;
      from = 0, part = 1 - pressed;
    }
    c.left -= laws[k].ratio == ImpactLaw::Ratio::Speeds     ? v1 - from
              : laws[k].ratio == ImpactLaw::Ratio::Impulses ? part * dp
                                                            : 0.5 * (from + v1) * part * dp;
  }
}

bool ImpactPhases::solve(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions,
                         std::span<const ImpactLaw> laws, std::span<double> p) {
  const std::size_t rows = w.rows;
  ended_.resize(laws.size());
  std::fill(contacts_.begin(), contacts_.end(), Contact{});
  v_.assign(v0.begin(), v0.end()), next_.assign(rows, 0.0), step_.assign(rows, 0.0);
  std::fill(p.begin(), p.end(), 0.0);
  double stiffest = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < laws.size(); ++j) sum += std::abs(w(i, j));
    stiffest = std::max(stiffest, sum);
  }
  if (!(stiffest > 0)) return false;
  const int parts = laws.size() == 1 ? kFineParts : kCoarseParts;
  const double dt = std::numbers::pi / 2 / std::sqrt(stiffest) / parts, still = 1e-13 * max_abs(v0);
  for (int n = 0; n < parts * kMostQuarters; ++n) {
    begin_step(dt, still);
    if (std::all_of(contacts_.begin(), contacts_.begin() + static_cast<std::ptrdiff_t>(laws.size()),
                    [](const Contact& c) { return c.phase == Phase::Free; }))
      return true;
    make_step(w, frictions);
    // Contacts whose impact ends within the step take part in it until then.
    bool again = false;
    for (std::size_t k = 0; k < laws.size(); ++k) {
      const Contact& c = contacts_[k];
      double part = 2;
      if (c.phase == Phase::Restitution) part = end_of(c, laws[k], v_[k], next_[k], step_[k]);
      if (c.phase == Phase::Compression && laws[k].restitution == 0 && next_[k] >= 0)
        part = next_[k] > v_[k] ? v_[k] / (v_[k] - next_[k]) : 1.0;
      if (part > 1) continue;
      ended_[k] = 1, step_[k] *= std::max(0.0, part), again = true;
    }
    if (again) make_step(w, frictions);
    finish_step(laws);
    for (std::size_t i = 0; i < rows; ++i) p[i] += step_[i];
    std::swap(v_, next_);
    if (!all_finite(v_)) return false;
  }
  return false;
}

}  // namespace kane
