#pragma once
// The analyst's workbench: a system of particles and rigid bodies as Kane's method needs it. Each fact is stated once
// (the orientation of a frame, the position of a point, the definition of a speed); velocities, accelerations and
// everything else are derived.
//
//   System s("pendulum");
//   Expr m = s.add_parameter("m", 1), L = s.add_parameter("L", 0.5), g = s.add_parameter("g", 9.81);
//   Expr q = s.add_coordinate("q");
//   FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
//   PointId P = s.add_point("P", s.origin(), L * x(A));
//   s.add_particle("P", P, m);
//   s.add_speed("u", s.rate(q));
//   s.add_gravity(-g * y(s.inertial()));
//   EquationsOfMotion eom = form_equations(s);                                  // kane.hpp

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/expr/graph.hpp"
#include "kane/mechanics/frames.hpp"

namespace kane {

using SpeedId = Id<struct SpeedTag>;
using LoadId = Id<struct LoadTag>;

/// The kinds of symbols of a system.
enum class SymbolKind : std::uint8_t {
  Time,
  Parameter,
  Input,
  Specified,  ///< a motion known from outside: x, x', x'' are three inputs
  Coordinate,
  Rate,        ///< q', and the components of an angular velocity for Euler and Rodrigues parameters
  SecondRate,  ///< q''
  Speed,
  Acceleration,  ///< u'
  Auxiliary,     ///< an auxiliary speed; its value is zero
  State,         ///< a variable with its own first-order differential equation
  Unknown,       ///< an unknown force to be found by auxiliary speeds
  Multiplier,
};

/// A point: located from another one, or "the point of a body that is just there".
struct PointRecord {
  std::string name;
  PointId parent;  ///< located from this point by `offset`; invalid if not located yet
  Vector offset;
  FrameId carrier;  ///< valid for a point of this frame (body) that coincides with `parent` at the moment
};

/// A particle (no frame) or a rigid body.
struct BodyRecord {
  std::string name;
  PointId mass_centre;
  std::optional<Expr> mass;
  FrameId frame;                  ///< invalid for a particle
  std::optional<Dyadic> inertia;  ///< central; none for a flexible body
  bool flexible = false;          ///< see System::flexible_bodies()
  [[nodiscard]] bool is_particle() const { return !frame.valid(); }
};

struct BodySpec {
  FrameId frame;
  PointId mass_centre;
  std::optional<Expr> mass = {};
  std::optional<Dyadic> inertia = {};
  /// The inertia is about this point (fixed in the body) instead of the mass centre.
  PointId inertia_about = {};
};

/// A body that deforms (flexible.hpp): coordinates q in addition to the motion of its frame, and a kinetic energy
///
///     T = m v.v/2 + v.(w x c) + v.c' + w.J.w/2 + sum_i w.H_i q_i' + sum_ij M_ij q_i' q_j'/2
///
/// with v the velocity of its origin, w the angular velocity of its frame, and the rest functions of q. What holds it
/// together is stated as potentials and coordinate forces.
struct FlexibleSpec {
  FrameId frame;
  PointId origin;                 ///< fixed in the frame
  Expr mass;                      ///< m
  std::vector<Expr> coordinates;  ///< q
  Expr3 first_moment;             ///< c = int r dm, components in the frame, like the following
  Expr33 inertia;                 ///< J about the origin
  std::vector<Expr3> coupling;    ///< H_i = int r x dr/dq_i dm
  ExprMatrix modal_mass;          ///< M
};
struct FlexibleRecord {
  BodyId body;
  FlexibleSpec spec;
};

/// A generalized force that belongs to a coordinate: damping of a mode.
struct CoordinateForceRecord {
  std::string name;
  Expr coordinate;
  Expr value;
};

/// A state other than coordinates and speeds.
struct StateRecord {
  Expr symbol;
  Expr rate;
};

struct SpeedRecord {
  Expr symbol;
  Expr derivative;  ///< symbol of the derivative with respect to time
  Expr definition;  ///< linear in the rates
};

/// An auxiliary generalized speed: always zero, but its partial velocities are not.
struct AuxiliaryRecord {
  std::string name;
  Expr symbol;
  /// One of: a definition linear in the rates; an angular velocity added to a frame; a velocity added to a point.
  std::optional<Expr> definition;
  FrameId frame;
  PointId point;
  Vector direction;
};

enum class LoadKind : std::uint8_t { Force, Torque };
/// One force at a point or torque on a frame. A pair is two records with the same name and group.
struct LoadRecord {
  std::string name;
  LoadKind kind = LoadKind::Force;
  PointId point;
  FrameId frame;
  Vector value;
};

struct UniformGravity {
  Vector acceleration;
};
/// Attraction by a spherical body at `centre`: -mu m r/|r|^3 at each mass centre, and the gravity-gradient torque
/// 3 mu/|r|^5 r x (I . r) on each rigid body (Parsa section 4.2).
struct InverseSquareGravity {
  PointId centre;
  Expr mu;
  bool gradient_torque = true;
  /// Also the force that goes with the torque, of order (size/r)^2: exact power balance with the second-order potential.
  bool gradient_force = false;
  /// Empty = all particles and bodies.
  std::vector<BodyId> bodies = {};
  [[nodiscard]] bool attracts(BodyId b) const {
    return bodies.empty() || std::find(bodies.begin(), bodies.end(), b) != bodies.end();
  }
};

/// A scalar constraint written by the user as an expression, or relating two points.
struct ConstraintRecord {
  std::string name;
  std::string group;
  bool active = true;
  /// phi(q, t) = 0, or an expression linear in rates and speeds that vanishes.
  std::optional<Expr> phi;
  std::optional<Expr> motion;
  /// (p - r) . direction = 0 (configuration) or (v_p - v_r) . direction = 0 (motion), for points p and r. With phi as
  /// well: phi' = (v_p - v_r) . direction.
  PointId point, reference;
  Vector direction;
  bool configuration = false;
  [[nodiscard]] bool between_points() const { return point.valid(); }
};

/// "The force and torque that the inboard side exerts on the outboard side at this point." A load at the point itself
/// counts to the inboard side.
struct ReactionSpec {
  PointId point;     ///< where the force is thought to act; the torque is about it
  FrameId outboard;  ///< frame of the body beyond the joint
  FrameId in;        ///< components in this frame
  bool force = true;
  bool torque = true;
  /// Loads that act through this joint (motors, springs, dampers) and are to be counted in.
  std::vector<std::string> through = {};
};
struct ReactionRecord {
  std::string name;
  ReactionSpec spec;
};

struct PotentialRecord {
  std::string name;
  Expr value;
  bool acts = false;  ///< generalized forces are derived from it (otherwise it belongs to loads already stated)
};

struct OutputRecord {
  std::string name;
  Expr value;
};

class System {
 public:
  explicit System(std::string name, std::shared_ptr<Graph> graph = nullptr, std::string inertial_name = "N",
                  std::string origin_name = "O");

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Graph& graph() const { return *graph_; }
  [[nodiscard]] const std::shared_ptr<Graph>& shared_graph() const { return graph_; }

