// Energy and momentum, and the matrix C of Parsa.

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/derivation_parts.hpp"
#include "kane/mechanics/flexible.hpp"

namespace kane {

// T = 1/2 sum (m v.v + w.I.w); a body about a fixed point has its inertia about that point.
Expr KaneDerivation::kinetic_energy() {
  Expr twice;
  for (const InertiaElement& e : parts_->elements()) {
    if (e.translates) {
      const Expr3& v = parts_->felt.point(e.point).value;
      twice += e.mass * dot(v, v);
    }
    if (e.rotates) {
      const Expr3& w = parts_->felt.frame(e.frame, e.basis).value;
      twice += dot(w, multiply(e.inertia, w));
    }
  }
  for (const DeformingInertia& e : form_deforming_inertias(parts_->system))
    twice += twice_kinetic_energy(e, motion_of(parts_->felt, e));
  return twice / 2;
}

// Uniform gravity: -m g.p; inverse-square gravity; springs and potentials as stated.
std::optional<Expr> KaneDerivation::potential_energy() {
  const System& s = parts_->system;
  Expr v;
  const Vector g = total_uniform_gravity(s);
  for (const Vector::Term& t : g.terms()) {
    if (t.frame != s.inertial() || !parts_->felt.dependence().constant(t.c)) return std::nullopt;
  }
  if (!g.is_zero()) {
    const Expr3 down = g.in(s.inertial());
    for (const BodyRecord& b : s.bodies()) {
      if (!b.mass) continue;
      const Expr3 p = parts_->bases.express(s.position(b.mass_centre), s.inertial());
      v -= *b.mass * dot(down, p);
    }
  }
  for (const InverseSquareGravity& gravity : s.inverse_square_gravity())
    if (!parts_->felt.point(gravity.centre).at_rest()) return std::nullopt;
  v += form_attraction_energy(s);
  for (const PotentialRecord& p : s.potentials()) v += p.value;
  return v;
}

Expr3 KaneDerivation::linear_momentum() {
  const System& s = parts_->system;
  Expr3 sum;
  for (const BodyRecord& b : s.bodies()) {
    if (!b.mass) continue;
    const VelocityForm& v = parts_->felt.point(b.mass_centre);
    sum = add(sum, scale(*b.mass, parts_->bases.express(v.value, v.basis, s.inertial())));
  }
  return sum;
}

Expr3 KaneDerivation::angular_momentum() {
  const System& s = parts_->system;
  Expr3 sum;
  for (const BodyRecord& b : s.bodies()) {
    if (b.mass) {
      const VelocityForm& v = parts_->felt.point(b.mass_centre);
      const Expr3 p = parts_->bases.express(s.position(b.mass_centre), s.inertial());
      sum = add(sum, scale(*b.mass, cross(p, parts_->bases.express(v.value, v.basis, s.inertial()))));
    }
    if (b.is_particle() || !b.inertia) continue;
    const Expr3 h = multiply(s.frames().express(*b.inertia, b.frame), parts_->felt.frame(b.frame).value);
    sum = add(sum, parts_->bases.express(h, b.frame, s.inertial()));
  }
  for (const DeformingInertia& e : form_deforming_inertias(s)) {
    const Expr3 h = central_spin(e, motion_of(parts_->felt, e));
    sum = add(sum, parts_->bases.express(h, e.spec.frame, s.inertial()));
  }
  return sum;
}

// dT/du_r = sum (m v . v_r + w . I . w_r).
std::vector<Expr> KaneDerivation::generalized_momenta() {
  Projection projection(parts_->felt);
  for (const InertiaElement& e : parts_->elements()) {
    if (e.translates) projection.add_force(e.point, scale(e.mass, parts_->felt.point(e.point).value));
    if (!e.rotates) continue;
    const Expr3& w = parts_->felt.frame(e.frame, e.basis).value;
    projection.add_torque(e.frame, Vector(e.basis, multiply(e.inertia, w)));
  }
  for (const DeformingInertia& e : form_deforming_inertias(parts_->system)) add_momentum(projection, parts_->felt, e);
  std::vector<Expr> p = projection.project(parts_->speed_columns());
  p.resize(parts_->equations.u.size());
  return p;
}

ExprMatrix KaneDerivation::mass_matrix_rate() {
  const ExprMatrix& M = parts_->equations.M;
  ExprMatrix r(M.rows, M.columns);
  for (int i = 0; i < M.rows; ++i) {
    for (int j = i; j < M.columns; ++j) r(i, j) = r(j, i) = parts_->felt.along(M(i, j));
  }
  return r;
}

// C = sum_i J_i^T (M_i J_i' + W_i M_i J_i + M_i W_i J_i)                                                  Parsa (40)
// with J_i the partial velocities of body i, angular ones in the body frame, translational ones in the inertial frame:
//   C_rs = sum m v_r . v_s' + w_r . (I w_s' + w x (I w_s) + I (w x w_s)).
ExprMatrix KaneDerivation::parsa_matrix() {
  const System& s = parts_->system;
  Kinematics& k = parts_->felt;
  const int n = parts_->equations.speed_count();
  require(s.flexible_bodies().empty(), "the matrix C is known for rigid bodies; {} is flexible",
          s.flexible_bodies().empty() ? "" : s.body(s.flexible_bodies().front().body).name);
  ExprMatrix C(n, n);
  for (const BodyRecord& b : s.bodies()) {
    if (b.mass) {
      const VelocityForm& v = k.point(b.mass_centre);
      std::vector<Expr3> J(at(n));
      for (const PartialVelocity& p : v.partials) {
        if (p.column < n) J[at(p.column)] = parts_->bases.express(p.c, v.basis, s.inertial());
      }
      for (int j = 0; j < n; ++j) {
        const Expr3 rate = k.along(J[at(j)]);
        for (int i = 0; i < n; ++i) C(i, j) += *b.mass * dot(J[at(i)], rate);
      }
    }
    if (b.is_particle() || !b.inertia) continue;
    const Expr33 I = s.frames().express(*b.inertia, b.frame);
    const VelocityForm& w = k.frame(b.frame);
    for (int j = 0; j < n; ++j) {
      const Expr3 ws = w.partial(j);
      const Expr3 inner = add(k.along(ws), cross(w.value, ws));
      const Expr3 column = add(multiply(I, inner), cross(w.value, multiply(I, ws)));
      if (is_zero(column)) continue;
      for (int i = 0; i < n; ++i) C(i, j) += dot(w.partial(i), column);
    }
  }
  return C;
}

}  // namespace kane
