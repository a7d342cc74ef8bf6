#pragma once
// Options of the parts of a mechanism, as plain structs to be filled with designated initialisers:
//
//     m.revolute("elbow", upper, lower, axis::z, {.coordinate = "q2", .at = {L, 0, 0}, .damping = c});
//
// Members left out have the value one would expect: no mass, no spring, no limit, the origin. SI units.

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kane/mechanism/flexible_beam.hpp"
#include "kane/mechanism/handles.hpp"
#include "kane/mechanism/shape.hpp"

namespace kane {

// ---- bodies -------------------------------------------------------------------------------------------------------------

/// Moments and products of inertia: three (xx, yy, zz), six (xx, yy, zz, xy, yz, zx; entries of the matrix), or the whole
/// matrix; about the mass centre in the body's axes unless said otherwise.
class Inertia {
 public:
  /// No inertia given.
  Inertia() = default;
  /// From the entries of its matrix.
  Inertia(const Expr& xx, const Expr& yy, const Expr& zz, const Expr& xy = 0, const Expr& yz = 0, const Expr& zx = 0)
      : matrix_{{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}}, given_(true) {}
  /// From the whole matrix.
  Inertia(const Expr33& matrix) : matrix_(matrix), given_(true) {}

  /// The same entries, about this point of the body instead of the mass centre.
  [[nodiscard]] Inertia about(Position point) const;
  /// The same entries, in axes with this orientation instead of the body's.
  [[nodiscard]] Inertia in(Turn axes) const;

  [[nodiscard]] bool given() const { return given_; }             ///< whether any inertia was given
  [[nodiscard]] const Expr33& matrix() const { return matrix_; }  ///< the matrix as given
  [[nodiscard]] const std::optional<Position>& point() const {
    return point_;
  }                                                         ///< reference point; none: the mass centre
  [[nodiscard]] const Turn& axes() const { return axes_; }  ///< axes of the matrix

