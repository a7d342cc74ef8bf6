#pragma once
// EquationsOfMotion: the narrow waist between symbols and numbers. A plain value made of expressions; nothing here,
// and nothing that reads it, knows about joints or frames.
//
//     qdot = f(q, u, t, p)                                     kinematical differential equations
//     M(q, t, p) udot = rhs(q, u, t, p, inputs)                Kane's dynamical equations, all speeds, no constraints
//                                                              (loads proportional to accelerations are in M, and may
//                                                              bring other symbols there)
//     A(q, t, p) u + b(q, t, p) = 0                            motion constraints (and differentiated configuration ones)
//     A udot = gamma                                           the same once more differentiated, gamma = -Adot u - bdot
//     M udot = rhs + A^T lambda                                meaning of the multipliers
//
// Symbols: coordinates q, speeds u, accelerations udot (symbols named u1' ...), time t, parameters, inputs,
// multipliers lambda. Everything except qdot, M, rhs, A, b, gamma and `udot_explicit` may contain udot symbols, and
// reactions may contain lambda symbols as well.

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/base/shape.hpp"
#include "kane/expr/expr.hpp"
#include "kane/expr/graph.hpp"

namespace kane {

using Expr3 = std::array<Expr, 3>;
using Expr33 = std::array<std::array<Expr, 3>, 3>;  ///< rows

/// Dense matrix of expressions (entries that vanish are bare zeros).
struct ExprMatrix {
  int rows = 0;
  int columns = 0;
  std::vector<Expr> entries;  ///< row by row

  ExprMatrix() = default;
  template <std::integral Rows, std::integral Columns>
  ExprMatrix(Rows r, Columns c)
      : rows(static_cast<int>(r)),
        columns(static_cast<int>(c)),
        entries(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  template <std::integral Row, std::integral Column>
  [[nodiscard]] Expr& operator()(Row r, Column c) {
    return entries[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)];
  }
  template <std::integral Row, std::integral Column>
  [[nodiscard]] const Expr& operator()(Row r, Column c) const {
    return entries[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)];
  }
};

/// A symbol with its default value. For parameters the value may be an expression of earlier
/// parameters; for inputs also of t, q and u (a control law).
struct SymbolWithDefault {
  Expr symbol;
  Expr value;
};

/// One scalar constraint. Configuration constraints have phi; all have the velocity row.
struct ConstraintEquation {
  std::string name;         ///< name of the scalar row, e.g. "loop.x"
  std::string group;        ///< name of the user's constraint, e.g. "loop"; its rows are activated together
  std::optional<Expr> phi;  ///< phi(q, t) = 0, if it is a configuration constraint
  std::vector<Expr> a;      ///< row of A: one coefficient per speed
  Expr b;                   ///< A u + b = 0
  Expr gamma;               ///< A udot = gamma
  Expr multiplier;          ///< symbol lambda
  bool active = true;       ///< enforced by default
  bool redundant = false;   ///< follows from the constraints before it
  /// A force that loads depend on (a reaction, the multiplier of another row): here the multiplier equals this expression of
  /// q, u, udot and multipliers, its own among them. Such a row has no coefficients, and is never active.
  std::optional<Expr> given{};
};

/// The constraints embedded by recombination (Buffinton 6.66-6.67, Gillespie 44-45): ordinary differential equations in
/// the independent speeds,
///     u_dependent = D u_independent + E,   u'_dependent = D u'_independent + g,   M u'_independent = rhs.
/// M and rhs are written with all speeds and coordinates, the dependent ones included.
struct EmbeddedEquations {
  std::vector<int> independent;  ///< indices into u, ascending
  std::vector<int> dependent;    ///< indices into u, ascending
  std::vector<int> rows;         ///< the constraints that are embedded: active and not redundant
  ExprMatrix D;                  ///< dependent x independent
  std::vector<Expr> E;
  std::vector<Expr> g;
  ExprMatrix M;
  std::vector<Expr> rhs;
  /// lambda of the embedded rows, from the dependent equations; contains udot symbols.
  std::vector<Expr> multipliers;
};

/// A point or mass centre worth reporting; components in the inertial frame N.
struct PointOutput {
  std::string name;
  Expr3 position;
  Expr3 velocity;
  Expr3 acceleration;  ///< contains udot symbols
};

/// A rigid body or frame; `rotation` maps body components to N components (columns are body axes in N).
struct BodyOutput {
  std::string name;
  Expr33 rotation;
  Expr3 angular_velocity;      ///< in N, components in N
  Expr3 angular_acceleration;  ///< contains udot symbols
};

/// A force or torque that does no work: found by auxiliary speeds, an expression of q, u, udot, inputs and lambda.
struct ReactionOutput {
  std::string name;  ///< e.g. "shoulder"
  Expr3 force;       ///< on the child, components in `frame`
  Expr3 torque;      ///< about `point`, on the child
  std::string frame;
  std::string point;
};

struct ScalarOutput {
  std::string name;
  Expr value;
};

