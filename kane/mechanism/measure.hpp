#pragma once
// The kind of quantity a scalar or vector measures, for checks of dimensions and for messages.

#include <optional>
#include <string_view>

#include "kane/base/units.hpp"

namespace kane {

/// The kind of quantity a scalar measures, for checks and messages.
struct Measure {
  std::string_view name;               ///< "a mass"
  std::optional<Dimension> dimension;  ///< empty: any
  std::string_view example;            ///< "2 kg"
};

namespace measure {
inline constexpr Measure kAny{"a number or an expression", std::nullopt, "2*L"};
inline constexpr Measure kNumber{"a plain number", kNone, "0.5"};
inline constexpr Measure kMass{"a mass", kane::kMass, "2 kg"};
inline constexpr Measure kLength{"a length", kane::kLength, "300 mm"};
inline constexpr Measure kAngle{"an angle", kNone, "30 deg"};
inline constexpr Measure kTime{"a time", kane::kTime, "10 s"};
inline constexpr Measure kInertia{"a moment of inertia", kane::kInertia, "0.1 kg*m^2"};
inline constexpr Measure kDensity{"a density", kane::kDensity, "7850 kg/m^3"};
inline constexpr Measure kAcceleration{"an acceleration", kane::kAcceleration, "9.81 m/s^2"};
inline constexpr Measure kVelocity{"a velocity", kane::kVelocity, "0.5 m/s"};
inline constexpr Measure kAngularVelocity{"an angular velocity", kane::kAngularVelocity, "30 deg/s"};
inline constexpr Measure kForce{"a force", kane::kForce, "10 N"};
inline constexpr Measure kTorque{"a torque", kane::kTorque, "5 N*m"};
inline constexpr Measure kStiffness{"a stiffness", kane::kForce / kane::kLength, "100 N/m"};
inline constexpr Measure kTorsionalStiffness{"a torsional stiffness", kane::kTorque, "20 N*m/rad"};
inline constexpr Measure kDamping{"a damping coefficient", kane::kForce / kane::kVelocity, "5 N*s/m"};
inline constexpr Measure kTorsionalDamping{"a torsional damping coefficient", kane::kTorque* kane::kTime,
                                           "0.1 N*m*s/rad"};
inline constexpr Measure kPitch{"a pitch", kane::kLength, "5 mm/rev"};
inline constexpr Measure kGravitation{"a gravitational parameter", Dimension{0, 3, -2}, "3.986e14 m^3/s^2"};
}  // namespace measure

}  // namespace kane
