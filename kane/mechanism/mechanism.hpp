#pragma once
// The declarative model: bodies, joints, loads, constraints, as a person thinks of a machine. A plain value with a
// Graph of its own for the scalars in it; nothing is derived here. lower_mechanism() (lowering.hpp) gives the System
// of Kane's method; form_equations() (formulation.hpp) gives the shortest EquationsOfMotion.
//
// Expressions (Expr) may use parameters, inputs, t, coordinates and speeds. Whatever may also speak of vectors and
// motion is a Quantity (text).

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kane/mechanism/joint.hpp"
#include "kane/mechanism/switching.hpp"

namespace kane {

/// Shapes for display, contact, and mass from density. Sizes in metres:
///   box x y z; cylinder, cone, rod, disk: radius, length along z; tube: outer radius, inner radius, length;
///   sphere: radius; ellipsoid: half-axes; capsule: radius, length of the straight part; plane: none; mesh: file, or the
///   coordinates of points whose convex hull it is.
enum class ShapeKind : std::uint8_t { Box, Cylinder, Sphere, Ellipsoid, Cone, Capsule, Tube, Rod, Disk, Plane, Mesh };

struct Shape {
  ShapeKind kind = ShapeKind::Box;
  std::vector<Expr> sizes;
  Placement place;    ///< in the body; the shape is centred on the placement's origin
  std::string file;   ///< of a Mesh
  std::string color;  ///< "" = chosen
  bool display = true;
  bool contact = false;
};

struct MechanismBody {
  std::string name;
  Expr mass;            ///< 0: massless
  Expr3 mass_centre{};  ///< in the body's frame
  Expr33 inertia{};     ///< about the mass centre, body axes, matrix elements
  std::vector<Shape> shapes;
  Where where;
};

struct MechanismParticle {
  std::string name;
  Expr mass;
  std::string on;  ///< body or ground
  Expr3 at{};
  Where where;
};

/// A named point or frame fixed in a body. Two bodies may have points of the same name: "body.point" says which one, and
/// the bare name does as long as there is only one.
struct MechanismPoint {
  std::string name;
  std::string on;
  Expr3 at{};
  Where where;
};
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

struct Constraint {
  std::string name;
  std::variant<ExpressionConstraint, PointConstraint, RollingConstraint, DistanceConstraint> what;
  bool active = true;
  Where where;
};

// ---- the rest -----------------------------------------------------------------------------------------------------------

struct NamedQuantity {
  std::string name;
  Quantity value;
};

/// One-dimensional table, used in expressions as name(x).
struct Table {
  std::string name;
  std::vector<double> x, y;
  bool cubic = false;     ///< natural spline, continuous to the second derivative; else straight lines
  bool monotone = false;  ///< cubic that never overshoots its points; continuous to the first derivative
  Where where;
};

/// An auxiliary speed that brings a constraint force into evidence (for models that want one by hand).
struct AuxiliaryQuantity {
  std::string name;
  std::string body;   ///< adds an angular velocity to this body ...
  std::string point;  ///< ... or a velocity to this point
  Quantity direction;
  /// ... or, with neither body nor point: a combination of the rates that is always zero, e.g. dot(v(P), B.y) for a
  /// wheel that cannot slip sideways. Fewer generalized speeds than coordinates then suffice.
  Quantity definition;
};

/// An input whose law is worked out by a digital controller: looked at every `period`, in force from `delay` later on, held
/// in between.
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

/// How the model wants to be run. Times in seconds; whatever is not given is left to the program that runs it.
struct SimulationSettings {
  std::optional<double> from;                ///< start time
  std::optional<double> until;               ///< end time
  std::string method;                        ///< name of the integrator
  std::optional<double> tolerance;           ///< relative error per step
  std::optional<double> absolute_tolerance;  ///< absolute error per step
  std::optional<double> step;                ///< fixed step, or the first one of an adaptive method
  std::optional<double> sample;              ///< time between two outputs
  std::string constraints;                   ///< how constraints are kept while running
};

struct Mechanism {
  explicit Mechanism(std::string name = "mechanism", std::shared_ptr<Graph> graph = nullptr);

  std::string name;
  std::string description;
  std::string ground = "N";  ///< name of the ground: a body that does not move, and its frame
  std::shared_ptr<Graph> graph;

  std::vector<SymbolWithDefault> parameters;
  std::vector<SymbolWithDefault> inputs;  ///< default: number, or see input_laws
  std::vector<NamedQuantity> input_laws;  ///< inputs given as expressions of the state
  std::vector<InputSampling> sampled_inputs;
  std::vector<InputSeries> input_series;
  std::vector<Table> tables;
  std::vector<MechanismBody> bodies;
  std::vector<MechanismParticle> particles;
  std::vector<MechanismPoint> points;
  std::vector<MechanismFrame> frames;
  std::vector<Joint> joints;
  Quantity gravity;  ///< vector; empty = none
  std::vector<Load> loads;
  std::vector<Constraint> constraints;
  Switching switching;
  std::vector<std::string> dependent_speeds;
  /// Coordinates besides those of joints (e.g. the position of a particle in a slot written by hand).
  std::vector<Expr> extra_coordinates;
  /// The user's own generalized speeds, in order; empty = those of the joints.
  std::vector<NamedQuantity> speeds;
  bool automatic_speeds = false;
  /// Order in which all_coordinates() and joint_speeds() list the symbols; empty = joints in order. A list names all of
  /// them.
  std::vector<std::string> coordinate_order;
  std::vector<std::string> speed_order;
  std::vector<AuxiliaryQuantity> auxiliary;
  std::vector<NamedQuantity> outputs;
  std::map<std::string, double> initial;  ///< of coordinates and speeds, SI; missing ones are 0
  /// Those of `initial` that were written with parameters, to be evaluated again when a parameter is changed.
  std::map<std::string, Expr> initial_laws;
  SimulationSettings simulation;
  /// SI units of parameters and inputs, where the file tells them ("kg", "N*m*s"); for display and export.
  std::map<std::string, std::string, std::less<>> units;
  /// What a reader changed or left out.
  std::vector<std::string> notes;
  Where where;

  // ---- building (what the readers and C++ users call) -----------------------------------------------------------
  Expr time();
  Expr add_parameter(std::string_view symbol, const Expr& value);
  Expr add_input(std::string_view symbol, const Expr& value = 0);
  /// The symbols a joint may use; declared when the joint is added.
  Expr coordinate(std::string_view symbol);
  Expr speed(std::string_view symbol);
  /// Also declares the table's function in the graph, so that expressions may use it from now on.
  Table& add_table(Table table);
  MechanismBody& add_body(MechanismBody body);
  Joint& add_joint(Joint joint);

  [[nodiscard]] const MechanismBody* find_body(std::string_view body) const;
  [[nodiscard]] const Joint* find_joint(std::string_view joint) const;
  /// All coordinates and all speeds in their declared order (joints in order, then extra coordinates, unless an order is
  /// given). Closing joints have none.
  [[nodiscard]] std::vector<Expr> all_coordinates() const;
  [[nodiscard]] std::vector<Expr> joint_speeds() const;
};

/// Checks names, axes, masses, the shape of the tree. Throws ModelError with the place and the names; returns warnings.
std::vector<std::string> check_mechanism(const Mechanism& mechanism);

}  // namespace kane
