#include "kane/simulate/system/energy_monitor.hpp"
#include "kane/base/at.hpp"

#include <algorithm>
#include <cmath>

namespace kane {

namespace {

/// Power below this fraction of all power is rounding (where the symbols alone cannot tell, as with quaternions).
constexpr double kNoPower = 1e-11;

}  // namespace

EnergyMonitor::EnergyMonitor(const SystemEvaluator& evaluator, bool watch)
    : evaluator_(evaluator),
      kernel_(watch ? evaluator.system().extra().energy() : nullptr),
      runner_(kernel_ == nullptr ? nullptr : &kernel_->kernel, evaluator.context()) {
  for (const auto& c : evaluator.system().equations().constraints) moving_.push_back(!c.b.is_zero());
  moving_.resize(evaluator.system().row_count(), false);  // shapes that touch
}

void EnergyMonitor::start(std::span<const double> q, std::span<const double> u) {
  report_ = {};
  largest_power_ = largest_total_ = 0;
  moved_ = false;
  if (!runner_.present()) return;
  report_.known = kernel_->has_potential;
  const auto y = runner_.run(q, u);
  report_.start = y[0] + y[1];
  potential_start_ = y[1];
  lowest_ = lowest_before_ = report_.start;
  observe(q, u);
}

void EnergyMonitor::observe(std::span<const double> q, std::span<const double> u) {
  if (!runner_.present()) return;
  const auto y = runner_.run(q, u);
  const double energy = y[0] + y[1];
  report_.end = energy;
  report_.kinetic_end = y[0];
  report_.largest_drift = std::max(report_.largest_drift, std::abs(energy - report_.start));
  report_.scale = std::max({report_.scale, y[0], std::abs(y[1] - potential_start_)});
  largest_power_ = std::max(largest_power_, std::abs(y[2]));
  largest_total_ = std::max(largest_total_, std::abs(y[3]));
  for (const int row : evaluator_.active_rows()) moved_ = moved_ || moving_[at(row)];
}

bool EnergyMonitor::fed() const {
  const bool powerless = kernel_->has_power && largest_power_ <= kNoPower * largest_total_;
  return !(kernel_->powerless || powerless) || moved_;
}

double EnergyMonitor::check_rise(std::span<const double> q, std::span<const double> u) {
  if (!report_.known) return 0;
  observe(q, u);
  lowest_before_ = lowest_, rise_before_ = report_.largest_rise;
  const double rise = report_.end - lowest_;
  lowest_ = std::min(lowest_, report_.end);
  if (fed()) return 0;
  report_.largest_rise = std::max(report_.largest_rise, rise);
  return std::max(0.0, rise - rise_before_);
}

void EnergyMonitor::undo_rise() { lowest_ = lowest_before_, report_.largest_rise = rise_before_; }

EnergyReport EnergyMonitor::report() const {
  EnergyReport report = report_;
  if (!report.known) return report;
  report.conservative = report.balanced = !fed();
  return report;
}

}  // namespace kane
