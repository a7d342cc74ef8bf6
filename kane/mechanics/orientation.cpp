#include "kane/mechanics/orientation.hpp"

#include <fmt/format.h>

#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

std::optional<Axis> find_axis(char c) {
  switch (c) {
    case '1':
    case 'x':
    case 'X': return Axis::X;
    case '2':
    case 'y':
    case 'Y': return Axis::Y;
    case '3':
    case 'z':
    case 'Z': return Axis::Z;
    default: return std::nullopt;
  }
}

}  // namespace

RotationSequence rotation_sequence(std::string_view name, const Expr3& angles) {
  RotationSequence r;
  r.angles = angles;
  std::string_view rest = name;
  const auto starts = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '-' || rest.front() == '_')) rest.remove_prefix(1);
    return true;
  };
  const bool known = starts("body") || (r.space = starts("space"));
  bool good = known && rest.size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    const auto axis = find_axis(rest[i]);
    good = axis.has_value() && (i == 0 || r.axes[i - 1] != *axis);
    if (good) r.axes[i] = *axis;
  }
  require(
      good,
      "'{}' is not a rotation sequence; write 'body' or 'space' and three axes of which no two neighbours are equal, "
      "e.g. 'body 123' or 'space 313'",
      name);
  return r;
}

std::string to_string(const RotationSequence& s) {
  return fmt::format("{} {}{}{}", s.space ? "space" : "body", index(s.axes[0]) + 1, index(s.axes[1]) + 1,
                     index(s.axes[2]) + 1);
}

Expr33 simple_rotation_matrix(Axis axis, const Expr& angle) {
  const std::size_t i = index(axis);
  const std::size_t j = (i + 1) % 3;
  const std::size_t k = (i + 2) % 3;
  Expr33 r;
  r[i][i] = 1;
  r[j][j] = r[k][k] = cos(angle);
  r[k][j] = sin(angle);
  r[j][k] = -r[k][j];
  return r;
}

// Rodrigues' formula: R = c 1 + s [k x] + (1 - c) k k.
Expr33 axis_rotation_matrix(const Expr3& k, const Expr& angle) {
  const Expr c = cos(angle);
  const Expr s = sin(angle);
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t l = (i + 2) % 3;
    r[i][i] = c + (1 - c) * (k[i] * k[i]);
    const Expr both = (1 - c) * (k[i] * k[j]);
    r[i][j] = both - s * k[l];
    r[j][i] = both + s * k[l];
  }
  return r;
}

Expr33 euler_parameter_matrix(const std::array<Expr, 4>& e) {
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    r[i][i] = 1 - 2 * (e[j] * e[j] + e[k] * e[k]);
    r[i][j] = 2 * (e[i] * e[j] - e[k] * e[3]);
    r[j][i] = 2 * (e[i] * e[j] + e[k] * e[3]);
  }
  return r;
}

// R = ((1 - rho.rho) 1 + 2 rho rho + 2 [rho x]) / (1 + rho.rho)
Expr33 rodrigues_matrix(const Expr3& rho) {
  const Expr square = dot(rho, rho);
  const Expr factor = 2 / (1 + square);
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    r[i][i] = 1 - factor * (rho[j] * rho[j] + rho[k] * rho[k]);
    r[i][j] = factor * (rho[i] * rho[j] - rho[k]);
    r[j][i] = factor * (rho[i] * rho[j] + rho[k]);
  }
  return r;
}

// e' = 1/2 (e4 w + e x w), e4' = -1/2 e . w, components of w in the child (Parsa eq. B-18).
std::array<Expr, 4> euler_parameter_rates(const std::array<Expr, 4>& e, const Expr3& w) {
  const Expr half = Expr(1) / 2;
  const Expr3 v{e[0], e[1], e[2]};
  const Expr3 rate = scale(half, add(scale(e[3], w), cross(v, w)));
  return {rate[0], rate[1], rate[2], -(half * dot(v, w))};
}

// rho' = 1/2 (w + rho x w + rho (rho . w)), components of w in the child.
Expr3 rodrigues_rates(const Expr3& rho, const Expr3& w) {
  return scale(Expr(1) / 2, add(add(w, cross(rho, w)), scale(dot(rho, w), rho)));
}

}  // namespace kane
