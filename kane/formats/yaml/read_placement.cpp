#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/yaml/read_parts.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"

namespace kane {

namespace {

Expr33 sequence_matrix(const RotationSequence& sequence) {
  // Body-fixed rotations multiply from left to right, space-fixed ones from right to left.
  Expr33 result = identity33();
  for (std::size_t i = 0; i < 3; ++i) {
    const Expr33 turn = simple_rotation_matrix(sequence.axes[i], sequence.angles[i]);
    result = sequence.space ? multiply(turn, result) : multiply(result, turn);
  }
  return result;
}

/// Values of expressions that depend on parameters only; empty if they depend on anything else.
std::optional<std::vector<double>> find_numbers(const ModelContext& context, std::span<const Expr> values) {
  for (const Expr& symbol : symbols_of(values))
    if (!context.defaults.contains(symbol.name())) return std::nullopt;
  std::vector<double> numbers;
  for (const Expr& value : values)
    numbers.push_back(value.is_number() ? to_double(value.number())
                                        : evaluate(value, context.defaults, context.functions));
  return numbers;
}

void check_rotation(const ModelContext& context, const Expr33& r, const YamlNode& node, std::string_view owner) {
  std::vector<Expr> entries;
  for (const auto& row : r) entries.insert(entries.end(), row.begin(), row.end());
  const auto numbers = find_numbers(context, entries);
  if (!numbers) return;
  const auto at = [&](std::size_t i, std::size_t j) { return (*numbers)[3 * i + j]; };
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = i == j ? -1.0 : 0.0;
      for (std::size_t k = 0; k < 3; ++k) product += at(k, i) * at(k, j);
      worst = std::max(worst, std::abs(product));
    }
  }
  const double determinant = at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) -
                             at(0, 1) * (at(1, 0) * at(2, 2) - at(1, 2) * at(2, 0)) +
                             at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0));
  constexpr double kTolerance = 1e-6;  // accuracy of six printed digits
  if (!(worst <= kTolerance))
    node.fail(
        fmt::format("the matrix of {} is not a rotation: its columns are not perpendicular unit vectors (off by "
                    "{:.2g})",
                    owner, worst));
  if (determinant < 0)
    node.fail(fmt::format("the matrix of {} is a reflection, not a rotation: its determinant is -1", owner));
}

Expr33 read_matrix(const ModelContext& context, const YamlNode& node, std::string_view owner) {
  if (!node.is_list() || node.items.size() != 3)
    node.fail(fmt::format("the matrix of {} must be a list of three rows, but {} is given", owner, node.describe()));
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i)
    r[i] = context.vector(node.items[i], measure::kNumber, "a row of the matrix", owner);
  check_rotation(context, r, node, owner);
  return r;
}

Expr33 read_quaternion(const ModelContext& context, const YamlNode& node, std::string_view owner) {
  if (!node.is_list() || node.items.size() != 4)
    node.fail(fmt::format("the quaternion of {} must be a list [x, y, z, w] with the scalar part last, but {} is given",
                          owner, node.describe()));
  std::array<Expr, 4> e;
  Expr square_sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    e[i] = context.scalar(node.items[i], measure::kNumber, "an entry of the quaternion", owner);
    square_sum += square(e[i]);
  }
  if (square_sum.is_zero()) node.fail(fmt::format("the quaternion of {} is zero", owner));
  if (!square_sum.is_one())
    for (auto& entry : e) entry /= sqrt(context.graph.bind(square_sum));
  return euler_parameter_matrix(e);
}

Expr33 read_axis_angle(const ModelContext& context, const Group& group, std::string_view owner) {
  Expr3 axis = read_axis(context, group.need("axis", "z"), "axis", owner);
  const Expr angle =
      context.graph.bind(context.scalar(group.need("angle", "30 deg"), measure::kAngle, "angle", group.owner()));
  for (std::size_t i = 0; i < 3; ++i)
    if (axis[i].is_one() && axis[(i + 1) % 3].is_zero() && axis[(i + 2) % 3].is_zero())
      return simple_rotation_matrix(static_cast<Axis>(i), angle);
  const Expr length = sqrt(context.graph.bind(dot(axis, axis)));
  return axis_rotation_matrix(scale(1 / length, axis), angle);
}

