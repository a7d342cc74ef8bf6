#pragma once
// Options of the parts of a mechanism, as plain structs to be filled with designated initialisers:
//
//     m.revolute("elbow", upper, lower, axis::z, {.coordinate = "q2", .at = {L, 0, 0}, .damping = c});
//
// Whatever is left out has the value that a person would expect: no mass, no spring, no limit, the origin. SI units.

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
  /// Not given.
  Inertia() = default;
  /// By its entries.
  Inertia(const Expr& xx, const Expr& yy, const Expr& zz, const Expr& xy = 0, const Expr& yz = 0, const Expr& zx = 0)
      : matrix_{{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}}, given_(true) {}
  /// By its matrix.
  Inertia(const Expr33& matrix) : matrix_(matrix), given_(true) {}

  /// About this point of the body instead of the mass centre.
  [[nodiscard]] Inertia about(Position point) const;
  /// In axes turned like this instead of the body's.
  [[nodiscard]] Inertia in(Turn axes) const;

  [[nodiscard]] bool given() const { return given_; }                            ///< whether anything was said
  [[nodiscard]] const Expr33& matrix() const { return matrix_; }                 ///< as it was given
  [[nodiscard]] const std::optional<Position>& point() const { return point_; }  ///< none: the mass centre
  [[nodiscard]] const Turn& axes() const { return axes_; }                       ///< those of the matrix

 private:
  Expr33 matrix_{};
  bool given_ = false;
  std::optional<Position> point_;
  Turn axes_;
};

/// Where a shape sits on its body, and what it is for.
struct ShapeOptions {
  Position at{};         ///< of the shape's centre
  Turn orientation{};    ///< of the shape's axes
  std::string color{};   ///< "" = chosen
  bool display = true;   ///< whether pictures show it
  bool contact = false;  ///< takes part in contacts between shapes
};

/// A shape with its place: what the functions of the namespace `shape` give.
struct BodyShape {
  ShapeKind kind = ShapeKind::Box;  ///< what it is
  std::vector<Expr> sizes{};        ///< in the order of ShapeKind
  ShapeOptions options{};           ///< where it sits
  std::string file{};               ///< of a mesh
};

