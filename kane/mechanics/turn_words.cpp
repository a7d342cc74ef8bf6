#include "kane/mechanics/turn_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/vec3.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"

namespace kane {
namespace {

constexpr const char* kTurnAxes[] = {"x", "y", "z"};

/// Nothing if it depends on anything.
std::optional<double> constant(const Expr& e) {
  try {
    const double value = evaluate(e, {});
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

Formula joined(const Formula& angle, const Formula& axis) {
  return {angle.text + " about " + axis.text, angle.latex + "\\text{ about }" + axis.latex};
}

Formula degrees(double angle) {
  const double value = std::round(angle * 180 / std::numbers::pi * 1e9) / 1e9;
  const std::string number = fmt::format("{:.9g}", value);
  return {number + "\u00b0", number + "^{\\circ}"};
}

Formula listed(const std::vector<Formula>& items) {
  Formula list;
  for (const Formula& item : items) {
    list.text += (list.text.empty() ? "" : ", ") + item.text;
    list.latex += (list.latex.empty() ? "" : ",\\,") + item.latex;
  }
  return list;
}

Formula in_parentheses(const Formula& f) { return {"(" + f.text + ")", "(" + f.latex + ")"}; }

/// Whole numbers where a multiple of the axis has them.
Formula axis_of(const Vec3& axis) {
  double least = 1;
  for (std::size_t k = 0; k < 3; ++k)
    if (std::abs(axis[k]) > 1e-9) least = std::min(least, std::abs(axis[k]));
  const Vec3 scaled = (1 / least) * axis;
  bool whole = true;
  for (std::size_t k = 0; k < 3; ++k)
    whole = whole && std::abs(scaled[k] - std::round(scaled[k])) < 1e-9 && std::abs(scaled[k]) < 10;
  std::vector<Formula> components;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string number = whole ? fmt::format("{}", std::lround(scaled[k])) : fmt::format("{:.6g}", axis[k] + 0.0);
    components.push_back({number, number});
  }
  return in_parentheses(listed(components));
}

/// Angle and axis of a rotation that is known in numbers: for R with the angle a and the axis l,
/// R - R^T = 2 sin a [l x] and trace R = 1 + 2 cos a.
std::optional<Formula> constant_turn(const Expr33& rotation) {
  double r[3][3];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto entry = constant(rotation[i][j]);
      if (!entry) return std::nullopt;
      r[i][j] = *entry;
    }
  }
  Vec3 axis{r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
  double angle = std::atan2(norm(axis), r[0][0] + r[1][1] + r[2][2] - 1);
  if (norm(axis) < 1e-9 && angle > 1) {  // half a turn: R = 2 l l^T - 1
    const std::size_t k = r[0][0] >= std::max(r[1][1], r[2][2]) ? 0 : r[1][1] >= r[2][2] ? 1 : 2;
    axis = {r[0][k], r[1][k], r[2][k]};
    axis[k] += 1;
  }
  if (angle < 1e-12) return words("nothing");
  axis = unit(axis);
  for (std::size_t k = 0; k < 3; ++k) {
    if (std::abs(std::abs(axis[k]) - 1) > 1e-9) continue;
    const bool half = std::abs(angle - std::numbers::pi) < 1e-12;
    if (axis[k] < 0 && !half) angle = -angle;
    return joined(degrees(angle), words(kTurnAxes[k]));
  }
  return joined(degrees(angle), axis_of(axis));
}

/// A rotation about a coordinate axis, recognised by its matrix.
std::optional<Formula> simple_turn(const Expr33& r, FormulaWriter& write) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const Expr &c = r[i][i], &s = r[j][i];
    if (!(r[k][k] == Expr(1)) || c.graph() == nullptr || c.graph()->op(c.id()) != Op::Cos) continue;
    const Expr angle = c.graph()->at(c.graph()->args(c.id())[0]);
    if (s == sin(angle)) return joined(write.value(angle), words(kTurnAxes[k]));
    if (s == -sin(angle)) return joined(write.value(-angle), words(kTurnAxes[k]));
  }
  return std::nullopt;
}

}  // namespace

Formula describe_turn(const Frames::Frame& frame, FormulaWriter& write) {
  const auto list = [&](const auto& parameters) {
    std::vector<Formula> names;
    for (const Expr& e : parameters) names.push_back(write.symbol(e));
    return listed(names);
  };
  if (const auto* euler = std::get_if<EulerParameters>(&frame.definition)) {
    const Formula names = list(euler->e);
    return {"Euler parameters " + names.text, "\\text{Euler parameters }" + names.latex};
  }
  if (const auto* rodrigues = std::get_if<RodriguesParameters>(&frame.definition)) {
    const Formula names = list(rodrigues->rho);
    return {"Rodrigues parameters " + names.text, "\\text{Rodrigues parameters }" + names.latex};
  }
  if (const auto turn = constant_turn(frame.rotation)) return *turn;
  if (std::holds_alternative<DirectionCosines>(frame.definition))
    return simple_turn(frame.rotation, write).value_or(words("direction cosines"));
  Formula about;
  if (frame.axis) {
    about = words(kTurnAxes[at(*frame.axis)]);
  } else {
    std::vector<Formula> components;
    for (const Expr& c : frame.rotation_axis) components.push_back(write.value(c));
    about = in_parentheses(listed(components));
  }
  return joined(write.value(frame.angle), about);
}

}  // namespace kane