  // ---- symbols --------------------------------------------------------------------------------------------------
  [[nodiscard]] Expr time() const { return time_; }
  Expr add_parameter(std::string_view name, const Expr& value);
  Expr add_parameter(std::string_view name);
  Expr add_input(std::string_view name, const Expr& value = 0);
  /// A motion known from outside: gives the symbol x; x' and x'' become inputs too. `value` (of t and parameters) and its
  /// derivatives are the default values of these inputs.
  Expr add_specified(std::string_view name, const Expr& value = 0);
  Expr add_coordinate(std::string_view name);
  /// A variable that is not a coordinate but has a rate: the current of a motor, the integral of an error. Loads, laws and
  /// outputs may depend on it. Its rate (of coordinates, rates, speeds, states, t, parameters and inputs) is set later, so
  /// that states may depend on each other.
  Expr add_state(std::string_view name);
  void set_state_rate(const Expr& state, const Expr& rate);
  /// q' for a coordinate q (x' for a specified x).
  [[nodiscard]] Expr rate(const Expr& q) const;
  /// An unknown force or torque component, to be solved for with auxiliary speeds.
  Expr add_unknown(std::string_view name);
  /// The symbol of a force that loads depend on; its value is known once the equations are formed.
  Expr add_given_force(std::string_view name) { return declare(name, SymbolKind::Multiplier); }
  /// Derivative with respect to time, in terms of rates.
  [[nodiscard]] Expr time_derivative(const Expr& e) const;
  [[nodiscard]] std::optional<SymbolKind> find_kind(std::string_view symbol) const;