 private:
  Expr33 matrix_{};
  bool given_ = false;
  std::optional<Position> point_;
  Turn axes_;
};

/// Place and use of a shape on its body.
struct ShapeOptions {
  Position at{};         ///< position of the shape's centre
  Turn orientation{};    ///< orientation of the shape's axes
  std::string color{};   ///< "" = chosen automatically
  bool display = true;   ///< whether pictures show the shape
  bool contact = false;  ///< whether it takes part in contacts between shapes
  bool hull = false;     ///< of a mesh that is not convex: its convex hull touches
};

/// A shape with its place, as the functions of the namespace `shape` return it.
struct BodyShape {
  ShapeKind kind = ShapeKind::Box;  ///< kind of shape
  std::vector<Expr> sizes{};        ///< sizes in the order of ShapeKind
  ShapeOptions options{};           ///< place and use
  std::string file{};               ///< file of a mesh
};

/// Functions that make shapes.
namespace shape {
/// A box with these edges along x, y and z.
[[nodiscard]] BodyShape box(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options = {});
/// A sphere of this radius.
[[nodiscard]] BodyShape sphere(const Expr& radius, ShapeOptions options = {});
/// An ellipsoid with these semi-axes along x, y and z.
[[nodiscard]] BodyShape ellipsoid(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options = {});
/// A cylinder along z.
[[nodiscard]] BodyShape cylinder(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// A cone with its tip at +length/2 along z.
[[nodiscard]] BodyShape cone(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// A cylinder of this length along z with hemispherical ends.
[[nodiscard]] BodyShape capsule(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// A hollow cylinder along z.
[[nodiscard]] BodyShape tube(const Expr& outer, const Expr& inner, const Expr& length, ShapeOptions options = {});
/// A thin cylinder along z.
[[nodiscard]] BodyShape rod(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// A flat cylinder along z.
[[nodiscard]] BodyShape disk(const Expr& radius, const Expr& length = 0, ShapeOptions options = {});
/// The plane z = 0.
[[nodiscard]] BodyShape plane(ShapeOptions options = {});
/// A mesh from a file.
[[nodiscard]] BodyShape mesh(std::string file, ShapeOptions options = {});
/// The convex hull of points.
[[nodiscard]] BodyShape hull(const std::vector<Expr3>& points, ShapeOptions options = {});
}  // namespace shape

/// A rigid body. With a `shape`, mass centre and inertia are those of a homogeneous body of this shape with the given mass
/// or density, unless they are given as well.
struct BodyOptions {
  Expr mass{};                        ///< mass; 0: massless
  Position centre{};                  ///< mass centre
  Inertia inertia{};                  ///< inertia, about the mass centre unless it says otherwise
  std::optional<BodyShape> shape{};   ///< shape of a homogeneous body
  std::optional<Expr> density{};      ///< instead of `mass`, with `shape`
  std::vector<BodyShape> geometry{};  ///< further shapes, without mass
  /// A beam instead of a rigid body. Its coordinates are named B_q1, B_q2, ... unless they are given.
  std::optional<FlexibleBeam> flexible{};
};

/// A point mass.
struct ParticleOptions {
  Expr mass;      ///< mass, in kg
  BodyRef on;     ///< body that carries it, or the ground
  Position at{};  ///< position on that body
};

// ---- joints -------------------------------------------------------------------------------------------------------------

/// Range of a coordinate; either side may be open. A stop is rigid, or a spring with a damper if it has a stiffness.
struct Limits {
  std::optional<Expr> lower{};  ///< none: open
  std::optional<Expr> upper{};  ///< none: open
  Expr restitution{};           ///< restitution of rigid stops, 0 to 1
  Expr stiffness{};             ///< stiffness of compliant stops
  Expr damping{};               ///< damping of compliant stops
};

/// One motion of a joint: its names, and the forces along it.
struct AxisOptions {
  std::string coordinate{};         ///< "" = generated from the name of the joint
  std::string speed{};              ///< "" = generated from the name of the coordinate
  Expr stiffness{};                 ///< force or torque -stiffness*(q - rest)
  Expr rest{};                      ///< rest position of the spring
  Expr damping{};                   ///< force or torque -damping*q'
  Expr friction{};                  ///< Coulomb friction: force or torque that opposes sliding
  Limits limits{};                  ///< stops
  Quantity law{};                   ///< any further force or torque, positive along the coordinate
  Expr actuator{};                  ///< an input that acts along the coordinate
  std::optional<Expr> max_force{};  ///< largest force or torque of the motor (actuator and law together)
  std::optional<Expr> max_speed{};  ///< rate up to which the motor drives
  std::optional<Expr> value{};  ///< locks the motion here (a constant), or prescribes it (a function of t and inputs)
};

/// A joint with one motion: the members of AxisOptions, and the place of the joint on its two bodies.
struct JointOptions {
  std::string coordinate{};         ///< "" = generated
  std::string speed{};              ///< "" = generated
  Position at{};                    ///< position on the parent
  Turn orientation{};               ///< orientation of the joint's axes on the parent
  Position child_at{};              ///< position on the child
  Turn child_orientation{};         ///< orientation of the joint's axes on the child
  FrameRef rotation_from{};         ///< measures the angle from this body or frame instead of the parent
  Expr stiffness{};                 ///< stiffness of a spring along the motion
  Expr rest{};                      ///< rest position of that spring
  Expr damping{};                   ///< damping of a damper along the motion
  Expr friction{};                  ///< Coulomb friction
  Limits limits{};                  ///< limits of the coordinate
  Quantity law{};                   ///< any further force or torque
  Expr actuator{};                  ///< an input that acts along the motion
  std::optional<Expr> max_force{};  ///< largest force or torque of the motor (actuator and law together)
  std::optional<Expr> max_speed{};  ///< rate up to which the motor drives
  std::optional<Expr> value{};      ///< locks or prescribes the motion
  bool closing = false;             ///< closes a loop: both bodies are placed by other joints
  bool active = true;               ///< whether a closing joint acts from the start
  bool report_reaction = true;      ///< whether its force and torque are reported
};

/// A joint with several motions. If names are left out, all of them are generated.
struct MultiJointOptions {
  std::vector<std::string> coordinates{};  ///< names of all coordinates, in order
  std::vector<std::string> speeds{};       ///< names of all speeds, in order
  Position at{};                           ///< position on the parent
  Turn orientation{};                      ///< orientation of the joint's axes on the parent
  Position child_at{};                     ///< position on the child
  Turn child_orientation{};                ///< orientation of the joint's axes on the child
  FrameRef rotation_from{};                ///< measures angles from this body or frame instead of the parent
  /// The laws along each motion, in order; the list may be shorter than that of the motions. Names in here are used only
  /// if `coordinates` and `speeds` are empty.
  std::vector<AxisOptions> motions{};
  bool closing = false;         ///< closes a loop: both bodies are placed by other joints
  bool active = true;           ///< whether a closing joint acts from the start
  bool report_reaction = true;  ///< whether its force and torque are reported
};

/// One motion of a joint that is described motion by motion.
struct JointMotion {
  MotionKind kind = MotionKind::Rotation;  ///< kind of motion
  Direction axis = axis::z;                ///< axis in the frame the motion starts from
  Expr pitch{};                            ///< pitch of a screw, metres per radian
  std::vector<std::string> coordinates{};  ///< names of the four coordinates of a ball
  std::vector<std::string> speeds{};       ///< names of the three speeds of a ball
  AxisOptions options{};                   ///< names, and the forces along the motion
};
/// A rotation about an axis.
[[nodiscard]] JointMotion rotate(const Direction& axis, AxisOptions options = {});
/// A translation along an axis.
[[nodiscard]] JointMotion translate(const Direction& axis, AxisOptions options = {});
/// A screw motion: rotation and translation in proportion; `pitch` in metres per radian.
[[nodiscard]] JointMotion twist(const Direction& axis, const Expr& pitch, AxisOptions options = {});
/// Any rotation: four Euler parameters (scalar last), three speeds.
[[nodiscard]] JointMotion ball(std::vector<std::string> coordinates = {}, std::vector<std::string> speeds = {});

// ---- loads --------------------------------------------------------------------------------------------------------------

/// Tension = stiffness*(x - length) + damping*x' + law, where the law may use x and v for the distance and its rate.
struct SpringOptions {
  Expr stiffness{};  ///< stiffness, in N/m
  Expr length{};     ///< free length, in m
  Expr damping{};    ///< damping, in N*s/m
  Quantity law{};    ///< any further tension
};
/// Attraction by a spherical body: mu = G M.
struct AttractionOptions {
  Expr mu;                        ///< gravitational parameter, in m^3/s^2
  PointRef centre{};              ///< "" = the ground's origin
  bool gradient_torque = true;    ///< whether extended bodies feel the gravity-gradient torque
  std::vector<BodyRef> bodies{};  ///< empty = all
};

// ---- constraints --------------------------------------------------------------------------------------------------------

/// The displacements of a point relative to another that are prevented: give one of `directions`, `plane` and `path`, or
/// none of them to prevent all three.
struct PointHoldOptions {
  std::vector<VectorQuantity> directions{};  ///< along which the two points coincide
  VectorQuantity plane{};                    ///< normal of the plane in which the point stays
  VectorQuantity path{};                     ///< direction along which the point may move
  bool velocity_only = false;                ///< constrain velocities, not positions
  bool active = true;                        ///< whether it acts from the start
};
/// Rolling without slip.
struct RollOptions {
  BodyRef on{};                              ///< "" = the ground
  VectorQuantity contact;                    ///< from the body's origin to the contact point
  std::vector<VectorQuantity> directions{};  ///< directions without slip; empty = all three
  bool active = true;                        ///< whether it acts from the start
};
/// Permanent contact with a plane; it may slip.
struct TouchOptions {
  BodyRef on{};            ///< "" = the ground; the plane goes through its origin
  VectorQuantity contact;  ///< from the body's origin to the contact point
  VectorQuantity normal;   ///< normal of the plane
  bool active = true;      ///< whether it acts from the start
};
/// b = ratio*a + offset.
struct RatioOptions {
  Expr offset{};       ///< value of b where a = 0
  bool active = true;  ///< whether it acts from the start
};

/// Two gears on a common carrier. Give either `radii` or `teeth`; with `module`, teeth determine the radii.
struct GearOptions {
  BodyRef carrier{};  ///< "" = the parent of both
  std::vector<VectorQuantity>
      axes{};  ///< none: those of the joints; one for both; or one each, pointing away from where they meet
  std::vector<Expr> radii{};  ///< two pitch radii
  std::vector<Expr> teeth{};  ///< two numbers of teeth
  Expr module{};              ///< pitch diameter per tooth
  bool internal = false;      ///< one of them is a ring gear
  Expr offset{};       ///< value of r1*phi1 + r2*phi2, in metres (offset of the second angle if only teeth are given)
  bool active = true;  ///< whether it acts from the start
};
/// A pinion and a rack on a common carrier.
struct RackOptions {
  BodyRef carrier{};           ///< "" = the parent of both
  Expr radius{};               ///< pitch radius of the pinion
  VectorQuantity axis{};       ///< axis of the pinion; "" = that of its joint
  VectorQuantity direction{};  ///< direction of the rack when the pinion turns in the positive sense; "" = its joint's
  Expr offset{};               ///< value of radius*angle - displacement
  bool active = true;          ///< whether it acts from the start
};

// ---- speeds, inputs, tables ---------------------------------------------------------------------------------------------

/// A digital controller: its law is evaluated every `period`, takes effect `delay` later, and is held in between.
struct SamplingOptions {
  double period = 0;  ///< sampling period, in s; 0: continuous
  double delay = 0;   ///< delay, in s
};
/// An auxiliary speed: the angular velocity of a body or the velocity of a point along a direction, or a combination of
/// rates that is always zero.
struct AuxiliaryOptions {
  BodyRef body{};              ///< body whose angular velocity it adds to
  PointRef point{};            ///< or point whose velocity it adds to
  VectorQuantity direction{};  ///< direction of the added velocity
  Quantity definition{};       ///< or the combination of rates that is zero
};

// ---- contacts, friction, events, handles ----------------------------------------------------------------------------------

/// A plane given by its normal, at `height` above a point along the normal.
struct ContactPlane {
  VectorQuantity normal;  ///< pointing away from the solid side
  Quantity height;        ///< "" = 0
  PointRef through;       ///< "" = the ground's origin

  /// No plane.
  ContactPlane() = default;
  /// From its normal and place.
  ContactPlane(VectorQuantity n, Quantity h = {}, PointRef p = {})
      : normal(std::move(n)), height(std::move(h)), through(std::move(p)) {}
  /// From its normal as text.
  ContactPlane(const char* n) : normal(n) {}
  /// From its normal in the axes of the ground.
  ContactPlane(const Direction& n) : normal(n) {}
};

/// A contact described by its gap.
struct GapContact {
  Quantity gap;                  ///< never negative
  std::vector<Quantity> slip{};  ///< sliding speeds
};
/// A point on a plane.
struct PointContact {
  PointRef point;      ///< point of the moving body
  ContactPlane plane;  ///< plane it stays above
};
/// A ball on a plane.
struct SphereContact {
  BodyRef body;        ///< body it belongs to
  Quantity radius;     ///< radius, in m
  ContactPlane plane;  ///< plane it stays above
  PointRef at{};       ///< centre; "" = the body's origin
};
/// The edge of a round disk on a plane.
struct DiskContact {
  BodyRef body;         ///< body it belongs to
  Quantity radius;      ///< radius, in m
  VectorQuantity axis;  ///< axis of the disk; components are in the body's axes
  ContactPlane plane;   ///< plane it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// The corners of a box on a plane.
struct BoxContact {
  BodyRef body;                ///< body it belongs to
  std::vector<Quantity> size;  ///< three edges along the body's axes
  ContactPlane plane;          ///< plane it stays above
  PointRef at{};               ///< centre; "" = the body's origin
};
/// A cylinder with flat ends on a plane.
struct CylinderContact {
  BodyRef body;         ///< body it belongs to
  Quantity radius;      ///< radius, in m
  Quantity length;      ///< length, in m
  VectorQuantity axis;  ///< axis; components are in the body's axes
  ContactPlane plane;   ///< plane it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// A cylinder with hemispherical ends on a plane.
struct CapsuleContact {
  BodyRef body;         ///< body it belongs to
  Quantity radius;      ///< radius, in m
  Quantity length;      ///< length of the straight part
  VectorQuantity axis;  ///< axis; components are in the body's axes
  ContactPlane plane;   ///< plane it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// Two balls, centred on the origins of their bodies.
struct SpheresContact {
  BodyRef body;           ///< body of the first
  BodyRef other;          ///< body of the second
  Quantity radius;        ///< radius of the first
  Quantity other_radius;  ///< radius of the second
};
/// The stops of a joint: the limits of its coordinates.
struct JointStops {
  JointRef joint;  ///< joint with limits
};
/// The shapes of two bodies; the ground is the half-space below a plane.
struct ShapesContact {
  BodyRef body;          ///< first body
  BodyRef other;         ///< second body
  ContactPlane plane{};  ///< plane of the ground, if it is one of them
};
/// The shapes of all bodies that are not connected by a joint, and the half-space below a plane.
struct AllShapesContact {
  ContactPlane plane{};  ///< none: no half-space
};
/// A pin in a larger hole: a joint with clearance.
struct PinInHole {
  PointRef pin;         ///< centre of the pin
  PointRef hole;        ///< centre of the hole
  Quantity clearance;   ///< radius of the hole minus that of the pin
  VectorQuantity axis;  ///< axis of both; components are in the ground's axes
  Quantity radius{};    ///< radius of the pin; needed for friction
};
/// A point between two walls: play of a slider.
struct PointInSlot {
  PointRef point;       ///< point that moves
  PointRef middle;      ///< middle of the slot
  Quantity clearance;   ///< clearance on each side
  VectorQuantity axis;  ///< direction across the slot; components are in the ground's axes
};
/// Two coordinates that follow each other with play: gears with backlash.
struct GearBacklash {
  Expr first;         ///< first coordinate
  Expr second;        ///< second coordinate = ratio first + offset, within half the backlash
  Quantity ratio;     ///< ratio of their rates
  Quantity backlash;  ///< play of the second coordinate while the first is held
  Quantity offset{};  ///< offset of the middle of the play
};
/// The geometry of a contact.
using ContactGeometry =
    std::variant<GapContact, PointContact, SphereContact, DiskContact, BoxContact, CylinderContact, CapsuleContact,
                 SpheresContact, JointStops, ShapesContact, AllShapesContact, PinInHole, PointInSlot, GearBacklash>;

/// The law of a contact: rigid with restitution, or compliant if it has a stiffness.
struct ContactLaw {
  Quantity friction{};                          ///< coefficient while sliding; "" = none
  Quantity static_friction{};                   ///< coefficient while sticking; "" = the same
  Quantity rolling_friction{};                  ///< a length: resisting torque per unit of normal force
  Quantity spinning_friction{};                 ///< likewise, about the normal
  Quantity restitution{};                       ///< 0 (no rebound) to 1 (no loss); "" = 0
  RestitutionLaw law = RestitutionLaw::Newton;  ///< what restitution is the ratio of
  bool phases = false;                          ///< friction follows the sliding through the phases of an impact
  Quantity stiffness{};                         ///< Hunt and Crossley: N = k d^(3/2) (1 + 3/2 c d')
  Quantity dissipation{};                       ///< c of the same law
  Quantity damping{};                           ///< instead of c: a linear contact, N = k d + c d'
  Quantity friction_across{};                   ///< coefficient across `along`; `friction` is then that along it
  Quantity along{};                             ///< a vector
  Quantity adhesion{};                          ///< force that holds the contact while it is closed
};

/// Dry friction against one or two speeds, or along all axes of a joint.
struct FrictionOptions {
  std::vector<Quantity> slip{};  ///< one or two speeds
  JointRef joint{};              ///< instead of `slip`
  Quantity limit;                ///< force or torque while sliding
  Quantity stiction{};           ///< largest force or torque while sticking; "" = the same
};

/// Direction in which a guard crosses zero.
enum class Sense : std::int8_t { Falling = -1, Either = 0, Rising = 1 };

/// An event and its effects. The guard is `when`, or the force of a constraint compared with a bound.
struct EventDescription {
  Quantity when{};                       ///< the guard
  Sense sense = Sense::Either;           ///< direction in which it crosses zero
  ConstraintRef force{};                 ///< instead of `when`: the force of this constraint, with one of the bounds
  Quantity above{};                      ///< the force rises above this
  Quantity below{};                      ///< the force falls below this
  Quantity exceeds{};                    ///< the force exceeds this in either direction
  std::vector<ConstraintRef> impose{};   ///< constraints that hold from then on
  std::vector<ConstraintRef> release{};  ///< constraints that no longer hold
  std::vector<std::pair<std::string, Quantity>> reset{};  ///< new values of coordinates and speeds
  std::string from{};                                     ///< mode in which it can happen; "" = any
  std::string to{};                                       ///< the mode from then on
  bool stop = false;                                      ///< ends the run
};

/// An axis of the handle by which a device holds the mechanism.
struct HandleOptions {
  Quantity position;   ///< position along or about the axis
  Quantity stiffness;  ///< stiffness of the virtual coupler
  Quantity damping{};  ///< damping of the virtual coupler
};

}  // namespace kane
