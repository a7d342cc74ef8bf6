#pragma once
// A simulated device with a simulated hand: for every axis a mass m with the device's damping b, moved by the displayed
// force and by the hand, which pulls it towards a target through a spring and a damper.
//
//     m x'' = f - b x' - friction + k_h (x_wanted - x) + b_h (x'_wanted - x')
//
// The force is held from tick to tick. If motion is displayed instead (admittance), the device follows the displayed motion
// and the hand pulls on it.

#include <vector>

#include "kane/haptics/device.hpp"

namespace kane {

/// Motion of the hand along one axis: x_wanted = origin + drift t + amplitude sin(2 pi frequency t).
struct HandAxis {
  double amplitude = 0.05;  ///< m or rad
  double frequency = 0.5;   ///< Hz
  double drift = 0;         ///< m/s or rad/s
  double stiffness = 300;   ///< of the hand
  double damping = 4;       ///< of the hand
};

/// One axis of a device with a hand on it.
struct SimulatedAxis {
  /// the device
  DeviceAxis device{0.5, 0.2, 0};
  HandAxis hand;  ///< the hand
};

/// A device for tests and batch runs.
class SimulatedDevice final : public Device {
 public:
  /// `follows`: the device displays motion (admittance).
  explicit SimulatedDevice(std::vector<SimulatedAxis> axes, bool follows = false);

  /// "simulated".
  [[nodiscard]] std::string name() const override { return "simulated"; }
  /// As many as were given.
  [[nodiscard]] std::size_t axes() const override { return axes_.size(); }
  /// As it was given.
  [[nodiscard]] DeviceAxis axis(std::size_t i) const override { return axes_[i].device; }
  /// Nobody holds it.
  [[nodiscard]] bool is_real() const override { return false; }
  /// Hand and device begin at rest there.
  void start(std::span<const double> origin) override;
  /// Advances hand and device to t.
  [[nodiscard]] bool read(double t, std::span<double> position, std::span<double> speed,
                          std::span<double> force) override;
  /// Keeps what is displayed until the next tick.
  void write(double t, std::span<const double> force, std::span<const double> position) override;

 private:
  struct Motion {
    double x = 0, v = 0, force = 0, origin = 0, hand_force = 0, told = 0;
  };
  void advance(double t);
  void follow(double t);

  std::vector<SimulatedAxis> axes_;
  std::vector<Motion> motions_;
  bool follows_;
  double t_ = 0;
};

}  // namespace kane