/// Makers of shapes.
namespace shape {
/// Edges along x, y and z.
[[nodiscard]] BodyShape box(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options = {});
/// By its radius.
[[nodiscard]] BodyShape sphere(const Expr& radius, ShapeOptions options = {});
/// Half-axes along x, y and z.
[[nodiscard]] BodyShape ellipsoid(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options = {});
/// Along z.
[[nodiscard]] BodyShape cylinder(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// With its tip at +length/2 along z.
[[nodiscard]] BodyShape cone(const Expr& radius, const Expr& length, ShapeOptions options = {});
/// A cylinder of this length along z with half-balls at its ends.
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
  Expr mass{};                        ///< 0: massless
  Position centre{};                  ///< mass centre
  Inertia inertia{};                  ///< about the mass centre unless it says otherwise
  std::optional<BodyShape> shape{};   ///< homogeneous
  std::optional<Expr> density{};      ///< instead of `mass`, with `shape`
  std::vector<BodyShape> geometry{};  ///< further shapes, without mass
  /// A beam instead of a rigid body. Its coordinates are named B_q1, B_q2, ... unless they are given.
  std::optional<FlexibleBeam> flexible{};
};

/// A point mass.
struct ParticleOptions {
  Expr mass;      ///< in kg
  BodyRef on;     ///< body or ground
  Position at{};  ///< on that body
};

// ---- joints -------------------------------------------------------------------------------------------------------------

/// Range of a coordinate; an absent side is open. A stop is rigid, or a spring with a damper if it has a stiffness.
struct Limits {
  std::optional<Expr> lower{};  ///< none: open
  std::optional<Expr> upper{};  ///< none: open
  Expr restitution{};           ///< of rigid stops, 0 to 1
  Expr stiffness{};             ///< of compliant stops
  Expr damping{};               ///< of compliant stops
};

/// One motion of a joint: its names, and what acts along it.
struct AxisOptions {
  std::string coordinate{};         ///< "" = generated from the name of the joint
  std::string speed{};              ///< "" = generated from the name of the coordinate
  Expr stiffness{};                 ///< force or torque -stiffness*(q - rest)
  Expr rest{};                      ///< of the spring
  Expr damping{};                   ///< -damping*q'
  Expr friction{};                  ///< Coulomb friction: force or torque against sliding
  Limits limits{};                  ///< stops
  Quantity law{};                   ///< any further force or torque, positive along the coordinate
  Expr actuator{};                  ///< an input that acts along the coordinate
  std::optional<Expr> max_force{};  ///< of the motor: actuator and law together
  std::optional<Expr> max_speed{};  ///< rate up to which the motor drives
  std::optional<Expr> value{};  ///< locks the motion here (a constant), or prescribes it (a function of t and inputs)
};

/// A joint with one motion: the fields of AxisOptions, and where the joint sits on its two bodies.
struct JointOptions {
  std::string coordinate{};         ///< "" = generated
  std::string speed{};              ///< "" = generated
  Position at{};                    ///< on the parent
  Turn orientation{};               ///< of the joint's axes on the parent
  Position child_at{};              ///< on the child
  Turn child_orientation{};         ///< of the joint's axes on the child
  FrameRef rotation_from{};         ///< counts the angle from this body or frame instead of the parent
  Expr stiffness{};                 ///< of a spring along the motion
  Expr rest{};                      ///< of that spring
  Expr damping{};                   ///< of a damper along the motion
  Expr friction{};                  ///< Coulomb friction
  Limits limits{};                  ///< of the coordinate
  Quantity law{};                   ///< any further force or torque
  Expr actuator{};                  ///< an input that acts along the motion
  std::optional<Expr> max_force{};  ///< of the motor: actuator and law together
  std::optional<Expr> max_speed{};  ///< rate up to which the motor drives
  std::optional<Expr> value{};      ///< locks or prescribes the motion
  bool closing = false;             ///< closes a loop: both bodies are placed by other joints
  bool active = true;               ///< of a closing joint
  bool report_reaction = true;      ///< whether its force and torque are reported
};

/// A joint with several motions. Names may be left out; then all of them are generated.
struct MultiJointOptions {
  std::vector<std::string> coordinates{};  ///< of all motions, in order
  std::vector<std::string> speeds{};       ///< of all motions, in order
  Position at{};                           ///< on the parent
  Turn orientation{};                      ///< of the joint's axes on the parent
  Position child_at{};                     ///< on the child
  Turn child_orientation{};                ///< of the joint's axes on the child
  FrameRef rotation_from{};                ///< counts angles from this body or frame instead of the parent
  /// The laws along each motion, in order; may be shorter than the list of motions. Names in here count only where
  /// `coordinates` and `speeds` are empty.
  std::vector<AxisOptions> motions{};
  bool closing = false;         ///< closes a loop: both bodies are placed by other joints
  bool active = true;           ///< of a closing joint
  bool report_reaction = true;  ///< whether its force and torque are reported
};

/// One motion of a joint that is written out motion by motion.
struct JointMotion {
  MotionKind kind = MotionKind::Rotation;  ///< what it does
  Direction axis = axis::z;                ///< in the frame it starts from
  Expr pitch{};                            ///< of a screw, metres per radian
  std::vector<std::string> coordinates{};  ///< of a ball: four
  std::vector<std::string> speeds{};       ///< of a ball: three
  AxisOptions options{};                   ///< names, and what acts along it
};
/// By an angle about an axis.
[[nodiscard]] JointMotion rotate(const Direction& axis, AxisOptions options = {});
/// By a length along an axis.
[[nodiscard]] JointMotion translate(const Direction& axis, AxisOptions options = {});
/// Both in proportion; `pitch` in metres per radian.
[[nodiscard]] JointMotion twist(const Direction& axis, const Expr& pitch, AxisOptions options = {});
/// Any rotation: four Euler parameters (scalar last), three speeds.
[[nodiscard]] JointMotion ball(std::vector<std::string> coordinates = {}, std::vector<std::string> speeds = {});

// ---- loads --------------------------------------------------------------------------------------------------------------

/// Tension = stiffness*(x - length) + damping*x' + law, where the law may use x and v for the distance and its rate.
struct SpringOptions {
  Expr stiffness{};  ///< in N/m
  Expr length{};     ///< without tension
  Expr damping{};    ///< in N*s/m
  Quantity law{};    ///< any further tension
};
/// Attraction by a spherical body: mu = G M.
struct AttractionOptions {
  Expr mu;                        ///< in m^3/s^2
  PointRef centre{};              ///< "" = the ground's origin
  bool gradient_torque = true;    ///< whether the gradient turns extended bodies
  std::vector<BodyRef> bodies{};  ///< empty = all
};

// ---- constraints --------------------------------------------------------------------------------------------------------

/// Which displacements of a point relative to another one are held. One of `directions`, `plane` and `path`; none of
/// them: all three.
struct PointHoldOptions {
  std::vector<VectorQuantity> directions{};  ///< along which the two points coincide
  VectorQuantity plane{};                    ///< normal of the plane in which the point stays
  VectorQuantity path{};                     ///< direction along which the point may move
  bool velocity_only = false;                ///< hold velocities, not positions
  bool active = true;                        ///< from the start
};
/// Rolling without slip.
struct RollOptions {
  BodyRef on{};                              ///< "" = the ground
  VectorQuantity contact;                    ///< from the body's origin to the contact point
  std::vector<VectorQuantity> directions{};  ///< in which the contact does not slip; empty = all three
  bool active = true;                        ///< from the start
};
/// Contact with a plane that may slip, but never opens.
struct TouchOptions {
  BodyRef on{};            ///< "" = the ground; the plane goes through its origin
  VectorQuantity contact;  ///< from the body's origin to the contact point
  VectorQuantity normal;   ///< of the plane
  bool active = true;      ///< from the start
};
/// b = ratio*a + offset.
struct RatioOptions {
  Expr offset{};       ///< of b where a = 0
  bool active = true;  ///< from the start
};

/// Two gears on a common carrier. One of `radii` and `teeth`; `module` makes radii of teeth.
struct GearOptions {
  BodyRef carrier{};  ///< "" = the parent of both
  std::vector<VectorQuantity>
      axes{};                 ///< none: those of the joints; one for both; or one each, away from where they meet
  std::vector<Expr> radii{};  ///< two pitch radii
  std::vector<Expr> teeth{};  ///< two numbers of teeth
  Expr module{};              ///< pitch diameter per tooth
  bool internal = false;      ///< one of them is a ring
  Expr offset{};              ///< of r1*phi1 + r2*phi2, in metres (of the second angle, if teeth alone are given)
  bool active = true;         ///< from the start
};
/// A pinion and a rack on a common carrier.
struct RackOptions {
  BodyRef carrier{};      ///< "" = the parent of both
  Expr radius{};          ///< of the pinion
  VectorQuantity axis{};  ///< of the pinion; "" = that of its joint
  VectorQuantity
      direction{};     ///< in which the rack moves when the pinion turns in the positive sense; "" = its joint's
  Expr offset{};       ///< of radius*angle - displacement
  bool active = true;  ///< from the start
};

// ---- speeds, inputs, tables ---------------------------------------------------------------------------------------------

/// A digital controller: its law is evaluated every `period`, takes effect `delay` later, and is held in between.
struct SamplingOptions {
  double period = 0;  ///< in s; 0: continuous
  double delay = 0;   ///< in s
};
/// An auxiliary speed: the angular velocity of a body or the velocity of a point along a direction, or a combination of
/// rates that is always zero.
struct AuxiliaryOptions {
  BodyRef body{};              ///< whose angular velocity is added to
  PointRef point{};            ///< or whose velocity is added to
  VectorQuantity direction{};  ///< along which
  Quantity definition{};       ///< or the combination of rates that is zero
};

// ---- what changes while the mechanism runs --------------------------------------------------------------------------------

/// A plane by its normal, `height` along it above a point.
struct ContactPlane {
  VectorQuantity normal;  ///< pointing away from the solid side
  Quantity height;        ///< "" = 0
  PointRef through;       ///< "" = the ground's origin

