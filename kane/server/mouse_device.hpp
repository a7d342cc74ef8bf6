#pragma once
// The mouse as a haptic device: three axes of the ground. It senses where the cursor is, and displays the force as a number
// and an arrow. Positions come at the rate of the screen; in between the cursor moves on with the speed it had.

#include <array>
#include <span>

#include "kane/haptics/device.hpp"

namespace kane {

class MouseDevice final : public Device {
 public:
  [[nodiscard]] std::string name() const override { return "mouse"; }
  [[nodiscard]] std::size_t axes() const override { return 3; }
  [[nodiscard]] DeviceAxis axis(std::size_t /*i*/) const override { return {}; }
  [[nodiscard]] bool is_real() const override { return false; }

  void start(std::span<const double> origin) override {
    for (std::size_t k = 0; k < 3; ++k) target_[k] = position_[k] = origin[k], speed_[k] = 0;
    last_ = 0;
  }
  /// Where the cursor is now.
  void move(const std::array<double, 3>& target) { target_ = target; }
  /// Follows the target with a lag of a screen picture, so that the coupler's damper feels a speed and no jumps.
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed,
                          std::span<double> force) override {
    constexpr double kLag = 0.016;  // s
    const double dt = t - last_, share = dt > 0 ? std::min(1.0, dt / (kLag + dt)) : 0.0;
    last_ = t;
    for (std::size_t k = 0; k < 3; ++k) {
      const double step = share * (target_[k] - position_[k]);
      position_[k] += step;
      speed_[k] = dt > 0 ? step / dt : speed_[k];
      position[k] = position_[k], speed[k] = speed_[k], force[k] = 0;
    }
    return true;
  }
  void write(double /*t*/, std::span<const double> force, std::span<const double> /*position*/) override {
    for (std::size_t k = 0; k < 3; ++k) shown_[k] = force[k];
  }
  [[nodiscard]] const std::array<double, 3>& shown() const { return shown_; }

 private:
  std::array<double, 3> target_{}, position_{}, speed_{}, shown_{};
  double last_ = 0;
};

}  // namespace kane