/// A constraint force of a locked joint axis (Stoneking's table) or of a user's auxiliary speed.
struct AuxiliaryForce {
  std::string name;
  Expr value;  ///< contains udot (and lambda) symbols
};

// ---- what changes while the system runs ---------------------------------------------------------------------------------
// Rows are constraints of the list below that are not active by themselves: phi is a gap, A u + b a speed, the multiplier
// a force. Values are expressions of q, u, t, inputs and parameters.

/// What restitution is the ratio of, before and after an impact: speeds (Newton), impulses of restitution and compression
/// (Poisson), or, squared, the work of the normal force in these two phases (Stronge).
enum class RestitutionLaw : std::uint8_t { Newton, Poisson, Stronge };

/// Unilateral contact: gap phi >= 0, force >= 0 along the row `normal`, one of them zero.
struct ContactEquation {
  std::string name;
  int normal = 0;    ///< row
  Expr restitution;  ///< 0 (no rebound) to 1 (no loss)
  RestitutionLaw law = RestitutionLaw::Newton;
  std::optional<Expr>
      force;  ///< compliant: the force, a function of gap and rate; then there is no constraint and no impact
  std::string coordinate{};  ///< for the stop of a joint: the coordinate it limits
  bool located = false;      ///< reactions know where its forces act
  /// Where it touches and between which bodies; components in the inertial frame. Forces on the first body act along `normal`,
  /// and along `across` (one for each row of its sliding friction).
  struct Place {
    std::string first, second;
    Expr3 point, normal;
    std::vector<Expr3> across;
  };
  std::optional<Place> place{};
  bool phases = false;  ///< friction follows the sliding through the phases of an impact (Routh)
  Expr adhesion{};      ///< force that holds it while it is closed
};

/// A body as contact geometry sees it: everything in the inertial frame. Accelerations contain udot symbols.
struct ContactBodyEquation {
  std::string name;
  Expr3 position, velocity, acceleration;  ///< of the body's origin
  Expr33 rotation;
  Expr3 angular_velocity, angular_acceleration;
};

/// Symbols of the force (k = 0, 1, 2) and the torque about its origin (3, 4, 5) by which shapes that touch act on a body,
/// along the axes of the inertial frame. They occur in reactions, and get their values where those are evaluated.
[[nodiscard]] inline std::string contact_wrench_symbol(const std::string& body, std::size_t k) {
  static constexpr const char* kParts[] = {"Fx", "Fy", "Fz", "Tx", "Ty", "Tz"};
  return "contacts." + body + "." + kParts[k];
}

/// A position and an orientation in a body: origin, and rotation that maps components to those along the body's axes.
struct Placement {
  Expr3 position{};
  Expr33 rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
};

/// A shape in a body, in expressions; Solid (kane/base/shape.hpp) is the same in numbers and explains the sizes.
struct SolidExpr {
  ShapeKind kind = ShapeKind::Box;
  std::vector<Expr> sizes;
  Placement place;
  std::string file;   ///< file of a Mesh
  bool hull = false;  ///< of a Mesh: its convex hull is meant
};

/// A solid fixed in a body (-1: in the inertial frame). Its sizes and its place are functions of parameters.
struct ContactShapeEquation {
  std::string name;
  int body = -1;
  SolidExpr solid;
};

/// Two solids that cannot pass through each other, wherever they touch: the rows are made while the system runs.
struct ContactPairEquation {
  std::string name;
  int first = 0, second = 0;  ///< shapes
  Expr restitution;
  RestitutionLaw law = RestitutionLaw::Newton;
  Expr kinetic, stiction;       ///< coefficients
  Expr rolling, spinning;       ///< lengths
  Expr stiffness, dissipation;  ///< stiffness 0: rigid
  Expr damping{};               ///< of a linear compliant contact
  bool linear = false;          ///< compliant with a linear law
  bool phases = false;          ///< as in ContactEquation
  Expr adhesion{};
  /// Friction that depends on the direction: across `grain`, the coefficients are `ratio` times those along it.
  bool oriented = false;
  Expr ratio{};
  int grain_body = -1;  ///< among the bodies, in whose axes `grain` is given; -1: the ground
  Expr3 grain{};
};

/// What touches between two bodies, or at the contacts of a rule (`second` is then empty), summed up for outputs. Its values
/// are symbols, contact_sensor_symbol(), that get their values where outputs are evaluated.
struct ContactSensorEquation {
  std::string first, second;
  bool gap = false;  ///< somebody asks for the distance
};

/// Places of the values of a sensor; forces and impulses act on the first body, torques are about the ground's origin.
namespace sensor_part {
inline constexpr std::size_t kForce = 0, kTorque = 3, kPoint = 6, kDirection = 9, kNormal = 12, kFriction = 13,
                             kGap = 14, kTouching = 15, kImpulse = 16, kCount = 19;
}  // namespace sensor_part

