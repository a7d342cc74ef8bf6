#pragma once
// The declarative model: bodies, joints, loads and constraints, as an engineer thinks of a machine. A plain value with
// its own Graph for the scalars in it; nothing is derived here. lower_mechanism() (lowering.hpp) gives the System
// of Kane's method; form_equations() (formulation.hpp) gives the shortest EquationsOfMotion.
//
//     Mechanism m("pendulum");
//     const Expr g = m.parameter("g", 9.81), L = m.parameter("L", 0.5);
//     const BodyRef link = m.add_body("link", {.mass = 2, .centre = {0, -L / 2, 0}, .inertia = {0, 0, 0.04}});
//     m.revolute("pin", m.ground, link, axis::z, {.coordinate = "q", .damping = 0.01});
//     m.set_gravity({0, -g, 0});
//
// The options are in describe.hpp, the handles in handles.hpp. Expressions (Expr) may use parameters, inputs, t,
// coordinates and speeds. A Quantity may also use vectors and motion, and is then written as text.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kane/mechanism/describe.hpp"
#include "kane/mechanism/joint.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/parts.hpp"
#include "kane/mechanism/switching.hpp"

namespace kane {

/// Settings of a run from the model file. Times are in seconds; settings that are absent are left to the program.
struct SimulationSettings {
  std::optional<double> from{};                ///< start time
  std::optional<double> until{};               ///< end time
  std::string method{};                        ///< name of the integrator
  std::optional<double> tolerance{};           ///< relative error per step
  std::optional<double> absolute_tolerance{};  ///< absolute error per step
  std::optional<double> step{};                ///< fixed step, or the first step of an adaptive method
  std::optional<double> sample{};              ///< time between outputs
  std::string constraints{};                   ///< method of enforcing constraints
};

/// The description of a machine. The lists are plain data that file readers fill and programs may change; the functions
/// below them add one part each.
struct Mechanism {
  /// An empty mechanism, with its own Graph unless one is given.
  explicit Mechanism(std::string name = "mechanism", std::shared_ptr<Graph> graph = nullptr);

  std::string name;              ///< for messages and reports
  std::string description;       ///< one line for people
  std::string ground = "N";      ///< name of the ground: a body that does not move, and its frame
  std::shared_ptr<Graph> graph;  ///< owner of all expressions of this mechanism

