#pragma once
// Vectors and inertias of links, and how they pass from one link's frame to the next.

#include <array>
#include <vector>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/vector.hpp"

namespace kane {

/// A symmetric 3 x 3 array.
struct Symmetric3 {
  Expr xx, yy, zz, xy, xz, yz;

  Symmetric3& operator+=(const Symmetric3& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  [[nodiscard]] Expr33 full() const { return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}; }
  friend Expr3 operator*(const Symmetric3& s, const Expr3& v) { return multiply(s.full(), v); }
};

[[nodiscard]] inline Symmetric3 symmetric(const Expr33& a) {
  return {a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]};
}

/// A rotation about a basis vector: components in the rotated frame times this give components in the first frame.
struct PlanarRotation {
  Axis axis = Axis::Z;
  Expr c = 1, s = 0;
};

/// The rotation from a link's frame to its parent's: planar rotations one after the other (parent = r[0] r[1] ... link),
/// or, where nothing better is known, a full matrix in their middle.
struct LinkRotation {
  std::vector<PlanarRotation> before;  ///< parent side
  std::vector<Expr33> matrix;          ///< none or one
  std::vector<PlanarRotation> after;   ///< link side

  [[nodiscard]] Expr3 to_parent(Expr3 v) const;
  [[nodiscard]] Expr3 to_link(Expr3 v) const;
  [[nodiscard]] Symmetric3 to_parent(Symmetric3 s) const;
  [[nodiscard]] Expr33 to_parent(Expr33 a) const;  ///< R a R^T
  [[nodiscard]] Expr33 matrix_to_parent() const;
};

/// Mass, first moment and second moments of a body about the origin of a frame: linear in the mass distribution, so
/// that parts can be moved from one body to another.
struct InertialParameters {
  Expr m;
  Expr3 h{};       ///< mass times position of the mass centre
  Symmetric3 I{};  ///< inertia about the origin

  InertialParameters& operator+=(const InertialParameters& b) {
    m += b.m, I += b.I;
    h = add(h, b.h);
    return *this;
  }
};

/// The same parameters about a point p of the body away: of the point whose position from the new origin is p.
/// I' = I + 2 (p.h) E - p h^T - h p^T + m ((p.p) E - p p^T), h' = h + m p.
[[nodiscard]] InertialParameters shift(const InertialParameters& a, const Expr3& p);
[[nodiscard]] InertialParameters rotate(const InertialParameters& a, const LinkRotation& r);
/// The parameters of a body with central inertia `central` and mass centre at c.
[[nodiscard]] InertialParameters about_origin(const Expr& m, const Expr3& c, const Expr33& central);

}  // namespace kane
