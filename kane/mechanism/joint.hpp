#pragma once
// A joint is a list of elementary motions from its parent's side to its child's side, each along or about an axis that
// is fixed in the intermediate frame it starts from. Every kind of joint is opened once, in joint_library.cpp, into
// such a list; no algorithm asks again what kind it was.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

/// A scalar or vector that may depend on the motion (v(P), omega(B), dot(...)), kept as text until the kinematics exist
/// (quantity.hpp reads it). An expression or a number is written out as text.
struct Quantity {
  std::string text;
  Where where;

  Quantity() = default;
  Quantity(std::string written, Where at = {}) : text(std::move(written)), where(std::move(at)) {}
  Quantity(const char* written) : text(written) {}
  Quantity(const Expr& value);
  template <class Number>
  requires std::is_arithmetic_v<Number> Quantity(Number value) : Quantity(Expr(value)) {}

  [[nodiscard]] bool empty() const { return text.empty(); }
};

enum class MotionKind : std::uint8_t {
  Rotation,     ///< by an angle about an axis
  Translation,  ///< by a length along an axis
  Screw,        ///< a rotation with a translation of pitch * angle along the same axis (pitch in metres per radian)
  Ball,  ///< any rotation: four Euler parameters (scalar last), three speeds: angular velocity in the child's frame
};

/// Motor, spring, damper, friction and stops along one elementary motion. Absent fields add nothing.
struct AxisLaw {
  Expr stiffness;  ///< force or torque -stiffness*(q - rest)
  Expr rest;
  Expr damping;   ///< -damping*u
  Expr friction;  ///< Coulomb: up to this force or torque against sliding (taken up by kane/simulate)
  std::optional<Expr> lower, upper;          ///< limits of the coordinate: stops
  Expr restitution;                          ///< restitution of rigid stops, 0 to 1
  Expr stop_stiffness;                       ///< 0: the stops are rigid
  Expr stop_damping;                         ///< damping of stops with a stiffness
  std::optional<Expr> max_force, max_speed;  ///< of the motor: `actuator` and `law` together
  Quantity law;                              ///< any further force or torque, positive along the coordinate
  Expr actuator;                             ///< an input symbol added along the coordinate; 0 = none

  [[nodiscard]] bool limited() const { return lower || upper; }
  [[nodiscard]] bool has_rigid_stops() const { return limited() && stop_stiffness.is_zero(); }
};

struct ElementaryMotion {
  MotionKind kind = MotionKind::Rotation;
  Expr3 axis{0, 0, 1};  ///< in the frame it starts from; any length but zero
  bool free = true;     ///< else locked or prescribed: `value` then says where
  /// Symbols of the coordinates: one, or four for Ball. Empty if not free.
  std::vector<Expr> coordinates;
  /// Symbols of the speeds: one, or three for Ball. Empty if not free, or if the user's own speeds replace them.
  std::vector<Expr> speeds;
  Expr value;  ///< value of a locked (constant) or prescribed (function of t and inputs) coordinate
  Expr pitch;  ///< pitch of a Screw
  AxisLaw law;
  /// Names by which expressions may still refer to the value and the rate of a locked or prescribed motion.
  std::string held_coordinate, held_speed;
};

struct Joint {
  std::string name;
  std::string kind;    ///< as written: "revolute", "free", ... for printing
  std::string parent;  ///< body, or the ground's name
  std::string child;
  /// Body or frame from whose orientation the joint's rotations are measured; "" = the parent. The joint's frame on the
  /// parent's side then has its origin at on_parent.position of the parent (in the parent's axes), but the axes of
  /// `rotation_from` turned by on_parent.rotation; the motions start from that frame. So a pendulum's absolute angles:
  /// the position follows the parent rod, the angle counts from the ground.
  std::string rotation_from;
  Placement on_parent;
  Placement on_child;
  std::vector<ElementaryMotion> motions;
  bool closing = false;  ///< closes a loop: both bodies are placed by other joints; becomes constraints
  bool active = true;    ///< of a closing joint
  bool report_reaction = true;
  Where where;
};

}  // namespace kane