  /// None.
  ContactPlane() = default;
  /// By its normal, and where it lies.
  ContactPlane(VectorQuantity n, Quantity h = {}, PointRef p = {})
      : normal(std::move(n)), height(std::move(h)), through(std::move(p)) {}
  /// By its normal as text.
  ContactPlane(const char* n) : normal(n) {}
  /// By its normal in the axes of the ground.
  ContactPlane(const Direction& n) : normal(n) {}
};

/// Anything with a gap.
struct GapContact {
  Quantity gap;                  ///< never negative
  std::vector<Quantity> slip{};  ///< sliding speeds
};
/// A point on a plane.
struct PointContact {
  PointRef point;      ///< of the moving body
  ContactPlane plane;  ///< it stays above
};
/// A ball on a plane.
struct SphereContact {
  BodyRef body;        ///< it belongs to
  Quantity radius;     ///< in m
  ContactPlane plane;  ///< it stays above
  PointRef at{};       ///< centre; "" = the body's origin
};
/// The edge of a round disk on a plane.
struct DiskContact {
  BodyRef body;         ///< it belongs to
  Quantity radius;      ///< in m
  VectorQuantity axis;  ///< of the disk; components are in the body's axes
  ContactPlane plane;   ///< it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// The corners of a box on a plane.
struct BoxContact {
  BodyRef body;                ///< it belongs to
  std::vector<Quantity> size;  ///< three edges along the body's axes
  ContactPlane plane;          ///< it stays above
  PointRef at{};               ///< centre; "" = the body's origin
};
/// A cylinder with flat ends on a plane.
struct CylinderContact {
  BodyRef body;         ///< it belongs to
  Quantity radius;      ///< in m
  Quantity length;      ///< in m
  VectorQuantity axis;  ///< components are in the body's axes
  ContactPlane plane;   ///< it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// A cylinder with half-balls for ends on a plane.
struct CapsuleContact {
  BodyRef body;         ///< it belongs to
  Quantity radius;      ///< in m
  Quantity length;      ///< of the straight part
  VectorQuantity axis;  ///< components are in the body's axes
  ContactPlane plane;   ///< it stays above
  PointRef at{};        ///< centre; "" = the body's origin
};
/// Two balls, centred on the origins of their bodies.
struct SpheresContact {
  BodyRef body;           ///< of the first
  BodyRef other;          ///< of the second
  Quantity radius;        ///< of the first
  Quantity other_radius;  ///< of the second
};
/// The stops of a joint: the limits of its coordinates.
struct JointStops {
  JointRef joint;  ///< which has limits
};
/// The shapes of two bodies; the ground stands for the half space below a plane.
struct ShapesContact {
  BodyRef body;          ///< the one
  BodyRef other;         ///< the other
  ContactPlane plane{};  ///< of the ground, if it is one of them
};
/// The shapes of all bodies that are not neighbours in a joint, and the half space below a plane.
struct AllShapesContact {
  ContactPlane plane{};  ///< none: no half space
};
/// A pin in a hole that is larger: a joint with clearance.
struct PinInHole {
  PointRef pin;         ///< centre of the pin
  PointRef hole;        ///< centre of the hole
  Quantity clearance;   ///< radius of the hole minus that of the pin
  VectorQuantity axis;  ///< of both; components are in the ground's axes
  Quantity radius{};    ///< of the pin; needed for friction
};
/// A point between two walls: play of a slider.
struct PointInSlot {
  PointRef point;       ///< that moves
  PointRef middle;      ///< of the slot
  Quantity clearance;   ///< to each side
  VectorQuantity axis;  ///< across the walls; components are in the ground's axes
};
/// Two coordinates that follow each other with play: gears with backlash.
struct GearBacklash {
  Expr first;         ///< coordinate
  Expr second;        ///< coordinate = ratio first + offset, within half of the backlash
  Quantity ratio;     ///< of their rates
  Quantity backlash;  ///< play of the second coordinate while the first is held
  Quantity offset{};  ///< of the middle of the play
};
/// The geometry of a contact.
using ContactGeometry =
    std::variant<GapContact, PointContact, SphereContact, DiskContact, BoxContact, CylinderContact, CapsuleContact,
                 SpheresContact, JointStops, ShapesContact, AllShapesContact, PinInHole, PointInSlot, GearBacklash>;

/// How a contact acts: rigid with restitution, or compliant if it has a stiffness.
struct ContactLaw {
  Quantity friction{};           ///< coefficient while sliding; "" = none
  Quantity static_friction{};    ///< coefficient while sticking; "" = the same
  Quantity rolling_friction{};   ///< length: resisting torque per normal force
  Quantity spinning_friction{};  ///< likewise, about the normal
  Quantity restitution{};        ///< 0 (no rebound) to 1 (no loss); "" = 0
  bool poisson = false;          ///< Poisson's hypothesis instead of Newton's
  Quantity stiffness{};          ///< Hunt and Crossley: N = k d^(3/2) (1 + 3/2 c d')
  Quantity dissipation{};        ///< c
};

/// Dry friction against one or two speeds, or along all axes of a joint.
struct FrictionOptions {
  std::vector<Quantity> slip{};  ///< one or two speeds
  JointRef joint{};              ///< instead of `slip`
  Quantity limit;                ///< force or torque while sliding
  Quantity stiction{};           ///< while sticking; "" = the same
};

/// In which direction a guard crosses zero.
enum class Sense : std::int8_t { Falling = -1, Either = 0, Rising = 1 };

/// When something happens, and what. The guard is `when`, or the force of a constraint compared with a bound.
struct EventDescription {
  Quantity when{};                       ///< the guard
  Sense sense = Sense::Either;           ///< in which direction it crosses zero
  ConstraintRef force{};                 ///< instead of `when`: the force of this constraint, with one of the bounds
  Quantity above{};                      ///< the force rises above this
  Quantity below{};                      ///< the force falls below this
  Quantity exceeds{};                    ///< the force exceeds this in either direction
  std::vector<ConstraintRef> impose{};   ///< constraints that hold from then on
  std::vector<ConstraintRef> release{};  ///< constraints that no longer hold
  std::vector<std::pair<std::string, Quantity>> reset{};  ///< new values of coordinates and speeds
  std::string from{};                                     ///< only in this mode
  std::string to{};                                       ///< the mode from then on
  bool stop = false;                                      ///< ends the run
};

/// An axis of the handle by which a device holds the mechanism.
struct HandleOptions {
  Quantity position;   ///< along or about the axis
  Quantity stiffness;  ///< of the virtual coupler
  Quantity damping{};  ///< of the virtual coupler
};

}  // namespace kane