  std::vector<SymbolWithDefault> parameters;  ///< with their default values
  std::vector<SymbolWithDefault> inputs;      ///< default: number, or see input_laws
  std::vector<NamedQuantity> input_laws;      ///< inputs given as expressions of the state
  std::vector<InputSampling> sampled_inputs;  ///< laws that a digital controller evaluates
  std::vector<InputSeries> input_series;      ///< inputs given by points in time
  std::vector<FmuController> fmus;            ///< external FMUs that drive inputs
  std::vector<Table> tables;                  ///< functions of one variable by points
  std::vector<NamedQuantity> expressions;     ///< names that quantities may use, in any order
  std::vector<MechanismBody> bodies;          ///< without the ground
  std::vector<MechanismParticle> particles;   ///< point masses fixed in bodies
  std::vector<MechanismPoint> points;         ///< named points of bodies
  std::vector<MechanismFrame> frames;         ///< named frames of bodies
  std::vector<Joint> joints;                  ///< including closing joints
  Quantity gravity;                           ///< vector; empty = none
  std::vector<Load> loads;                    ///< besides gravity and those of joints
  std::vector<Constraint> constraints;        ///< besides those of closing joints
  Switching switching;                        ///< contacts, friction, events, modes, handles
  std::vector<std::string> dependent_speeds;  ///< speeds to solve the constraints for; empty = chosen automatically
  /// Coordinates besides those of joints (e.g. the position of a particle in a slot written by hand).
  std::vector<Expr> extra_coordinates;
  /// The user's own generalized speeds, in order; empty = those of the joints.
  std::vector<NamedQuantity> speeds;
  std::vector<StateQuantity> states;  ///< variables besides coordinates and speeds
  bool stops = true;                  ///< limits of joints are stops; otherwise they are only reported
  bool motor_limits = true;           ///< max_force and max_speed limit motors; otherwise they are only reported
  bool automatic_speeds = false;      ///< choose the speeds that make the equations shortest
  /// Order of the symbols in all_coordinates(); empty = joints in order. If given, it must name all of them.
  std::vector<std::string> coordinate_order;
  std::vector<std::string> speed_order;      ///< the same for joint_speeds()
  std::vector<AuxiliaryQuantity> auxiliary;  ///< speeds that bring constraint forces into evidence
  std::vector<NamedQuantity> outputs;        ///< scalars to report
  /// Initial values of coordinates and speeds, SI. Assembly of closed loops holds these and moves the others.
  std::map<std::string, double> initial;
  /// Values of coordinates and speeds, SI, at which assembly begins for those without an initial value; otherwise 0.
  std::map<std::string, double> guess;
  /// Entries of `initial` and `guess` that depend on parameters, to be evaluated again when a parameter changes.
  std::map<std::string, Expr> initial_laws;
  /// Entries of `initial` that were set for a run (--set): if loops cannot hold all of them, these take precedence.
  std::set<std::string> insisted;
  SimulationSettings simulation;  ///< settings of a run
  /// Instead of bodies and joints: the equations themselves.
  std::optional<GeneralEquations> equations;
  /// SI units of parameters and inputs ("kg", "N*m*s") where the file gives them; for display and export.
  std::map<std::string, std::string, std::less<>> units;
  /// Changes and omissions made by the reader of a file.
  std::vector<std::string> notes;
  Where where;  ///< where the description begins

  // ---- describing ---------------------------------------------------------------------------------------------------
  // Each part has a unique name.

  /// The place in a C++ source file where a part is described, kept so that later errors point to that line.
  using Place = SourcePlace;

  // symbols
  /// The symbol t.
  Expr time();
  /// pi/180 times the number, exactly: sin(m.degrees(90)) is 1.
  Expr degrees(const Expr& number);
  /// A parameter. The value may be an expression of earlier parameters. `unit` (SI, such as "kg*m^2") is for display.
  Expr parameter(std::string_view symbol, const Expr& value, std::string_view unit = "",
                 const Place& place = Place::current());
  /// A quantity supplied from outside while the model runs; `value` is its default.
  Expr input(std::string_view symbol, const Expr& value = 0, std::string_view unit = "",
             const Place& place = Place::current());
  /// A variable with its own differential equation: rate "(V - R*i - k*u)/L". Loads, laws, events, outputs and the
  /// rates of other states may use it. The unit is for display.
  Expr add_state(std::string_view symbol, Quantity rate, const Expr& start = 0, std::string_view unit = "",
                 const Place& place = Place::current());
  /// The symbol of a coordinate, for use before or after the joint that has it.
  Expr coordinate(std::string_view symbol);
  /// The symbol of a speed, likewise.
  Expr speed(std::string_view symbol);
  /// Infix text in the symbols of this mechanism ("m*L^2/3", a table as "f(q)").
  Expr expression(std::string_view text, const Place& place = Place::current());
  /// Gives a name to a scalar or vector, for use in quantities: m.let("reach", "magnitude(position(tip))").
  void let(std::string_view symbol, Quantity value, const Place& place = Place::current());
  /// Makes an input follow a law of the state, continuously or as a sampled controller.
  void drive(const Expr& input, Quantity law, const SamplingOptions& sampling = {},
             const Place& place = Place::current());
  /// Makes an input follow points in time, joined by straight lines, or by steps if `hold`.
  void drive_by_points(const Expr& input, std::vector<double> t, std::vector<double> value, bool hold = false,
                       const Place& place = Place::current());
  /// Makes inputs follow the outputs of the co-simulation FMU `file`, which samples its own inputs every `period` seconds:
  /// {{"angle", "q1"}}. Running it requires ModelOptions::allow_fmu.
  void drive_by_fmu(const std::string& file, std::vector<std::pair<Expr, std::string>> fed,
                    std::vector<std::pair<std::string, Quantity>> measured, double period,
                    std::vector<std::pair<std::string, double>> start = {}, const Place& place = Place::current());
  /// Adds a table and declares its function in the graph, so that expressions may use it from now on.
  Table& add_table(Table table);

