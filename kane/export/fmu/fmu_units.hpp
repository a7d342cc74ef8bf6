#pragma once
// Units of an FMU's variables as FMI describes them.

#include <string>
#include <string_view>

#include "kane/base/units.hpp"

namespace kane {

/// Exponents of base units, the radian among them, and the factor to them.
struct FmuUnit {
  Dimension dimension;
  int rad = 0;
  double factor = 1;
};

/// The unit of a text such as "N*m*s/rad". Throws ModelError if it is not a unit.
[[nodiscard]] FmuUnit fmu_unit(std::string_view text);

/// The quantity measured in this unit: "Angle", "Torque"; "" if there is no particular one.
[[nodiscard]] std::string_view quantity_of(std::string_view unit);

}  // namespace kane
