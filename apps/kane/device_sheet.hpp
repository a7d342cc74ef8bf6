#pragma once
// The data sheet of a haptic device, from a small YAML file:
//
//   device: name
//   rate: 1000                # ticks per second it is designed for
//   axes:                     # one entry for all axes, or a list with one for each
//     {mass: 45 g, damping: 0.1 N*s/m, friction: 0.26 N, max_force: 3.3 N, max_stiffness: 1.26 N/mm, resolution: 0.055 mm,
//      max_speed: 3 m/s, travel: 0.1 m}

#include <string>
#include <vector>

#include "kane/haptics/device.hpp"

namespace kane {

struct DeviceSheet {
  std::string name;
  double rate = 0;               ///< 0: not given
  std::vector<DeviceAxis> axes;  ///< one for all, or one each

  /// Throws ModelError if the sheet has axes, but not this one.
  [[nodiscard]] const DeviceAxis& axis(std::size_t i) const;
};

/// Throws ModelError with the place in the file.
[[nodiscard]] DeviceSheet read_device_sheet(const std::string& file);

}  // namespace kane
