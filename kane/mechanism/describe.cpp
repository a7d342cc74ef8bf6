// The vocabulary of describing: values that turn into components, matrices and text.

#include "kane/mechanism/describe.hpp"

#include "kane/base/suggest.hpp"
#include "kane/expr/print.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/describe_parts.hpp"

namespace kane {

Quantity::Quantity(const Expr& value) : text(to_text(value)) {}

Where place_of(const SourcePlace& call) { return {call.file, call.line, 0}; }

Quantity at(Quantity quantity, const Where& where) {
  if (quantity.where.line == 0) quantity.where = where;
  return quantity;
}

std::vector<Quantity> at(std::vector<Quantity> quantities, const Where& where) {
  for (Quantity& quantity : quantities) quantity = at(std::move(quantity), where);
  return quantities;
}

Quantity VectorQuantity::quantity(const std::string& otherwise, const Where& where) const {
  if (!components_) return {text_, where};
  const std::string& frame = frame_.empty() ? otherwise : frame_.name();
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    const Expr& c = (*components_)[i];
    if (c.is_zero()) continue;
    if (!text.empty()) text += " + ";
    text += c.is_one() ? fmt::format("{}.{}", frame, "xyz"[i]) : fmt::format("({})*{}.{}", to_text(c), frame, "xyz"[i]);
  }
  if (text.empty()) text = fmt::format("0*{}.x", frame);
  return {std::move(text), where};
}

Inertia Inertia::about(Position point) const {
  Inertia moved = *this;
  moved.point_ = std::move(point);
  return moved;
}

Inertia Inertia::in(Turn axes) const {
  Inertia turned = *this;
  turned.axes_ = std::move(axes);
  return turned;
}

// ---- shapes -----------------------------------------------------------------------------------------------------------

namespace shape {

BodyShape box(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options) {
  return {ShapeKind::Box, {x, y, z}, std::move(options), ""};
}
BodyShape sphere(const Expr& radius, ShapeOptions options) {
  return {ShapeKind::Sphere, {radius}, std::move(options), ""};
}
BodyShape ellipsoid(const Expr& x, const Expr& y, const Expr& z, ShapeOptions options) {
  return {ShapeKind::Ellipsoid, {x, y, z}, std::move(options), ""};
}
BodyShape cylinder(const Expr& radius, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Cylinder, {radius, length}, std::move(options), ""};
}
BodyShape cone(const Expr& radius, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Cone, {radius, length}, std::move(options), ""};
}
BodyShape capsule(const Expr& radius, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Capsule, {radius, length}, std::move(options), ""};
}
BodyShape tube(const Expr& outer, const Expr& inner, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Tube, {outer, inner, length}, std::move(options), ""};
}
BodyShape rod(const Expr& radius, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Rod, {radius, length}, std::move(options), ""};
}
BodyShape disk(const Expr& radius, const Expr& length, ShapeOptions options) {
  return {ShapeKind::Disk, {radius, length}, std::move(options), ""};
}
BodyShape plane(ShapeOptions options) { return {ShapeKind::Plane, {}, std::move(options), ""}; }
BodyShape mesh(std::string file, ShapeOptions options) {
  return {ShapeKind::Mesh, {}, std::move(options), std::move(file)};
}
BodyShape hull(const std::vector<Expr3>& points, ShapeOptions options) {
  BodyShape shape{ShapeKind::Mesh, {}, std::move(options), ""};
  for (const Expr3& point : points) shape.sizes.insert(shape.sizes.end(), point.begin(), point.end());
  return shape;
}

}  // namespace shape

// ---- motions ----------------------------------------------------------------------------------------------------------

JointMotion rotate(const Direction& axis, AxisOptions options) {
  return {.kind = MotionKind::Rotation, .axis = axis, .options = std::move(options)};
}
JointMotion translate(const Direction& axis, AxisOptions options) {
  return {.kind = MotionKind::Translation, .axis = axis, .options = std::move(options)};
}
JointMotion twist(const Direction& axis, const Expr& pitch, AxisOptions options) {
  return {.kind = MotionKind::Screw, .axis = axis, .pitch = pitch, .options = std::move(options)};
}
JointMotion ball(std::vector<std::string> coordinates, std::vector<std::string> speeds) {
  return {.kind = MotionKind::Ball, .coordinates = std::move(coordinates), .speeds = std::move(speeds)};
}

