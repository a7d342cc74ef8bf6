#include "kane/mechanism/tree_algebra.hpp"

namespace kane {

namespace {

struct Plane {
  std::size_t i, j, k;  ///< the rotation turns i towards j and leaves k
};

Plane plane(Axis axis) {
  switch (axis) {
    case Axis::X: return {1, 2, 0};
    case Axis::Y: return {2, 0, 1};
    default: return {0, 1, 2};
  }
}

Expr3 turn(const PlanarRotation& r, Expr3 v) {
  const auto [i, j, k] = plane(r.axis);
  const Expr vi = v[i], vj = v[j];
  v[i] = r.c * vi - r.s * vj;
  v[j] = r.s * vi + r.c * vj;
  return v;
}

Expr3 turn_back(const PlanarRotation& r, const Expr3& v) { return turn({r.axis, r.c, -r.s}, v); }

Expr& entry(Symmetric3& s, std::size_t i, std::size_t j) {
  if (i == j) return i == 0 ? s.xx : i == 1 ? s.yy : s.zz;
  return i + j == 1 ? s.xy : i + j == 2 ? s.xz : s.yz;
}

/// R S R^T with w = s (Sii - Sjj) + 2 c Sij: Sii' = Sii - s w, Sjj' = Sjj + s w, Sij' = c w - Sij.
Symmetric3 turn(const PlanarRotation& r, Symmetric3 a) {
  const auto [i, j, k] = plane(r.axis);
  Expr &ii = entry(a, i, i), &jj = entry(a, j, j), &ij = entry(a, i, j), &ik = entry(a, i, k), &jk = entry(a, j, k);
  const Expr w = r.s * (ii - jj) + 2 * r.c * ij;
  const Expr sw = r.s * w;
  ii -= sw;
  jj += sw;
  ij = r.c * w - ij;
  const Expr k_i = ik;
  ik = r.c * k_i - r.s * jk;
  jk = r.s * k_i + r.c * jk;
  return a;
}

/// Columns of a are vectors.
Expr33 turn_columns(const PlanarRotation& r, const Expr33& a) {
  const Expr33 t = transpose(a);
  return transpose(Expr33{turn(r, t[0]), turn(r, t[1]), turn(r, t[2])});
}

Expr33 turn(const PlanarRotation& r, const Expr33& a) {
  return transpose(turn_columns(r, transpose(turn_columns(r, a))));
}

}  // namespace

Expr3 LinkRotation::to_parent(Expr3 v) const {
  for (auto r = after.rbegin(); r != after.rend(); ++r) v = turn(*r, v);
  for (const auto& m : matrix) v = multiply(m, v);
  for (auto r = before.rbegin(); r != before.rend(); ++r) v = turn(*r, v);
  return v;
}

Expr3 LinkRotation::to_link(Expr3 v) const {
  for (const auto& r : before) v = turn_back(r, v);
  for (const auto& m : matrix) v = multiply(transpose(m), v);
  for (const auto& r : after) v = turn_back(r, v);
  return v;
}

Symmetric3 LinkRotation::to_parent(Symmetric3 s) const {
  for (auto r = after.rbegin(); r != after.rend(); ++r) s = turn(*r, s);
  for (const auto& m : matrix) s = symmetric(multiply(multiply(m, s.full()), transpose(m)));
  for (auto r = before.rbegin(); r != before.rend(); ++r) s = turn(*r, s);
  return s;
}

Expr33 LinkRotation::to_parent(Expr33 a) const {
  for (auto r = after.rbegin(); r != after.rend(); ++r) a = turn(*r, a);
  for (const auto& m : matrix) a = multiply(multiply(m, a), transpose(m));
  for (auto r = before.rbegin(); r != before.rend(); ++r) a = turn(*r, a);
  return a;
}

Expr33 LinkRotation::matrix_to_parent() const {
  return transpose(Expr33{to_parent(Expr3{1, 0, 0}), to_parent(Expr3{0, 1, 0}), to_parent(Expr3{0, 0, 1})});
}

InertialParameters shift(const InertialParameters& a, const Expr3& p) {
  // With h' = h + m p/2 the two corrections have one form: I' = I + 2 (p.h'') E - p h''^T - h'' p^T, h'' = h + m p/2.
  InertialParameters b = a;
  const Expr3 g = add(a.h, scale(a.m / 2, p));
  const Expr gx = 2 * p[0] * g[0], gy = 2 * p[1] * g[1], gz = 2 * p[2] * g[2];
  b.I.xx += gy + gz;
  b.I.yy += gx + gz;
  b.I.zz += gx + gy;
  b.I.xy -= p[0] * g[1] + p[1] * g[0];
  b.I.xz -= p[0] * g[2] + p[2] * g[0];
  b.I.yz -= p[1] * g[2] + p[2] * g[1];
  b.h = add(a.h, scale(a.m, p));
  return b;
}

InertialParameters rotate(const InertialParameters& a, const LinkRotation& r) {
  return {a.m, r.to_parent(a.h), r.to_parent(a.I)};
}

InertialParameters about_origin(const Expr& m, const Expr3& c, const Expr33& central) {
  InertialParameters a;
  a.m = m;
  a.I = symmetric(central);
  return shift(a, c);
}

}  // namespace kane
