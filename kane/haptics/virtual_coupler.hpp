#pragma once
// The virtual coupler (Colgate; Brown and Colgate 1997): a spring and a damper between the device's handle and its image in
// the simulation, one for every axis, in translation or rotation. Force on the image:
//
//     f = k (x_device - x_image) + b (v_device - v_image)
//
// its opposite is displayed. A sampled spring generates energy; with the physical damping b_device of the device it stays
// passive if b_device > K T / 2 + |B| (Colgate and Schenkel 1997).

#include <cmath>

namespace kane {

struct VirtualCoupler {
  double stiffness = 0, damping = 0;

  [[nodiscard]] double calc_force(double x_device, double v_device, double x_image, double v_image) const {
    return stiffness * (x_device - x_image) + damping * (v_device - v_image);
  }
};

/// The damping that this condition requires at the period T.
[[nodiscard]] inline double needed_damping(const VirtualCoupler& coupler, double period) {
  return coupler.stiffness * period / 2 + std::abs(coupler.damping);
}

/// The largest stiffness it allows; not positive if the coupler's damping alone is too large.
[[nodiscard]] inline double largest_stiffness(const VirtualCoupler& coupler, double device_damping, double period) {
  return 2 * (device_damping - std::abs(coupler.damping)) / period;
}

}  // namespace kane
