#pragma once
// The vocabulary for describing a mechanism in C++: handles of its parts, and vectors, positions and orientations
// in whichever form is convenient. All are small values that convert from natural notation:
//
//     BodyRef    "link"                       PointRef   "tip", "link.tip", or a body      FrameRef   "tool", or a body
//     Direction  axis::z, -axis::x, {1, 1, 0}
//     Position   {L, 0, 0}, or the name of a point on the same body
//     Turn       SimpleRotation{Axis::Z, angle}, a matrix, or the name of a frame on the same body
//     Quantity   an expression, a number, or text: "dot(v(tip), N.x)"
//     VectorQuantity   {0, -g, 0} in the axes of the ground, {link, {F, 0, 0}} in those of a body, or text: "-g*N.y"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kane/base/source_place.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanism/joint.hpp"

namespace kane {

/// The name of a part of a Mechanism. Handles of different parts do not convert into each other, except that a body
/// stands for its origin where a point is expected, and for its axes where a frame is expected.
template <class Tag>
class NameRef {
 public:
  /// Names nothing.
  NameRef() = default;
  /// From a name.
  NameRef(std::string name) : name_(std::move(name)) {}
  /// From a name.
  NameRef(std::string_view name) : name_(name) {}
  /// From a name.
  NameRef(const char* name) : name_(name) {}

  /// The name, as quantities may use it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Whether it names nothing.
  [[nodiscard]] bool empty() const { return name_.empty(); }
  /// Whether both have the same name.
  friend bool operator==(const NameRef&, const NameRef&) = default;

 private:
  std::string name_;
};

/// A joint by name.
using JointRef = NameRef<struct JointTag>;
/// A constraint or a closing joint by name.
using ConstraintRef = NameRef<struct ConstraintTag>;
/// A contact by name.
using ContactRef = NameRef<struct ContactTag>;
/// A point: the name of a point ("tip", "link.tip"), a particle, a joint, or a body for its origin (its mass centre
/// where a force acts on it).
using PointRef = NameRef<struct PointTag>;
/// A frame: a named one ("tool", "hand.tool"), or a body.
using FrameRef = NameRef<struct FrameTag>;

/// A body or the ground.
class BodyRef : public NameRef<struct BodyTag> {
 public:
  /// From a name.
  using NameRef::NameRef;
  /// Its origin, or its mass centre where a force acts.
  operator PointRef() const { return PointRef(name()); }
  /// Its axes.
  operator FrameRef() const { return FrameRef(name()); }
  /// Its mass centre.
  [[nodiscard]] PointRef mass_centre() const { return PointRef(name() + ".com"); }
  /// The point of this name on the body.
  [[nodiscard]] PointRef point(std::string_view part) const { return PointRef(name() + "." + std::string(part)); }
  /// The frame of this name on the body.
  [[nodiscard]] FrameRef frame(std::string_view part) const { return FrameRef(name() + "." + std::string(part)); }
};

/// A direction given by its components; its length must not be zero.
struct Direction {
  Expr3 components{};  ///< along x, y and z

  /// Zero.
  constexpr Direction() = default;
  /// From components.
  constexpr Direction(const Expr& x, const Expr& y, const Expr& z) : components{x, y, z} {}
  /// From components.
  Direction(const Expr3& c) : components(c) {}
  /// The opposite direction.
  Direction operator-() const { return {-components[0], -components[1], -components[2]}; }
};

/// The coordinate axes, for joints and directions.
namespace axis {
inline const Direction x{1, 0, 0};  ///< first axis
inline const Direction y{0, 1, 0};  ///< second axis
inline const Direction z{0, 0, 1};  ///< third axis
}  // namespace axis

/// A position on a body: components in the body's axes from its origin, or the name of a point of that body.
class Position {
 public:
  /// The origin.
  Position() = default;
  /// From components.
  Position(const Expr& x, const Expr& y, const Expr& z) : components_{x, y, z}, given_(true) {}
  /// From components.
  Position(const Expr3& components) : components_(components), given_(true) {}
  /// A point of the same body.
  Position(PointRef point) : point_(std::move(point)), given_(true) {}
  /// A point of the same body.
  Position(const char* point) : point_(point), given_(true) {}

