#pragma once
// Scalars of model files: an expression of names, or a number with a unit.
//
//   2 kg    300 mm    9.81 m/s^2    30 deg    -1/2 in    L/2    2*m1 + m2    pi/4
//
// Dimensions are tracked through expressions as far as they are known: a name has the dimension of the unit it was
// declared with, if any; a number without a unit fits everything (it is in SI units), so a product with it
// has no known dimension. Known mismatches are errors: adding metres to kilograms, the sine of a length, a
// mass given in metres.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/units.hpp"
#include "kane/expr/graph.hpp"

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

/// A name that scalars may use.
struct ScalarName {
  Expr value;
  std::optional<Dimension> dimension;  ///< empty: unknown
  std::string_view what;               ///< "parameter", "coordinate", ...
  Where where;                         ///< place of its declaration
};

using ScalarNames = std::map<std::string, ScalarName, std::less<>>;

struct Scalar {
  Expr value;
  std::optional<Dimension> dimension;
  std::string unit;  ///< SI unit of the unit it was written with ("kg", "rad"); "" if there was none
};

/// Reads a scalar. `what` and `owner` are for messages: "mass" of "the body 'A'". Throws
/// ModelError at a place in the text.
[[nodiscard]] Scalar parse_scalar(Graph& graph, const ScalarNames& names, std::string_view text, const Where& where,
                                  const Measure& measure, std::string_view what, std::string_view owner);

/// Exact SI value of a unit.
[[nodiscard]] Expr unit_factor(Graph& graph, const Unit& unit);

}  // namespace kane
