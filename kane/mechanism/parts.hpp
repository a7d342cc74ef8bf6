#pragma once
// The parts of a Mechanism as plain data, filled in by file readers and by the describing functions of Mechanism.
// Names refer to other parts.

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kane/mechanism/flexible_beam.hpp"
#include "kane/mechanism/joint.hpp"
#include "kane/mechanism/shape.hpp"

namespace kane {

/// A rigid body with its mass properties, or a beam.
struct MechanismBody {
  std::string name;
  Expr mass;            ///< 0: massless
  Expr3 mass_centre{};  ///< in the body's frame
  Expr33 inertia{};     ///< about the mass centre, body axes, matrix elements
  std::vector<Shape> shapes;
  Where where;
  std::optional<FlexibleBeam> flexible{};  ///< then mass, mass centre and inertia are those of the beam
};

/// A point mass fixed in a body.
struct MechanismParticle {
  std::string name;
  Expr mass;
  std::string on;  ///< body or ground
  Expr3 at{};
  Where where;
};

/// A named point fixed in a body. Two bodies may have points of the same name: "body.point" distinguishes them, and the bare
/// name does as long as there is only one.
struct MechanismPoint {
  std::string name;
  std::string on;
  Expr3 at{};
  Where where;
};
/// A named frame fixed in a body, with the same rule for its name.
struct MechanismFrame {
  std::string name;
  std::string on;
  Placement place;
  Where where;
};

// ---- loads ------------------------------------------------------------------------------------------------------------

/// A force (vector) at a point, with its opposite at `reaction_at` if given.
struct ForceLoad {
  Quantity force;           ///< vector; or scalar times `axis`
  Quantity axis;            ///< vector; empty if `force` is one
  std::string at;           ///< point (a name, "body.point", or a body for its mass centre)
  std::string reaction_at;  ///< "" = none
};
/// A torque on a body, with its opposite on `reaction`.
struct TorqueLoad {
  Quantity torque;
  Quantity axis;
  std::string on;
  std::string reaction;
};
/// Between two points: tension = stiffness*(x - length) + damping*x' + law, where law may use the names x and v for the
/// distance and its rate.
struct SpringLoad {
  std::string from, to;  ///< points
  Expr stiffness, length, damping;
  Quantity law;
};
/// Stiffness and damping added to a joint's axis (motion number from 0).
struct JointLoad {
  std::string joint;
  int motion = 0;
  AxisLaw law;
};
/// Attraction of all bodies by a spherical body at a point.
struct InverseSquareLoad {
  Expr mu;
  std::string centre;  ///< point
  bool gradient_torque = true;
  std::vector<std::string> bodies;  ///< empty = all
};

/// Anything that acts, with its name.
struct Load {
  std::string name;
  std::variant<ForceLoad, TorqueLoad, SpringLoad, JointLoad, InverseSquareLoad> what;
  Where where;
};

// ---- constraints --------------------------------------------------------------------------------------------------------

/// phi = 0 for a configuration constraint, or an expression linear in rates and speeds for a motion constraint; several
/// expressions make several rows.
struct ExpressionConstraint {
  std::vector<Quantity> configuration;
  std::vector<Quantity> motion;
};
/// Point `point` of one body on a line, plane or point of `reference`'s body: the given directions are held.
struct PointConstraint {
  std::string point;
  std::string reference;             ///< point
  std::vector<Quantity> directions;  ///< vectors along which the two coincide
  Quantity path;                     ///< instead of `directions`: a vector along which the point may move, and only so
  bool velocity_only = false;        ///< hold velocities (e.g. rolling), not positions
};
/// Rolling without slip of a body's material point at `contact` on another body. With `touching` the contact stays in the
/// plane through the other body's origin instead, normal to the one direction given.
struct RollingConstraint {
  std::string body;
  std::string on;                    ///< body or ground
  Quantity contact;                  ///< position vector of the contact point from `body`'s origin, e.g. -r*Y.z
  std::vector<Quantity> directions;  ///< empty = all three
  bool touching = false;
};
/// A rigid massless rod between two points.
struct DistanceConstraint {
  std::string from, to;
  Expr length;
};

/// Two gears, or a pinion and a rack, whose teeth mesh: r_1 phi_1 + r_2 phi_2 = offset with the angles relative to the body
/// that carries the axes (lowering_gears.cpp).
struct GearConstraint {
  std::string first, second;   ///< bodies, or the ground
  std::string carrier;         ///< "" = the parent of both
  std::vector<Quantity> axes;  ///< none: those of the joints; one for both; or one each (of a rack: its direction)
  Expr first_size, second_size;
  bool lengths = true;    ///< sizes are radii, else numbers of teeth
  bool internal = false;  ///< one of them is a ring
  bool rack = false;      ///< the second slides; first_size is the radius of the pinion
  Expr offset;
};

/// Anything that must hold, with its name.
struct Constraint {
  std::string name;
  std::variant<ExpressionConstraint, PointConstraint, RollingConstraint, DistanceConstraint, GearConstraint> what;
  bool active = true;
  Where where;
};

// ---- the rest -----------------------------------------------------------------------------------------------------------

/// A quantity with a name: an output, the definition of a speed, the law of an input.
struct NamedQuantity {
  std::string name;
  Quantity value;
};

/// A variable with a differential equation of first order: the current of a motor, the integral of an error, a temperature.
struct StateQuantity {
  std::string name;
  Quantity rate;  ///< function of coordinates, speeds, states, inputs, parameters and t
  Where where;
};

/// A system that is given by its equations instead of bodies and joints:
///
///     q' = rates(q, u, t)        M(q, t) u' = forcing(q, u, t)
///
/// Constraints, inputs and outputs are those of the mechanism. The coordinates are also its extra coordinates.
struct GeneralEquations {
  std::vector<std::string> coordinates, speeds;
  std::vector<Quantity> rates;                     ///< rates of the coordinates
  std::vector<std::vector<Quantity>> mass_matrix;  ///< rows
  std::vector<Quantity> forcing;
  Quantity kinetic, potential;  ///< energies; may be empty
  Where where;
};

/// One-dimensional table, used in expressions as name(x).
struct Table {
  std::string name{};
  std::vector<double> x{}, y{};
  bool cubic = false;     ///< natural spline, continuous to the second derivative; else straight lines
  bool monotone = false;  ///< cubic that never overshoots its points; continuous to the first derivative
  Where where{};
};

/// An auxiliary speed that brings a constraint force into evidence (for models that define one by hand).
struct AuxiliaryQuantity {
  std::string name;
  std::string body;   ///< adds an angular velocity to this body ...
  std::string point;  ///< ... or a velocity to this point
  Quantity direction;
  /// ... or, with neither body nor point: a combination of the rates that is always zero, e.g. dot(v(P), B.y) for a
  /// wheel that cannot slip sideways. Fewer generalized speeds than coordinates then suffice.
  Quantity definition;
};

/// An input whose law is evaluated by a digital controller: every `period`, taking effect `delay` later and held in
/// between.
struct InputSampling {
  std::string input;
  double period = 0;
  double delay = 0;
};
/// An input given by points in time; beyond them it keeps its first and last value.
struct InputSeries {
  std::string input;
  std::vector<double> t, value;
  bool hold = false;  ///< steps instead of straight lines
};
/// A foreign FMU for co-simulation that gives values to inputs, as a sampled controller. What it measures are inputs of the
/// mechanism too, with laws that are sampled with the same period.
struct FmuController {
  std::string file;                                             ///< path
  std::string given;                                            ///< as the user wrote it
  double period = 0;                                            ///< s
  double delay = 0;                                             ///< s, from a sample to its effect
  std::vector<std::pair<std::string, std::string>> outputs{};   ///< input of the mechanism, output of the FMU
  std::vector<std::pair<std::string, std::string>> measured{};  ///< input of the FMU, input of the mechanism
  std::vector<std::pair<std::string, double>> start{};          ///< parameter of the FMU, its value
};

}  // namespace kane
