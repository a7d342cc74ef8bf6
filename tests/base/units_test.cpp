#include "kane/base/units.hpp"

#include <gtest/gtest.h>

namespace kane {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Row {
  const char* text;
  double factor;
  Dimension dimension;
};

// Factors from the definitions of the units, written as numbers by hand.
const Row kRows[] = {
    {"kg", 1, kMass},
    {"g", 1e-3, kMass},
    {"mg", 1e-6, kMass},
    {"t", 1000, kMass},
    {"lb", 0.45359237, kMass},
    {"oz", 0.45359237 / 16, kMass},
    {"slug", 14.593902937206364, kMass},
    {"m", 1, kLength},
    {"mm", 1e-3, kLength},
    {"cm", 1e-2, kLength},
    {"km", 1e3, kLength},
    {"um", 1e-6, kLength},
    {"µm", 1e-6, kLength},
    {"in", 0.0254, kLength},
    {"ft", 12 * 0.0254, kLength},
    {"yd", 36 * 0.0254, kLength},
    {"mi", 63360 * 0.0254, kLength},
    {"s", 1, kTime},
    {"ms", 1e-3, kTime},
    {"min", 60, kTime},
    {"h", 3600, kTime},
    {"rad", 1, kNone},
    {"mrad", 1e-3, kNone},
    {"deg", kPi / 180, kNone},
    {"°", kPi / 180, kNone},
    {"rev", 2 * kPi, kNone},
    {"arcsec", kPi / 648000, kNone},
    {"%", 0.01, kNone},
    {"rpm", 2 * kPi / 60, kAngularVelocity},
    {"rev/min", 2 * kPi / 60, kAngularVelocity},
    {"deg/s", kPi / 180, kAngularVelocity},
    {"1/s", 1, kAngularVelocity},
    {"Hz", 1, kAngularVelocity},
    {"km/h", 1 / 3.6, kVelocity},
    {"mph", 1609.344 / 3600, kVelocity},
    {"kn", 1852.0 / 3600, kVelocity},
    {"m/s^2", 1, kAcceleration},
    {"m/s²", 1, kAcceleration},
    {"m/s/s", 1, kAcceleration},
    {"m*s^-2", 1, kAcceleration},
    {"m s^(-2)", 1, kAcceleration},
    {"gn", 9.80665, kAcceleration},
    {"N", 1, kForce},
    {"kN", 1e3, kForce},
    {"lbf", 0.45359237 * 9.80665, kForce},
    {"kgf", 9.80665, kForce},
    {"dyn", 1e-5, kForce},
    {"N*m", 1, kTorque},
    {"Nm", 1, kTorque},
    {"mNm", 1e-3, kTorque},
    {"N m", 1, kTorque},
    {"N·m", 1, kTorque},
    {"lbf*ft", 0.45359237 * 9.80665 * 0.3048, kTorque},
    {"lbf*in", 0.45359237 * 9.80665 * 0.0254, kTorque},
    {"J", 1, kTorque},
    {"N*m/rad", 1, kTorque},
    {"N*m/deg", 180 / kPi, kTorque},
    {"N*m*s/rad", 1, kTorque* kTime},
    {"N/m", 1, kForce / kLength},
    {"N/mm", 1e3, kForce / kLength},
    {"lbf/in", 0.45359237 * 9.80665 / 0.0254, kForce / kLength},
    {"N*s/m", 1, kForce / kVelocity},
    {"N/(m/s)", 1, kForce / kVelocity},
    {"kg*m^2", 1, kInertia},
    {"kg m²", 1, kInertia},
    {"kg*mm**2", 1e-6, kInertia},
    {"lb*in^2", 0.45359237 * 0.0254 * 0.0254, kInertia},
    {"kg/m^3", 1, kDensity},
    {"g/cm^3", 1e3, kDensity},
    {"kg/m³", 1, kDensity},
    {"MPa", 1e6, kForce / pow(kLength, 2)},
    {"psi", 6894.757293168361, kForce / pow(kLength, 2)},
    {"W", 1, kTorque / kTime},
    {"hp", 550 * 0.3048 * 0.45359237 * 9.80665, kTorque / kTime},
    {"N*m/A", 1, kTorque / Dimension{0, 0, 0, 1}},
    {"V*s/rad", 1, kTorque / Dimension{0, 0, 0, 1}},
    {"mH", 1e-3, Dimension{1, 2, -2, -2}},
    {"ohm", 1, Dimension{1, 2, -3, -2}},
    {"m^3/s^2", 1, {0, 3, -2}},
    {"(kg*m/s)^2", 1, {2, 2, -2}},
};

TEST(Units, FactorsAndDimensions) {
  for (const auto& row : kRows) {
    const Unit unit = parse_unit(row.text);
    EXPECT_NEAR(unit.factor(), row.factor, 4e-16 * row.factor) << row.text;
    EXPECT_EQ(unit.dimension, row.dimension) << row.text;
  }
}

TEST(Units, EveryUnitInTheTableIsRead) {
  for (const auto& name : unit_names()) EXPECT_GT(parse_unit(name).factor(), 0) << name;
}

TEST(Units, TheNameOfADimensionReadsBack) {
  for (const auto& row : kRows) {
    const std::string name = si_unit(row.dimension);
    const Unit again = parse_unit(name);
    EXPECT_EQ(again.dimension, row.dimension) << name;
    EXPECT_EQ(again.factor(), 1) << name;
  }
  for (const Dimension d :
       {Dimension{1, -2, 3, -1, 2}, Dimension{-1, -1, 0}, Dimension{0, 0, -3}, Dimension{2, 5, -7}}) {
    EXPECT_EQ(parse_unit(si_unit(d)).dimension, d) << si_unit(d);
    EXPECT_EQ(parse_unit(si_unit(d)).factor(), 1) << si_unit(d);
  }
}

TEST(Units, Words) {
  EXPECT_EQ(unit_words(kLength), "metres");
  EXPECT_EQ(unit_words(kMass), "kilograms");
  EXPECT_EQ(unit_words(kTorque), "newton metres");
  EXPECT_EQ(unit_words({1, 4, 0}), "kg*m^4");
}

std::string message(const char* text) {
  try {
    (void)parse_unit(text, {"model.yaml", 3, 10});
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, Errors) {
  EXPECT_EQ(message("kgg"), "model.yaml:3:10: error: unknown unit 'kgg'; did you mean 'kg'?");
  EXPECT_EQ(message("N*metre"), "model.yaml:3:12: error: unknown unit 'metre'");
  EXPECT_EQ(message(""), "model.yaml:3:10: error: expected a unit in ''");
  EXPECT_EQ(message("N*"), "model.yaml:3:12: error: expected a unit in 'N*'");
  EXPECT_EQ(message("(N"), "model.yaml:3:12: error: expected ')' in '(N'");
  EXPECT_EQ(message("m^x"), "model.yaml:3:12: error: expected a whole number as exponent in 'm^x'");
  EXPECT_EQ(message("m^99"), "model.yaml:3:13: error: the exponent of a unit is larger than 12 in 'm^99'");
  EXPECT_EQ(message("m + s"), "model.yaml:3:12: error: expected '*', '/' or the end of the unit in 'm + s'");
  EXPECT_NE(message("((((((((((m))))))))))").find("nested deeper than 8"), std::string::npos);
  EXPECT_NE(message("((((((m^12)^12)^12)^12)^12)^12)").find("too long"), std::string::npos);
  EXPECT_NE(message("((((((deg^12)^12)^12)^12)^12)^12)").find("too long"), std::string::npos);
  EXPECT_NE(message("m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m").find("32 factors"),
            std::string::npos);
}

}  // namespace
}  // namespace kane