  // ---- frames and vectors -------------------------------------------------------------------------------------------
  [[nodiscard]] FrameId inertial() const { return Frames::inertial(); }
  FrameId add_frame(std::string name);
  FrameId add_frame(std::string name, FrameId parent, const Orientation& orientation);
  void orient(FrameId child, FrameId parent, const Orientation& orientation);
  [[nodiscard]] const Frames& frames() const { return frames_; }
  [[nodiscard]] FrameId frame(std::string_view name) const;

  [[nodiscard]] Expr dot(const Vector& a, const Vector& b) const { return frames_.dot(a, b); }
  [[nodiscard]] Vector cross(const Vector& a, const Vector& b) const { return frames_.cross(a, b); }
  [[nodiscard]] Vector dot(const Dyadic& d, const Vector& v) const { return frames_.dot(d, v); }
  [[nodiscard]] Vector express(const Vector& v, FrameId in) const { return {in, frames_.express(v, in)}; }
  [[nodiscard]] Expr magnitude(const Vector& v) const;
  /// Derivative with respect to time in a frame: sum of (components)' + omega x term.
  [[nodiscard]] Vector derivative(const Vector& v, FrameId in) const;
  [[nodiscard]] Vector angular_velocity(FrameId f, FrameId in = Frames::inertial()) const;
  /// Angular velocity of a frame in the one it is oriented relative to, components in the frame, without auxiliary speeds.
  [[nodiscard]] Expr3 relative_angular_velocity(FrameId f) const;
  [[nodiscard]] Vector angular_acceleration(FrameId f, FrameId in = Frames::inertial()) const;

  // ---- points -------------------------------------------------------------------------------------------------------
  [[nodiscard]] PointId origin() const { return PointId(0); }
  PointId add_point(std::string name);
  PointId add_point(std::string name, PointId from, const Vector& offset);
  void locate(PointId p, PointId from, const Vector& offset);
  /// The point of `carrier` that coincides with `at` at the moment: position of `at`, velocity of the carrier there.
  PointId add_point_of(std::string name, FrameId carrier, PointId at);
  /// States that a point is fixed in a frame (needed for velocities in that frame, and for add_point_of).
  void fix_point(PointId p, FrameId f);
  [[nodiscard]] const std::vector<PointRecord>& points() const { return points_; }
  [[nodiscard]] const PointRecord& point(PointId p) const { return points_[p.index()]; }
  [[nodiscard]] PointId point(std::string_view name) const;
  [[nodiscard]] Vector position(PointId p, PointId from = PointId(0)) const;
  [[nodiscard]] Vector velocity(PointId p, FrameId in = Frames::inertial()) const;
  [[nodiscard]] Vector acceleration(PointId p, FrameId in = Frames::inertial()) const;
  /// A point known to be fixed in the frame.
  [[nodiscard]] std::optional<PointId> find_anchor(FrameId f) const;
  [[nodiscard]] bool located(PointId p, PointId from) const;
  void check_located(PointId p) const;

  // ---- bodies -------------------------------------------------------------------------------------------------------
  BodyId add_particle(std::string name, PointId point, std::optional<Expr> mass);
  BodyId add_body(std::string name, const BodySpec& spec);
  /// Its mass centre becomes a point of the name `name`.com, which moves with the coordinates.
  BodyId add_flexible_body(std::string name, const FlexibleSpec& spec);
  [[nodiscard]] const std::vector<BodyRecord>& bodies() const { return bodies_; }
  [[nodiscard]] const BodyRecord& body(BodyId b) const { return bodies_[b.index()]; }
  [[nodiscard]] BodyId body(std::string_view name) const;

  // ---- generalized speeds -------------------------------------------------------------------------------------------
  /// u := definition, linear in the rates: s.rate(q1), s.dot(s.angular_velocity(B), x(B)), s.dot(s.velocity(P), y(N)).
  Expr add_speed(std::string_view name, const Expr& definition);
  /// A speed that is always zero: a motion constraint built into the speeds, and the means to find its force.
  Expr add_auxiliary_speed(std::string_view name, const Expr& definition);
  /// Adds u times `direction` to the angular velocity of a frame (and of all frames oriented relative to it).
  Expr add_auxiliary_speed(std::string_view name, FrameId f, const Vector& direction);
  /// Adds u times `direction` to the velocity of a point (and of all points located from it).
  Expr add_auxiliary_speed(std::string_view name, PointId p, const Vector& direction);

