#include "kane/haptics/device_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/haptics/virtual_coupler.hpp"

namespace kane {

void HapticSafety::check() const {
  const auto positive = [](double x) { return x > 0 && !std::isnan(x); };
  require(positive(max_force) && positive(max_speed) && positive(travel),
          "the largest force, the largest speed and the travel of a device must be positive, not {}, {} and {}",
          max_force, max_speed, travel);
  require(ramp >= 0 && std::isfinite(ramp) && patience > 0 && std::isfinite(patience) && release > 0 &&
              std::isfinite(release),
          "the ramp of the force must be zero or more, patience and release positive, not {}, {} and {} s", ramp,
          patience, release);
}

DeviceGuard::DeviceGuard(const Device& device, const HapticSafety& safety, double period)
    : safety_(safety), period_(period) {
  safety.check();
  const auto given = [](double value, double otherwise) { return value > 0 ? value : otherwise; };
  for (std::size_t i = 0; i < device.axes(); ++i) {
    const DeviceAxis axis = device.axis(i);
    axes_.push_back({.max_force = given(axis.max_force, device.is_real() ? safety.max_force : HUGE_VAL),
                     .max_speed = given(axis.max_speed, safety.max_speed),
                     .travel = given(axis.travel, safety.travel),
                     .wrap = axis.wrap});
  }
}

void DeviceGuard::start(std::span<const double> origin) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    Axis& axis = axes_[i];
    axis.origin = axis.position = origin[i];
    axis.speed = axis.force = 0;
  }
  gain_ = safety_.ramp > 0 ? 0 : 1, since_good_ = 0;
  synchronous_ = releasing_ = false;  // the device begins where it is
  rejected_ = releases_ = 0;
  first_ = {};
}

DeviceGuard::Trouble DeviceGuard::find_trouble(const Axis& axis, double position, double speed, double force) const {
  if (!std::isfinite(position) || !std::isfinite(speed) || !std::isfinite(force)) return Trouble::NotFinite;
  if (std::abs(position - axis.origin) > axis.travel) return Trouble::Travel;
  if (std::abs(speed) > axis.max_speed) return Trouble::Speed;
  const double reach = axis.max_speed * (since_good_ + 2 * period_);
  return synchronous_ && std::abs(position - axis.position) > reach ? Trouble::Jump : Trouble::None;
}

void DeviceGuard::check(double t, bool fresh, std::span<double> position, std::span<double> speed,
                        std::span<double> force) {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    position[i] = nearest_turn(position[i], axes_[i].position, axes_[i].wrap);
  bool good = true;
  for (std::size_t i = 0; i < axes_.size() && good; ++i) {
    const Trouble what = find_trouble(axes_[i], position[i], speed[i], force[i]);
    good = what == Trouble::None;
    if (good) continue;
    if (fresh || rejected_ == 0) ++rejected_;
    if (first_.what == Trouble::None)
      first_ = {what, i, t,
                what == Trouble::Speed  ? speed[i]
                : what == Trouble::Jump ? position[i] - axes_[i].position
                                        : position[i]};
  }
  if (!good) keep_last(position, speed, force);
  for (std::size_t i = 0; i < axes_.size() && good; ++i)
    axes_[i].position = position[i], axes_[i].speed = speed[i], axes_[i].force = force[i];
  counted_ = good && fresh;
  if (counted_) synchronous_ = true;
  move_gain(counted_);
}

void DeviceGuard::keep_last(std::span<double> position, std::span<double> speed, std::span<double> force) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) position[i] = axes_[i].position, speed[i] = 0, force[i] = 0;
}

void DeviceGuard::move_gain(bool good) {
  since_good_ = good ? 0 : since_good_ + period_;
  if (since_good_ > safety_.patience) {
    if (!releasing_ && gain_ > 0) ++releases_;
    releasing_ = true;
    synchronous_ = false;
    gain_ = std::max(0.0, gain_ - period_ / safety_.release);
  } else if (good) {
    if (releasing_) gain_ = 0, releasing_ = false;  // a new beginning
    gain_ = safety_.ramp > 0 ? std::min(1.0, gain_ + period_ / safety_.ramp) : 1.0;
  }
}

double DeviceGuard::limit_force(std::size_t axis, double force, double gain) const {
  if (std::isnan(force) || !(gain > 0)) return 0;
  const double limit = gain * axes_[axis].max_force;
  return std::clamp(force, -limit, limit);
}

double DeviceGuard::limit_step(std::size_t axis, double step) const {
  if (std::isnan(step)) return 0;
  const double limit = axes_[axis].max_speed * period_;
  return std::clamp(step, -limit, limit);
}

std::string DeviceGuard::first_trouble(std::span<const std::string> names) const {
  const Axis& axis = axes_[first_.axis];
  const std::string where = fmt::format("axis '{}' at t = {:.4g} s", names[first_.axis], first_.t);
  switch (first_.what) {
    case Trouble::None: return {};
    case Trouble::NotFinite: return where + " was not a number";
    case Trouble::Travel:
      return fmt::format("{} was at {:.4g}, more than {:g} from its start", where, first_.value, axis.travel);
    case Trouble::Speed:
      return fmt::format("{} had a speed of {:.4g}, above {:g}", where, first_.value, axis.max_speed);
    case Trouble::Jump:
      return fmt::format("{} jumped by {:.4g}, which is not possible below a speed of {:g}", where, first_.value,
                         axis.max_speed);
  }
  return {};
}

}  // namespace kane