  // bodies and parts fixed in them
  /// A rigid body; massless without options.
  BodyRef add_body(std::string_view body, const BodyOptions& options = {}, const Place& place = Place::current());
  /// A point mass fixed in a body.
  PointRef add_particle(std::string_view particle, const ParticleOptions& options,
                        const Place& place = Place::current());
  /// A named point fixed in a body. Two bodies may have points of the same name, distinguished as "link.tip".
  PointRef add_point(std::string_view point, const BodyRef& on, const Position& at,
                     const Place& place = Place::current());
  /// A named frame fixed in a body.
  FrameRef add_frame(std::string_view frame, const BodyRef& on, const Position& at, const Turn& orientation,
                     const Place& place = Place::current());

  // joints: parent first, then child
  /// No motion.
  JointRef weld(std::string_view joint, const BodyRef& parent, const BodyRef& child, const JointOptions& options = {},
                const Place& place = Place::current());
  /// One rotation.
  JointRef revolute(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                    const Direction& about = axis::z, const JointOptions& options = {},
                    const Place& place = Place::current());
  /// One translation.
  JointRef prismatic(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                     const Direction& along = axis::z, const JointOptions& options = {},
                     const Place& place = Place::current());
  /// One rotation with a proportional translation. `pitch`: metres per radian.
  JointRef screw(std::string_view joint, const BodyRef& parent, const BodyRef& child, const Direction& about,
                 const Expr& pitch, const JointOptions& options = {}, const Place& place = Place::current());
  /// Translation along and rotation about one axis.
  JointRef cylindrical(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                       const Direction& about = axis::z, const MultiJointOptions& options = {},
                       const Place& place = Place::current());
  /// Two rotations.
  JointRef universal(std::string_view joint, const BodyRef& parent, const BodyRef& child, const Direction& first,
                     const Direction& second, const MultiJointOptions& options = {},
                     const Place& place = Place::current());
  /// Three rotations: "body 123", "zxz", "space 321", ... any of the 24 sequences.
  JointRef gimbal(std::string_view joint, const BodyRef& parent, const BodyRef& child, std::string_view sequence,
                  const MultiJointOptions& options = {}, const Place& place = Place::current());
  /// Any rotation, by four Euler parameters (scalar last) and three speeds.
  JointRef spherical(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                     const MultiJointOptions& options = {}, const Place& place = Place::current());
  /// Translations along x and y, then a rotation about z, of the joint's axes.
  JointRef planar(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                  const MultiJointOptions& options = {}, const Place& place = Place::current());
  /// Three translations, then a ball.
  JointRef free(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                const MultiJointOptions& options = {}, const Place& place = Place::current());
  /// Three translations, then three rotations about x, y, z.
  JointRef bushing(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                   const MultiJointOptions& options = {}, const Place& place = Place::current());
  /// Any motions in any order: {translate(axis::x, {.coordinate = "x"}), rotate(axis::z), ...}.
  JointRef general(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                   const std::vector<JointMotion>& motions, const MultiJointOptions& options = {},
                   const Place& place = Place::current());
  /// A revolute or prismatic joint from a row of a Denavit-Hartenberg table.
  JointRef by_denavit_hartenberg(std::string_view joint, const BodyRef& parent, const BodyRef& child, MotionKind kind,
                                 const DenavitHartenberg& row, const JointOptions& options = {},
                                 const Place& place = Place::current());