Expr33 read_sequence(const ModelContext& context, const Group& group, std::string_view owner) {
  const YamlNode& name = group.need("sequence", "body 123");
  Expr3 angles = context.vector(group.need("angles", "[30 deg, 0, 0]"), measure::kAngle, "angles", owner);
  for (auto& angle : angles) angle = context.graph.bind(angle);
  std::string text = read_text(name, "sequence", owner);
  if (text.size() == 3) text = "body " + text;
  return at_place(name.place, [&] { return sequence_matrix(rotation_sequence(text, angles)); });
}

/// A point or frame by name among those of a body: "tip" or "A.tip".
template <class Part>
const Part& find_part(const std::vector<Part>& parts, const YamlNode& node, std::string_view on, std::string_view what,
                      std::string_view owner) {
  std::vector<std::string> known;
  for (const Part& part : parts) {
    if (part.on != on) continue;
    if (part.name == node.text || part.on + "." + part.name == node.text) return part;
    known.push_back(part.name);
  }
  node.fail(fmt::format("{} names the {} '{}', which '{}' does not have{}", owner, what, shown(node.text), on,
                        suggestion(node.text, known)));
}

}  // namespace

Expr3 read_axis(const ModelContext& context, const YamlNode& node, std::string_view what, std::string_view owner) {
  if (node.is_list()) {
    const Expr3 axis = context.vector(node, measure::kAny, what, owner);
    if (is_zero(axis)) node.fail(fmt::format("{} of {} has length zero", what, owner));
    return axis;
  }
  std::string_view text = node.is_scalar() ? std::string_view(node.text) : std::string_view();
  const int sign = text.starts_with('-') ? -1 : 1;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() == 1) {
    const std::size_t i = std::string_view("xyz").find(text[0]);
    const std::size_t k = i != std::string_view::npos ? i : std::string_view("123").find(text[0]);
    if (k != std::string_view::npos) {
      Expr3 axis{};
      axis[k] = sign;
      return axis;
    }
  }
  node.fail(fmt::format("{} of {} must be x, y, z or a list of three components, but {} is given", what, owner,
                        node.describe()));
}

Expr33 read_orientation(const ModelContext& context, const YamlNode& node, std::string_view owner,
                        std::string_view on) {
  if (node.is_scalar()) return find_part(context.mechanism.frames, node, on, "frame", owner).place.rotation;
  const Group group(node, fmt::format("the orientation of {}", owner), keys::kOrientation);
  group.check_only_one({"axis", "rpy", "sequence", "matrix", "quaternion"});
  const auto refuse = [&](std::string_view key, std::string_view with) {
    if (group.has(key) && !group.has(with))
      group.find(key)->fail(fmt::format("'{}' of {} requires '{}'", key, group.owner(), with));
  };
  refuse("angle", "axis");
  refuse("angles", "sequence");
  if (group.has("axis")) return read_axis_angle(context, group, group.owner());
  if (group.has("sequence")) return read_sequence(context, group, group.owner());
  if (const YamlNode* matrix = group.find("matrix")) return read_matrix(context, *matrix, owner);
  if (const YamlNode* quaternion = group.find("quaternion")) return read_quaternion(context, *quaternion, owner);
  // Roll, pitch and yaw as in URDF: about the fixed axes x, y, z in this order.
  Expr3 rpy = context.vector(group.need("rpy", "[0, 90 deg, 0]"), measure::kAngle, "rpy", group.owner());
  for (auto& angle : rpy) angle = context.graph.bind(angle);
  return sequence_matrix(rotation_sequence("space 123", rpy));
}

Expr3 read_position(const ModelContext& context, const YamlNode& node, std::string_view what, std::string_view owner,
                    std::string_view on) {
  if (node.is_scalar()) {
    if (node.text == "origin" || node.text == on) return {};
    return find_part(context.mechanism.points, node, on, "point", owner).at;
  }
  return context.vector(node, measure::kLength, what, owner);
}

Placement read_placement(const ModelContext& context, const Group& group, std::string_view position_key,
                         std::string_view orientation_key, std::string_view on) {
  Placement place;
  if (const YamlNode* at = group.find(position_key))
    place.position = read_position(context, *at, position_key, group.owner(), on);
  if (const YamlNode* orientation = group.find(orientation_key))
    place.rotation = read_orientation(context, *orientation, group.owner(), on);
  return place;
}

}  // namespace kane