[[nodiscard]] inline std::string contact_sensor_symbol(const ContactSensorEquation& sensor, std::size_t part) {
  return "contact(" + sensor.first + (sensor.second.empty() ? "" : ", " + sensor.second) + ")." + std::to_string(part);
}

/// Dry friction along one row, or two that are perpendicular: it holds until `stiction` is exceeded, and resists sliding
/// with `kinetic`. Both are forces, or coefficients of the normal force of a contact.
struct FrictionEquation {
  std::string name;
  std::vector<int> rows;
  int contact = -1;  ///< whose normal force presses; -1: kinetic and stiction are forces
  Expr kinetic, stiction;
};

/// A change at the instant at which a guard crosses zero.
struct SwitchEquation {
  struct Reset {
    int index;  ///< into q, then u
    Expr value;
  };
  std::string name;
  Expr guard;                                ///< may contain udot and multipliers
  int direction = 0;                         ///< 1: rising, -1: falling, 0: both
  std::vector<std::string> impose, release;  ///< groups of constraints
  std::vector<Reset> resets;                 ///< new values, from those before
  std::string from, to;                      ///< modes; "": any, and none
  bool stop = false;                         ///< ends the run
};

/// A named set of active constraints.
struct ModeEquation {
  std::string name;
  std::vector<std::string> active;  ///< groups
};

/// An axis along which a haptic device holds the system by a spring and a damper: phi of the row is the
/// position, its multiplier the force.
struct HandleEquation {
  std::string name;
  int row = 0;
  Expr stiffness, damping;
};

struct EquationsOfMotion {
  std::shared_ptr<Graph> graph;
  std::string name;
  std::string formulation;  ///< "projection", "composite", "articulated"

  Expr t;  ///< the symbol of time
  std::vector<SymbolWithDefault> parameters;
  std::vector<SymbolWithDefault> inputs;
  std::vector<Expr> q;     ///< coordinates (symbols), then the states that have no speed
  int states = 0;          ///< how many of these there are
  std::vector<Expr> u;     ///< speeds (symbols)
  std::vector<Expr> udot;  ///< symbols of the derivatives of the speeds

  std::vector<Expr> qdot;  ///< one per coordinate
  /// Quaternions: first index of four coordinates whose squares sum to one.
  std::vector<int> quaternions;

  ExprMatrix M;               ///< may be empty (0 x 0) for a formulation that never forms it
  bool accelerating = false;  ///< loads proportional to accelerations contribute to M
  bool symmetric = true;      ///< M is; loads proportional to accelerations need not leave it so
  std::vector<Expr> rhs;      ///< empty together with M
  /// udot solved for, without constraints: present if the formulation solves in symbols.
  std::vector<Expr> udot_explicit;
  /// Inverse dynamics: generalized forces F_r needed for given udot, i.e. M udot - rhs. One per speed; optional.
  std::vector<Expr> inverse;

  /// Generalized active forces F_r of gravity and all loads; contain udot symbols where loads do. One per speed; optional.
  /// The generalized inertia forces are F*_r = -(M udot - rhs) - F_r.
  std::vector<Expr> active;

  std::vector<ConstraintEquation> constraints;
  /// Speeds to be dependent when all active constraints are embedded (indices into u); empty = chosen automatically.
  std::vector<int> dependent_speeds;
  /// All active constraints embedded in symbols, if that was requested and there are any.
  std::optional<EmbeddedEquations> embedded;

  std::vector<ContactEquation> contacts;
  std::vector<FrictionEquation> frictions;
  std::vector<ContactBodyEquation> contact_bodies;
  std::vector<ContactShapeEquation> contact_shapes;
  std::vector<ContactPairEquation> contact_pairs;
  std::vector<ContactSensorEquation> contact_sensors;
  std::vector<SwitchEquation> switches;
  std::vector<ModeEquation> modes;
  std::vector<HandleEquation> handles;
  std::string initial_mode;  ///< "": the constraints that are active by themselves

  Expr kinetic;
  std::optional<Expr> potential;  ///< potential energy of gravity and springs; absent if that of some load is not known
  Expr3 linear_momentum;          ///< components in N
  Expr3 angular_momentum;         ///< about the origin of N, components in N

  std::vector<PointOutput> points;
  std::vector<BodyOutput> bodies;
  std::vector<ReactionOutput> reactions;
  std::vector<AuxiliaryForce> auxiliary_forces;
  std::vector<ScalarOutput> outputs;

  std::vector<std::string> warnings;

  [[nodiscard]] int coordinate_count() const { return static_cast<int>(q.size()); }
  [[nodiscard]] int speed_count() const { return static_cast<int>(u.size()); }
  /// Loads depend on forces that are known only together with the accelerations.
  [[nodiscard]] bool has_given_forces() const {
    return !constraints.empty() && constraints.back().given.has_value();  // these rows come last
  }
  /// Something is switched while it runs.
  [[nodiscard]] bool switched() const {
    return !contacts.empty() || !contact_pairs.empty() || !frictions.empty() || !switches.empty() || !modes.empty();
  }
};

}  // namespace kane