// ---- places on a body -------------------------------------------------------------------------------------------------

namespace {

/// A point or frame of a body: "tip" or "link.tip".
template <class Part>
const Part& find_part(const std::vector<Part>& parts, const std::string& name, const BodyRef& on, std::string_view what,
                      std::string_view owner, const Where& where) {
  std::vector<std::string> known;
  for (const Part& part : parts) {
    if (part.on != on.name()) continue;
    if (part.name == name || part.on + "." + part.name == name) return part;
    known.push_back(part.name);
  }
  throw ModelError(where, fmt::format("{} names the {} '{}', which '{}' does not have{}", owner, what, name, on.name(),
                                      suggestion(name, known)));
}

/// An Orientation as a matrix. Numbers are bound to the graph, so that their sines and cosines can be formed.
class RotationMatrix {
 public:
  RotationMatrix(Graph& graph, std::string_view owner, const Where& where)
      : graph_(graph), owner_(owner), where_(where) {}

  Expr33 operator()(const SimpleRotation& r) const { return simple_rotation_matrix(r.axis, graph_.bind(r.angle)); }

  Expr33 operator()(const AxisRotation& r) const {
    for (std::size_t i = 0; i < 3; ++i)
      if (r.axis[i].is_one() && r.axis[(i + 1) % 3].is_zero() && r.axis[(i + 2) % 3].is_zero())
        return simple_rotation_matrix(static_cast<Axis>(i), graph_.bind(r.angle));
    check(!is_zero(r.axis), "turns about an axis of length zero");
    const Expr length = sqrt(graph_.bind(dot(r.axis, r.axis)));
    return axis_rotation_matrix(scale(1 / length, r.axis), graph_.bind(r.angle));
  }

  Expr33 operator()(const RotationSequence& r) const {
    // Body-fixed axes multiply from left to right, space-fixed ones from right to left.
    Expr33 result = identity33();
    for (std::size_t i = 0; i < 3; ++i) {
      const Expr33 turn = simple_rotation_matrix(r.axes[i], graph_.bind(r.angles[i]));
      result = r.space ? multiply(turn, result) : multiply(result, turn);
    }
    return result;
  }

  Expr33 operator()(const EulerParameters& r) const {
    std::array<Expr, 4> e = r.e;
    Expr squares;
    for (const Expr& x : e) squares += square(x);
    check(!squares.is_zero(), "is turned by a quaternion that is zero");
    if (!squares.is_one())
      for (Expr& x : e) x /= sqrt(graph_.bind(squares));
    return euler_parameter_matrix(e);
  }

  Expr33 operator()(const RodriguesParameters& r) const { return rodrigues_matrix(r.rho); }
  Expr33 operator()(const DirectionCosines& r) const { return r.c; }

 private:
  void check(bool good, std::string_view problem) const {
    if (!good) throw ModelError(where_, fmt::format("{} {}", owner_, problem));
  }

  Graph& graph_;
  std::string_view owner_;
  const Where& where_;
};

}  // namespace

Expr3 find_position(const Mechanism& mechanism, const Position& position, const BodyRef& on, std::string_view owner,
                    const Where& where) {
  if (position.point().empty()) return position.components();
  const std::string& name = position.point().name();
  if (name == "origin" || name == on.name()) return {};
  return find_part(mechanism.points, name, on, "point", owner, where).at;
}

Expr33 find_rotation(const Mechanism& mechanism, const Turn& turn, const BodyRef& on, std::string_view owner,
                     const Where& where) {
  if (turn.orientation()) return std::visit(RotationMatrix(*mechanism.graph, owner, where), *turn.orientation());
  if (turn.frame().empty() || turn.frame().name() == on.name()) return identity33();
  return find_part(mechanism.frames, turn.frame().name(), on, "frame", owner, where).place.rotation;
}

Placement find_placement(const Mechanism& mechanism, const Position& position, const Turn& turn, const BodyRef& on,
                         std::string_view owner, const Where& where) {
  return {find_position(mechanism, position, on, owner, where), find_rotation(mechanism, turn, on, owner, where)};
}

}  // namespace kane
