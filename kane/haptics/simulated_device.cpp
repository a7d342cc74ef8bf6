#include "kane/haptics/simulated_device.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/error.hpp"

namespace kane {

SimulatedDevice::SimulatedDevice(std::vector<SimulatedAxis> axes) : axes_(std::move(axes)), motions_(axes_.size()) {
  for (const auto& a : axes_)
    require(a.device.mass > 0 && a.device.damping >= 0 && a.hand.stiffness >= 0 && a.hand.damping >= 0,
            "a simulated device needs positive masses, and damping and stiffness that are not negative");
}

void SimulatedDevice::start(std::span<const double> origin) {
  t_ = 0;
  for (std::size_t i = 0; i < motions_.size(); ++i) motions_[i] = {origin[i], 0, 0, origin[i], 0};
}

/// Small equal steps of the implicit midpoint rule, which for this linear oscillator is stable for any stiffness and keeps
/// passivity; their number follows from time alone.
void SimulatedDevice::advance(double t) {
  constexpr double kStep = 5e-5;
  const double span = t - t_;
  if (!(span > 0)) return;
  const int steps = std::max(1, static_cast<int>(std::ceil(span / kStep - 1e-9)));
  const double h = span / steps;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const SimulatedAxis& a = axes_[i];
    Motion& m = motions_[i];
    const double w = 2 * std::numbers::pi * a.hand.frequency;
    const double k = a.hand.stiffness, b = a.hand.damping, c = b + a.device.damping, mass = a.device.mass;
    for (int s = 0; s < steps; ++s) {
      const double middle = t_ + (s + 0.5) * h;
      const double wanted = m.origin + a.hand.drift * middle + a.hand.amplitude * std::sin(w * middle);
      const double wanted_speed = a.hand.drift + a.hand.amplitude * w * std::cos(w * middle);
      // v' = (f + k (wanted - x - h/2 v_mid) + b wanted' - c v_mid)/m with v_mid = (v + v')/2
      const double force = m.force + k * (wanted - m.x) + b * wanted_speed;
      const double v_mid = (mass * m.v + h / 2 * force) / (mass + h / 2 * c + h * h / 4 * k);
      m.hand_force = k * (wanted - m.x - h / 2 * v_mid) + b * (wanted_speed - v_mid);
      m.x += h * v_mid;
      m.v = 2 * v_mid - m.v;
    }
  }
  t_ = t;
}

bool SimulatedDevice::read(double t, std::span<double> position, std::span<double> speed, std::span<double> force) {
  advance(t);
  for (std::size_t i = 0; i < motions_.size(); ++i)
    position[i] = motions_[i].x, speed[i] = motions_[i].v, force[i] = motions_[i].hand_force;
  return true;
}

void SimulatedDevice::write(double t, std::span<const double> force, std::span<const double>) {
  advance(t);
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const double limit = axes_[i].device.max_force;
    motions_[i].force = limit > 0 ? std::clamp(force[i], -limit, limit) : force[i];
  }
}

}  // namespace kane