  // ---- loads --------------------------------------------------------------------------------------------------------
  void add_force(std::string name, PointId p, const Vector& force);
  void add_torque(std::string name, FrameId f, const Vector& torque);
  /// `force` on p, its opposite on `reaction`.
  void add_force_pair(std::string name, PointId p, PointId reaction, const Vector& force);
  void add_torque_pair(std::string name, FrameId f, FrameId reaction, const Vector& torque);
  /// Uniform gravity on all particles and bodies.
  void add_gravity(const Vector& acceleration);
  void add_gravity(const InverseSquareGravity& gravity);
  /// Tension stiffness * (distance - free_length) between two points.
  void add_spring(std::string name, PointId p, PointId r, const Expr& stiffness, const Expr& free_length);
  /// Tension damping * (rate of distance) between two points.
  void add_damper(std::string name, PointId p, PointId r, const Expr& damping);
  /// Force -stiffness * (displacement - free_displacement) along `axis` on p, its opposite on `reaction`. `displacement`
  /// must be the travel of p relative to `reaction` along `axis`.
  void add_sliding_spring(std::string name, PointId p, PointId reaction, const Vector& axis, const Expr& displacement,
                          const Expr& stiffness, const Expr& free_displacement = 0);
  /// Force -damping * (rate of displacement) along `axis` on p, its opposite on `reaction`.
  void add_sliding_damper(std::string name, PointId p, PointId reaction, const Vector& axis, const Expr& displacement,
                          const Expr& damping);
  /// Torque -stiffness * (angle - free_angle) about `axis` on f, its opposite on `reaction`. `angle` must be the angle
  /// by which f turns relative to `reaction` about `axis`.
  void add_torsional_spring(std::string name, FrameId f, FrameId reaction, const Vector& axis, const Expr& angle,
                            const Expr& stiffness, const Expr& free_angle = 0);
  /// Torque -damping * (relative angular velocity . axis) about `axis` on f, its opposite on `reaction`.
  void add_torsional_damper(std::string name, FrameId f, FrameId reaction, const Vector& axis, const Expr& damping);
  /// A generalized force along a coordinate whose rate is q'; `value` may depend on rates.
  void add_coordinate_force(std::string name, const Expr& coordinate, const Expr& value);
  /// Generalized forces -dV/dq of any potential V(q, t).
  void add_potential(std::string name, const Expr& potential);
  /// Potential energy that belongs to loads stated already; reported, and acts no further.
  void add_stored_energy(std::string name, const Expr& energy);

  // ---- constraints --------------------------------------------------------------------------------------------------
  /// phi(q, t) = 0; differentiated for you.
  void add_configuration_constraint(std::string name, const Expr& phi, std::string group = "", bool active = true);
  /// An expression linear in rates and speeds that vanishes.
  void add_motion_constraint(std::string name, const Expr& expression, std::string group = "", bool active = true);
  /// (p - r) . direction = 0. Multiplier: the force on p along `direction` (its opposite on r).
  void add_coincidence(std::string name, PointId p, PointId r, const Vector& direction, std::string group = "",
                       bool active = true);
  /// (v_p - v_r) . direction = 0, e.g. rolling. Multiplier as above.
  void add_velocity_constraint(std::string name, PointId p, PointId r, const Vector& direction, std::string group = "",
                               bool active = true);
  /// Contact of two surfaces, phi(q, t) = 0, where p and r are the material points that touch (points of a carrier):
  /// phi' must be (v_p - v_r) . direction, which is checked. Shorter than differentiating phi.
  void add_contact(std::string name, const Expr& phi, PointId p, PointId r, const Vector& direction,
                   std::string group = "", bool active = true);
  /// The speeds to be dependent when the constraints are embedded; chosen automatically if never called.
  void set_dependent_speeds(std::vector<Expr> speeds);

  // ---- what else to report ------------------------------------------------------------------------------------------
  void add_reaction(std::string name, const ReactionSpec& spec);
  void add_output(std::string name, const Expr& value);