  /// Whether a position was given; otherwise it is the origin.
  [[nodiscard]] bool given() const { return given_; }
  /// The components; zero if given by name.
  [[nodiscard]] const Expr3& components() const { return components_; }
  /// The point; empty if given by components.
  [[nodiscard]] const PointRef& point() const { return point_; }

 private:
  Expr3 components_{};
  PointRef point_;
  bool given_ = false;
};

/// An orientation on a body: one of the forms of Orientation, a matrix that maps its components to the body's, or the
/// name of a frame of that body. By default it is that of the body.
class Turn {
 public:
  /// The orientation of the body itself.
  Turn() = default;
  /// Any form of Orientation.
  Turn(Orientation orientation) : orientation_(std::move(orientation)) {}
  /// Any form of Orientation.
  template <class Form>
  requires std::constructible_from<Orientation, Form> &&
      (!std::same_as<std::remove_cvref_t<Form>, Orientation>)Turn(Form form)
      : orientation_(Orientation(std::move(form))) {}
  /// The matrix that maps its components to those of the body.
  Turn(const Expr33& matrix) : orientation_(DirectionCosines{matrix}) {}
  /// A frame of the same body.
  Turn(FrameRef frame) : frame_(std::move(frame)) {}
  /// A frame of the same body.
  Turn(const char* frame) : frame_(frame) {}

  /// The orientation; none if given by name, or not at all.
  [[nodiscard]] const std::optional<Orientation>& orientation() const { return orientation_; }
  /// The frame; empty if given by an orientation, or not at all.
  [[nodiscard]] const FrameRef& frame() const { return frame_; }

 private:
  std::optional<Orientation> orientation_;
  FrameRef frame_;
};

/// Roll, pitch and yaw as in URDF: about the fixed axes x, y and z, in this order.
[[nodiscard]] inline RotationSequence roll_pitch_yaw(const Expr& roll, const Expr& pitch, const Expr& yaw) {
  return {true, {Axis::X, Axis::Y, Axis::Z}, {roll, pitch, yaw}};
}

/// A vector that may depend on the motion: three components along the axes of the ground or of a frame, a direction, or
/// text (quantity.hpp).
class VectorQuantity {
 public:
  /// No vector.
  VectorQuantity() = default;
  /// Components in the axes of the ground (in contacts, of the body where documented).
  VectorQuantity(const Expr& x, const Expr& y, const Expr& z) : components_{{x, y, z}} {}
  /// Components in the axes of a frame.
  VectorQuantity(FrameRef frame, const Expr3& components) : components_(components), frame_(std::move(frame)) {}
  /// Components in the axes of a body.
  VectorQuantity(const BodyRef& body, const Expr3& components) : VectorQuantity(FrameRef(body), components) {}
  /// A direction in the axes of the ground.
  VectorQuantity(const Direction& direction) : components_(direction.components) {}
  /// Text, such as "-g*N.y".
  VectorQuantity(std::string text) : text_(std::move(text)) {}
  /// Text, such as "-g*N.y".
  VectorQuantity(const char* text) : text_(text) {}

  /// Whether no vector was given.
  [[nodiscard]] bool empty() const { return !components_ && text_.empty(); }
  /// The vector as text, in the axes of `otherwise` if no frame is given.
  [[nodiscard]] Quantity quantity(const std::string& otherwise, const Where& where) const;

 private:
  std::optional<Expr3> components_;
  FrameRef frame_;
  std::string text_;
};

/// The place of a call in a C++ source file, so that an error in the description points to its line.
[[nodiscard]] Where place_of(const SourcePlace& call);

}  // namespace kane
