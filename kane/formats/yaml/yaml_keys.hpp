#pragma once
// Every key of the format, by section. The readers check against these lists, and a test compares the JSON Schema with them.

#include <span>
#include <string_view>

namespace kane::keys {

inline constexpr std::string_view kBody[] = {"mass",     "com",    "inertia", "shape",     "density",
                                             "geometry", "points", "frames",  "particles", "flexible"};
inline constexpr std::string_view kFlexible[] = {"length",       "mass_per_length", "EI",       "GJ",      "EA",
                                                 "inertia",      "modes",           "shapes",   "damping", "viscosity",
                                                 "coordinates",  "premature",       "exact",    "GA",      "segments",
                                                 "continued_by", "elements",        "diagrams", "offset",  "coupled"};
inline constexpr std::string_view kDiagrams[] = {"sections", "modulus", "fibres"};
inline constexpr std::string_view kFlexiblePart[] = {
    "mass_matrix", "stiffness_matrix", "damping_matrix", "nodes",      "interfaces", "root",
    "modes",       "damping",          "viscosity",      "coordinates"};
inline constexpr std::string_view kBeamMotion[] = {"y", "z", "twist", "stretch", "shear_y", "shear_z"};
inline constexpr std::string_view kInertia[] = {"diagonal", "matrix", "xx",    "yy",    "zz",         "xy",
                                                "yz",       "zx",     "about", "frame", "orientation"};
inline constexpr std::string_view kParticle[] = {"mass", "on", "at"};
inline constexpr std::string_view kPoint[] = {"on", "at"};
inline constexpr std::string_view kFrame[] = {"on", "at", "orientation"};
inline constexpr std::string_view kOrientation[] = {"axis",   "angle",  "rpy",       "sequence",
                                                    "angles", "matrix", "quaternion"};
inline constexpr std::string_view kShape[] = {"box",         "cylinder", "sphere",  "ellipsoid", "cone", "capsule",
                                              "tube",        "rod",      "disk",    "plane",     "mesh", "at",
                                              "orientation", "color",    "display", "contact",   "hull"};
inline constexpr std::string_view kShapeSizes[] = {"radius", "length", "outer", "inner"};

// Motors, springs, dampers and stops on the axis of a joint.
inline constexpr std::string_view kAxisLaw[] = {"stiffness", "rest",     "damping",   "friction", "limits",
                                                "law",       "actuator", "max_force", "max_speed"};
inline constexpr std::string_view kLimits[] = {"lower", "upper", "restitution", "stiffness", "damping"};
inline constexpr std::string_view kJoint[] = {
    "type",          "parent",   "child",  "at",       "orientation", "child_at",   "child_orientation",
    "rotation_from", "axis",     "axes",   "sequence", "pitch",       "coordinate", "coordinates",
    "speed",         "speeds",   "lock",   "value",    "values",      "prescribe",  "rotation",
    "translation",   "motions",  "close",  "active",   "reaction",    "stiffness",  "rest",
    "damping",       "friction", "limits", "law",      "actuator",    "max_force",  "max_speed"};
inline constexpr std::string_view kSequence[] = {"sequence", "free", "values", "coordinates", "speeds"};
inline constexpr std::string_view kMotion[] = {"rotate",     "translate",   "screw",    "ball",      "pitch",
                                               "coordinate", "coordinates", "speed",    "speeds",    "value",
                                               "prescribe",  "stiffness",   "rest",     "damping",   "friction",
                                               "limits",     "law",         "actuator", "max_force", "max_speed"};
inline constexpr std::string_view kArm[] = {"convention", "base", "at", "orientation", "rows"};
inline constexpr std::string_view kArmRow[] = {"a",         "alpha",      "d",        "theta",    "type",   "joint",
                                               "body",      "coordinate", "speed",    "lock",     "value",  "prescribe",
                                               "stiffness", "rest",       "damping",  "friction", "limits", "law",
                                               "actuator",  "max_force",  "max_speed"};

// The first key of a load or constraint determines its kind.
inline constexpr std::string_view kLoadKinds[] = {"force",    "torque", "spring",    "damper",
                                                  "friction", "law",    "attraction"};
inline constexpr std::string_view kForceLoad[] = {"force", "at", "axis", "reaction", "frame", "joint", "coordinate"};
inline constexpr std::string_view kTorqueLoad[] = {"torque", "on", "axis", "reaction", "frame", "joint", "coordinate"};
inline constexpr std::string_view kSpringLoad[] = {"spring", "damper", "law",  "damping", "friction",  "from",
                                                   "to",     "length", "rest", "joint",   "coordinate"};
inline constexpr std::string_view kAttractionLoad[] = {"attraction", "centre", "gradient_torque", "bodies"};

inline constexpr std::string_view kConstraintKinds[] = {"configuration", "motion", "point",     "rolling", "touching",
                                                        "rod",           "rope",   "gear",      "screw",   "rack",
                                                        "belt",          "cam",    "prescribe", "couple"};
inline constexpr std::string_view kExpressionConstraint[] = {"configuration", "motion", "active"};
inline constexpr std::string_view kPointConstraint[] = {"point",      "reference", "path",  "plane",
                                                        "directions", "velocity",  "active"};
inline constexpr std::string_view kRollingConstraint[] = {"rolling", "on", "contact", "directions", "active"};
inline constexpr std::string_view kTouchingConstraint[] = {"touching", "on", "contact", "normal", "active"};
inline constexpr std::string_view kRodConstraint[] = {"rod", "length", "active"};
inline constexpr std::string_view kRopeConstraint[] = {"rope", "length", "active"};
inline constexpr std::string_view kGearConstraint[] = {"gear",    "ratio", "teeth", "radii",  "module", "internal",
                                                       "carrier", "axis",  "axes",  "offset", "active"};
inline constexpr std::string_view kScrewConstraint[] = {"screw", "pitch", "offset", "active"};
inline constexpr std::string_view kRackConstraint[] = {"rack",      "radius", "carrier", "axis",
                                                       "direction", "offset", "active"};
inline constexpr std::string_view kBeltConstraint[] = {"belt", "radii", "crossed", "offset", "active"};
inline constexpr std::string_view kCamConstraint[] = {"cam", "profile", "active"};
inline constexpr std::string_view kPrescribeConstraint[] = {"prescribe", "value", "active"};
inline constexpr std::string_view kCoupleConstraint[] = {"couple", "value", "active"};

inline constexpr std::string_view kContactKinds[] = {"gap",      "point",   "sphere",  "disk",  "box",
                                                     "cylinder", "capsule", "spheres", "joint", "between",
                                                     "all",      "pin",     "slot",    "gear"};
inline constexpr std::string_view kContact[] = {"pin",
                                                "slot",
                                                "gear",
                                                "clearance",
                                                "backlash",
                                                "ratio",
                                                "teeth",
                                                "internal",
                                                "offset",
                                                "between",
                                                "all",
                                                "box",
                                                "cylinder",
                                                "capsule",
                                                "size",
                                                "length",
                                                "gap",
                                                "slip",
                                                "point",
                                                "sphere",
                                                "disk",
                                                "spheres",
                                                "joint",
                                                "at",
                                                "plane",
                                                "reference",
                                                "height",
                                                "radius",
                                                "radii",
                                                "axis",
                                                "friction",
                                                "static_friction",
                                                "restitution",
                                                "law",
                                                "stiffness",
                                                "rolling_friction",
                                                "spinning_friction",
                                                "dissipation",
                                                "damping",
                                                "except",
                                                "ignore",
                                                "along",
                                                "adhesion",
                                                "phases"};
inline constexpr std::string_view kPairLaw[] = {
    "of",  "friction", "static_friction", "along",       "rolling_friction", "spinning_friction", "restitution",
    "law", "phases",   "stiffness",       "dissipation", "damping",          "adhesion"};
inline constexpr std::string_view kFriction[] = {"slip", "joint", "limit", "stiction"};
inline constexpr std::string_view kEvent[] = {"when",   "direction", "force", "above", "below", "exceeds",
                                              "impose", "release",   "reset", "from",  "to",    "stop"};
inline constexpr std::string_view kHandle[] = {"position", "stiffness", "damping"};
inline constexpr std::string_view kMode[] = {"active", "initial"};

inline constexpr std::string_view kTable[] = {"x", "y", "points", "interpolation", "x_unit", "y_unit"};
inline constexpr std::string_view kState[] = {"rate", "initial"};
inline constexpr std::string_view kAuxiliary[] = {"body", "point", "direction", "definition"};
inline constexpr std::string_view kInput[] = {"value", "sampled", "delay",  "points", "hold",
                                              "fmu",   "output",  "inputs", "step",   "parameters"};
inline constexpr std::string_view kEquations[] = {"coordinates", "forcing", "mass_matrix", "kinetic", "potential"};
inline constexpr std::string_view kSimulate[] = {"until", "method", "tolerance", "absolute_tolerance",
                                                 "step",  "sample", "from",      "constraints"};

}  // namespace kane::keys