  // loads
  /// Uniform gravity on everything that has mass.
  void set_gravity(const VectorQuantity& acceleration, const Place& place = Place::current());
  /// A force at a point, with the opposite force at another point if given.
  void add_force(std::string_view load, const PointRef& at, const VectorQuantity& force,
                 const PointRef& reaction_at = {}, const Place& place = Place::current());
  /// A scalar force along an axis.
  void add_force_along(std::string_view load, const PointRef& at, const Quantity& force, const VectorQuantity& axis,
                       const PointRef& reaction_at = {}, const Place& place = Place::current());
  /// A torque on a body, with the opposite torque on another body if given.
  void add_torque(std::string_view load, const BodyRef& on, const VectorQuantity& torque, const BodyRef& reaction = {},
                  const Place& place = Place::current());
  /// A scalar torque about an axis.
  void add_torque_about(std::string_view load, const BodyRef& on, const Quantity& torque, const VectorQuantity& axis,
                        const BodyRef& reaction = {}, const Place& place = Place::current());
  /// A spring between two points.
  void add_spring(std::string_view load, const PointRef& from, const PointRef& to, const SpringOptions& options,
                  const Place& place = Place::current());
  /// A damper between two points: its tension is `damping` times the rate of their distance.
  void add_damper(std::string_view load, const PointRef& from, const PointRef& to, const Expr& damping,
                  const Place& place = Place::current());
  /// Forces along a coordinate of a joint; its name may be left out if the joint has only one.
  void add_joint_load(std::string_view load, const JointRef& joint, const AxisOptions& options,
                      const Place& place = Place::current());
  /// Declares an input that acts along the coordinate of a joint.
  Expr add_motor(std::string_view input, const JointRef& joint, const Place& place = Place::current());
  /// Gravitational attraction by a spherical body.
  void add_attraction(std::string_view load, const AttractionOptions& options, const Place& place = Place::current());

  // constraints
  /// Configuration constraints: each expression remains zero.
  ConstraintRef hold(std::string_view constraint, std::vector<Quantity> zero, bool active = true,
                     const Place& place = Place::current());
  /// Motion constraints: each expression, linear in rates and speeds, remains zero.
  ConstraintRef hold_motion(std::string_view constraint, std::vector<Quantity> zero, bool active = true,
                            const Place& place = Place::current());
  /// Holds a point on another point, or on a plane or a line through it.
  ConstraintRef hold_point(std::string_view constraint, const PointRef& point, const PointRef& reference,
                           const PointHoldOptions& options = {}, const Place& place = Place::current());
  /// Rolling without slip on another body.
  ConstraintRef roll(std::string_view constraint, const BodyRef& body, const RollOptions& options,
                     const Place& place = Place::current());
  /// Permanent contact with a plane; it may slip.
  ConstraintRef touch(std::string_view constraint, const BodyRef& body, const TouchOptions& options,
                      const Place& place = Place::current());
  /// A massless rod between two points.
  ConstraintRef rod(std::string_view constraint, const PointRef& from, const PointRef& to, const Expr& length,
                    bool active = true, const Place& place = Place::current());
  /// A rope over points: the distances from one to the next add up to its length.
  ConstraintRef rope(std::string_view constraint, const std::vector<PointRef>& points, const Expr& length,
                     bool active = true, const Place& place = Place::current());
  /// Two coordinates with b = ratio*a + offset: gears, racks (ratio = radius), screws (ratio = pitch), belts (ratio = r1/r2).
  ConstraintRef gear(std::string_view constraint, const Expr& a, const Expr& b, const Expr& ratio,
                     const RatioOptions& options = {}, const Place& place = Place::current());
  /// Gears between two bodies on a carrier: planetary trains, bevel gears, ring gears. The multiplier is the tangential
  /// force at the pitch circles (with teeth alone: the torque on the second gear).
  ConstraintRef mesh(std::string_view constraint, const BodyRef& first, const BodyRef& second,
                     const GearOptions& options, const Place& place = Place::current());
  /// A pinion on a rack: displacement = radius*angle. The multiplier is the force between the teeth.
  ConstraintRef rack(std::string_view constraint, const BodyRef& pinion, const BodyRef& bar, const RackOptions& options,
                     const Place& place = Place::current());
  /// Makes a coordinate equal to a function of time, of other coordinates, or of a table (a cam).
  ConstraintRef prescribe(std::string_view constraint, const Expr& coordinate, const Quantity& value,
                          bool active = true, const Place& place = Place::current());

