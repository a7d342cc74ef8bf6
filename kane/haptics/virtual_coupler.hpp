#pragma once
// The virtual coupler (Colgate; Brown and Colgate 1997): a spring and a damper between the device's handle and its image in
// the simulation, one for every axis, in translation or rotation. Force on the image:
//
//     f = k (x_device - x_image) + b (v_device - v_image)
//
// its opposite is displayed. Angles are elements of the group of rotations about an axis: positions that differ by whole turns are
// the same place, and the difference is the shortest way from one to the other, in (-pi, pi]. A sampled spring generates energy; with the physical damping b_device of the device it stays
// passive if b_device > K T / 2 + |B| (Colgate and Schenkel 1997).

#include <cmath>

namespace kane {

/// The position among x + n wrap that is nearest to `to`; x itself if there is no wrap, or if it is nearest already.
[[nodiscard]] inline double nearest_turn(double x, double to, double wrap) {
  if (!(wrap > 0) || std::abs(x - to) <= wrap / 2) return x;
  const double turns = std::round((x - to) / wrap);
  return std::isfinite(turns) ? x - turns * wrap : x;
}

struct VirtualCoupler {
  double stiffness = 0, damping = 0;
  double wrap = 0;  ///< of an angle: a whole turn, 2 pi; zero: a distance

  [[nodiscard]] double calc_force(double x_device, double v_device, double x_image, double v_image) const {
    return stiffness * (nearest_turn(x_device, x_image, wrap) - x_image) + damping * (v_device - v_image);
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