  // ---- reading (what Kane's method uses) -----------------------------------------------------------------------------
  [[nodiscard]] const std::vector<SymbolWithDefault>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<SymbolWithDefault>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Expr>& coordinates() const { return coordinates_; }
  [[nodiscard]] const std::vector<StateRecord>& states() const { return states_; }
  [[nodiscard]] const std::vector<SpeedRecord>& speeds() const { return speeds_; }
  [[nodiscard]] const std::vector<AuxiliaryRecord>& auxiliaries() const { return auxiliaries_; }
  [[nodiscard]] const std::vector<Expr>& unknowns() const { return unknowns_; }
  [[nodiscard]] const std::vector<LoadRecord>& loads() const { return loads_; }
  [[nodiscard]] const std::vector<UniformGravity>& uniform_gravity() const { return uniform_gravity_; }
  [[nodiscard]] const std::vector<InverseSquareGravity>& inverse_square_gravity() const { return inverse_square_; }
  [[nodiscard]] const std::vector<PotentialRecord>& potentials() const { return potentials_; }
  [[nodiscard]] const std::vector<FlexibleRecord>& flexible_bodies() const { return flexible_; }
  [[nodiscard]] const std::vector<CoordinateForceRecord>& coordinate_forces() const { return coordinate_forces_; }
  [[nodiscard]] const std::vector<ConstraintRecord>& constraints() const { return constraints_; }
  [[nodiscard]] const std::vector<Expr>& dependent_speeds() const { return dependent_speeds_; }
  [[nodiscard]] const std::vector<ReactionRecord>& reactions() const { return reactions_; }
  [[nodiscard]] const std::vector<OutputRecord>& outputs() const { return outputs_; }
  /// All rates: q' of ordinary coordinates, angular velocity components for Euler and Rodrigues parameters.
  [[nodiscard]] std::vector<Expr> rates() const;
  /// Indices of the first of four coordinates that are Euler parameters.
  [[nodiscard]] std::vector<int> quaternions() const;
  /// The rates of the coordinates in terms of rates() (q' itself, or the formulas for parameters of orientation).
  [[nodiscard]] std::vector<Expr> coordinate_rates() const;
  /// Throws ModelError if an expression is written with a symbol that is not declared. `what` names the expression.
  void check_symbols(const Expr& e, std::string_view what) const;
  void check_symbols(const Vector& v, std::string_view what) const;
  [[nodiscard]] std::vector<std::string> symbol_names() const;

 private:
  Expr declare(std::string_view name, SymbolKind kind);
  void check_name(std::string_view name, std::string_view what) const;
  void check_label(std::string_view name, std::string_view what) const;
  void check_frame(FrameId f, std::string_view what) const;
  void check_point(PointId p, std::string_view what) const;
  void add_load(LoadRecord record);
  void add_constraint(ConstraintRecord record);
  void add_point_constraint(std::string name, PointId p, PointId r, const Vector& direction, std::string group,
                            bool active, bool configuration);
  [[nodiscard]] Vector relative_angular_velocity_vector(FrameId f) const;
  [[nodiscard]] bool register_parameters(FrameId child, std::span<const Expr> parameters);
  [[nodiscard]] const Frames::Frame& quasi_edge(std::size_t set) const;
  void reroot(PointId p);
  [[nodiscard]] std::vector<PointId> point_path(PointId p) const;
  [[nodiscard]] Vector edge_velocity(PointId p, FrameId in) const;
  Tangent& tangent() const;
  void forget_tangent() { tangent_.reset(); }

  std::string name_;
  std::shared_ptr<Graph> graph_;
  Expr time_;
  Frames frames_;
  std::map<std::string, SymbolKind, std::less<>> kinds_;
  std::vector<SymbolWithDefault> parameters_;
  std::vector<SymbolWithDefault> inputs_;
  std::vector<Expr> specified_;
  std::vector<Expr> coordinates_;
  std::vector<StateRecord> states_;
  std::vector<Expr> unknowns_;
  std::map<std::string, int, std::less<>> quasi_coordinates_;  // parameters of orientation: which set they belong to
  std::vector<std::vector<Expr>> quasi_sets_;
  std::vector<PointRecord> points_;
  std::map<FrameId, PointId> anchors_;
  std::vector<BodyRecord> bodies_;
  std::vector<FlexibleRecord> flexible_;
  std::vector<CoordinateForceRecord> coordinate_forces_;
  std::vector<SpeedRecord> speeds_;
  std::vector<AuxiliaryRecord> auxiliaries_;
  std::vector<LoadRecord> loads_;
  std::vector<UniformGravity> uniform_gravity_;
  std::vector<InverseSquareGravity> inverse_square_;
  std::vector<PotentialRecord> potentials_;
  std::vector<ConstraintRecord> constraints_;
  std::vector<Expr> dependent_speeds_;
  std::vector<ReactionRecord> reactions_;
  std::vector<OutputRecord> outputs_;
  mutable std::unique_ptr<Tangent> tangent_;  // caches derivatives between calls
};

}  // namespace kane