  /// The equations themselves, for systems without bodies and joints: coordinates, speeds, q' and M u' = forcing.
  void set_equations(GeneralEquations given, const Place& place = Place::current());

  // speeds, outputs, start
  /// Defines generalized speeds: {{"u1", "q1'"}, {"u2", "dot(v(tip), N.x)"}}. Call it after adding all joints. Definitions
  /// that are just the rates of the coordinates rename the speeds of the joints, so that the recursive formulations apply.
  void set_speeds(std::vector<NamedQuantity> definitions, const Place& place = Place::current());
  /// A speed that is always zero and brings a constraint force into evidence.
  void add_auxiliary(std::string_view speed, const AuxiliaryOptions& options, const Place& place = Place::current());
  /// A scalar to be reported and recorded.
  void add_output(std::string_view output, Quantity value, const Place& place = Place::current());
  /// Sets the initial value of a coordinate or speed: a number, or an expression of parameters.
  /// Assembly of closed loops holds it and moves values that are not given.
  void set_initial(std::string_view symbol, const Expr& value, const Place& place = Place::current());
  /// Sets where assembly begins for a coordinate or speed without an initial value: it selects among the ways to close a loop.
  void set_guess(std::string_view symbol, const Expr& value, const Place& place = Place::current());

  // contact, friction, events
  /// A contact: two parts that cannot penetrate each other.
  ContactRef add_contact(std::string_view contact, const ContactGeometry& geometry, const ContactLaw& law = {},
                         const Place& place = Place::current());
  /// Dry friction.
  void add_friction(std::string_view friction, const FrictionOptions& options, const Place& place = Place::current());
  /// A mode: a named set of active constraints. The first mode added is the initial one, unless another is marked `initial`.
  void add_mode(std::string_view mode, const std::vector<ConstraintRef>& active, bool initial = false,
                const Place& place = Place::current());
  /// An event that happens when a guard crosses zero.
  void add_event(std::string_view event, const EventDescription& description, const Place& place = Place::current());
  /// An axis along which a device or a hand holds the mechanism.
  void add_handle(std::string_view handle, const HandleOptions& options, const Place& place = Place::current());

  // ---- functions for file readers -------------------------------------------------------------------------------------
  /// parameter() without checks.
  Expr add_parameter(std::string_view symbol, const Expr& value);
  /// input() without checks.
  Expr add_input(std::string_view symbol, const Expr& value = 0);
  /// A body whose mass properties are known.
  MechanismBody& add_body(MechanismBody body);
  /// A joint whose motions are complete and named.
  Joint& add_joint(Joint joint);

  /// The body of this name; null if there is none.
  [[nodiscard]] const MechanismBody* find_body(std::string_view body) const;
  /// The joint of this name; null if there is none.
  [[nodiscard]] const Joint* find_joint(std::string_view joint) const;
  /// All coordinates in their declared order (joints, then modes of beams, then extra coordinates, unless an order is
  /// given). Closing joints have none.
  [[nodiscard]] std::vector<Expr> all_coordinates() const;
  /// The speeds of the joints, likewise.
  [[nodiscard]] std::vector<Expr> joint_speeds() const;
  /// The initial value of a coordinate or speed, else its guess, else 0.
  [[nodiscard]] double start_value(const std::string& symbol) const;
};

/// Checks names, axes, masses, the shape of the tree. Throws ModelError with the place and the names; returns warnings.
std::vector<std::string> check_mechanism(const Mechanism& mechanism);

}  // namespace kane
