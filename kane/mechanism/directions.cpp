#include "kane/mechanism/directions.hpp"

#include <cmath>

#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

/// The basis vector that is least along `a`.
std::size_t least_component(const Expr3& a, const Mechanism& mechanism) {
  std::size_t least = 0;
  double size = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    const double x = std::abs(initial_value(a[k], mechanism));
    if (size < 0 || x < size) least = k, size = x;
  }
  return least;
}

Expr3 basis(std::size_t k) {
  Expr3 e;
  e[k] = 1;
  return e;
}

/// The only component that is not zero, if that is a number.
std::optional<std::size_t> find_only_component(const Expr3& a) {
  for (std::size_t k = 0; k < 3; ++k)
    if (a[k].is_number() && !a[k].is_zero() && a[(k + 1) % 3].is_zero() && a[(k + 2) % 3].is_zero()) return k;
  return std::nullopt;
}

}  // namespace

double initial_value(const Expr& e, const Mechanism& mechanism) {
  if (e.is_number()) return to_double(e.number());
  Values values = parameter_values(mechanism);
  for (const Expr& s : symbols_of({&e, 1})) values.emplace(s.name(), 0.0);
  for (const auto* start : {&mechanism.guess, &mechanism.initial})
    for (const auto& [name, value] : *start) values[name] = value;
  return evaluate(e, values, table_functions(mechanism));
}

bool is_constant(const Expr& e, const System& system) {
  if (e.graph() == nullptr) return true;
  for (const Expr& s : symbols_of({&e, 1}))
    if (system.find_kind(s.name()) != SymbolKind::Parameter) return false;
  return true;
}

std::pair<Expr3, Expr3> across(const Expr3& a, const Mechanism& mechanism) {
  if (const auto k = find_only_component(a)) {
    const Expr3 b = basis((*k + 1) % 3);
    return {b, cross(a, b)};
  }
  const Expr3 normal = cross(a, basis(least_component(a, mechanism)));
  const Expr3 b = scale(1 / sqrt(mechanism.graph->bind(dot(normal, normal))), normal);
  return {b, cross(a, b)};
}

std::pair<Vector, Vector> across(const Vector& v, const Mechanism& mechanism, const System& system) {
  require(!v.is_zero(), "a direction is the zero vector");
  const FrameId frame = v.terms().front().frame;
  const Expr3 a = system.frames().express(unit_along(system, v), frame);
  const auto [first, second] = across(a, mechanism);
  return {Vector(frame, first), Vector(frame, second)};
}

}  // namespace kane
