#include "kane/haptics/simulated_device.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/error.hpp"

namespace kane {

SimulatedDevice::SimulatedDevice(std::vector<SimulatedAxis> axes, bool follows)
    : axes_(std::move(axes)), motions_(axes_.size()), follows_(follows) {
  for (const auto& a : axes_)
    require(a.device.mass > 0 && a.device.damping >= 0 && a.device.friction >= 0 && a.device.resolution >= 0 &&
                a.hand.stiffness >= 0 && a.hand.damping >= 0,
            "a simulated device needs positive masses, and non-negative damping, friction, resolution and "
            "stiffness");
}

void SimulatedDevice::start(std::span<const double> origin) {
  t_ = 0;
  for (std::size_t i = 0; i < motions_.size(); ++i) motions_[i] = {origin[i], 0, 0, origin[i], 0, origin[i]};
}

/// Small equal steps of the implicit midpoint rule, which for this linear oscillator is stable for any stiffness and keeps
/// passivity; their number follows from time alone. Coulomb friction is part of the implicit step: it reduces the speed, and
/// holds the device when the speed is too small.
void SimulatedDevice::advance(double t) {
  if (follows_) return follow(t);
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
      const double inertia = mass + h / 2 * c + h * h / 4 * k, free = (mass * m.v + h / 2 * force) / inertia;
      const double v_mid = std::copysign(std::max(0.0, std::abs(free) - h / 2 * a.device.friction / inertia), free);
      m.hand_force = k * (wanted - m.x - h / 2 * v_mid) + b * (wanted_speed - v_mid);
      m.x += h * v_mid;
      m.v = v_mid == 0 ? 0.0 : 2 * v_mid - m.v;
    }
  }
  t_ = t;
}

/// Moves evenly from the previous position to the present target.
void SimulatedDevice::follow(double t) {
  const double span = t - t_;
  if (!(span > 0)) return;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const HandAxis& hand = axes_[i].hand;
    Motion& m = motions_[i];
    const double w = 2 * std::numbers::pi * hand.frequency;
    m.v = (m.told - m.x) / span;
    m.x = m.told;
    const double wanted = m.origin + hand.drift * t + hand.amplitude * std::sin(w * t);
    const double wanted_speed = hand.drift + hand.amplitude * w * std::cos(w * t);
    m.hand_force = hand.stiffness * (wanted - m.x) + hand.damping * (wanted_speed - m.v);
  }
  t_ = t;
}

bool SimulatedDevice::read(double t, std::span<double> position, std::span<double> speed, std::span<double> force) {
  advance(t);
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const Motion& m = motions_[i];
    const double step = axes_[i].device.resolution;
    position[i] = step > 0 ? m.origin + step * std::round((m.x - m.origin) / step) : m.x;
    speed[i] = m.v, force[i] = m.hand_force;
  }
  return true;
}

void SimulatedDevice::write(double t, std::span<const double> force, std::span<const double> position) {
  advance(t);
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    motions_[i].told = position[i];
    const double limit = axes_[i].device.max_force;
    motions_[i].force = limit > 0 ? std::clamp(force[i], -limit, limit) : force[i];
  }
}

}  // namespace kane
