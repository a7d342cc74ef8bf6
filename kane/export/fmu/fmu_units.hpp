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

/// Of "N*m*s/rad" and the like. Throws ModelError for what is no unit.
[[nodiscard]] FmuUnit fmu_unit(std::string_view text);

/// What is measured in this unit: "Angle", "Torque"; "" if nothing in particular.
[[nodiscard]] std::string_view quantity_of(std::string_view unit);

}  // namespace kane
