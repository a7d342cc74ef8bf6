#include "kane/mechanics/dynamics.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/flexible.hpp"
#include "kane/mechanics/projection_method.hpp"

namespace kane {

ExprMatrix form_mass_matrix(Kinematics& k, const std::vector<InertiaElement>& elements,
                            const std::vector<int>& columns) {
  // A column that moves few elements is the cheaper one to form a pair with.
  std::vector<int> reach(at(k.model().column_count), 0);
  for (const InertiaElement& e : elements) {
    if (e.translates) {
      for (const PartialVelocity& p : k.point(e.point).partials) ++reach[at(p.column)];
    }
    if (e.rotates) {
      for (const PartialVelocity& p : k.frame(e.frame, e.basis).partials) ++reach[at(p.column)];
    }
  }
  const std::vector<DeformingInertia> flexible = form_deforming_inertias(k.system());
  for (const DeformingInertia& e : flexible) {
    for (const int c : columns) reach[at(c)] += moves(k, e, c) ? 1 : 0;
  }
  const int n = static_cast<int>(columns.size());
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return reach[at(columns[at(a)])] < reach[at(columns[at(b)])]; });

  ExprMatrix M(n, n);
  std::vector<bool> wanted(at(k.model().column_count), false);
  for (const int c : columns) wanted[at(c)] = true;
  std::vector<int> ordered;
  for (const int i : order) ordered.push_back(columns[at(i)]);
  const Projection::Method method = choose_for_mass_matrix(k, elements, ordered, wanted);
  for (const int s : order) {
    const int column = columns[at(s)];
    Projection projection(k, method);
    for (const InertiaElement& e : elements) {
      if (e.translates) projection.add_force(e.point, e.mass, k.point(e.point).partial(column));
      if (!e.rotates) continue;
      const Expr3 w = k.frame(e.frame, e.basis).partial(column);
      if (!is_zero(w)) projection.add_torque(e.frame, Vector(e.basis, multiply(e.inertia, w)));
    }
    for (const DeformingInertia& e : flexible) add_momentum(projection, k, e, column);
    const std::vector<Expr> f = projection.project(wanted);
    for (int r = 0; r < n; ++r) {
      const int row = columns[at(r)];
      if (wanted[at(row)]) M(r, s) = M(s, r) = f[at(row)];
    }
    wanted[at(column)] = false;
  }
  return M;
}

std::vector<Expr> form_right_hand_side(Kinematics& k, const std::vector<InertiaElement>& elements,
                                       const std::vector<AppliedLoad>& loads, const std::vector<Expr>& rate_forces,
                                       const std::vector<bool>& wanted) {
  Projection projection(k, choose_for_forces(k, elements, wanted));
  const Vector gravity = total_uniform_gravity(k.system());
  for (const InertiaElement& e : elements) {
    if (e.translates) {
      projection.add_force(e.point, scale(-e.mass, k.point(e.point).acceleration));
    } else if (e.about_fixed_point) {
      projection.add_force(e.point, e.mass * gravity);
    }
    if (!e.rotates) continue;
    const VelocityForm& w = k.frame(e.frame, e.basis);
    const Expr3 torque = add(multiply(e.inertia, w.acceleration), gyroscopic(e.inertia, w.value));
    projection.add_torque(e.frame, Vector(e.basis, negate(torque)));
  }
  for (const DeformingInertia& e : form_deforming_inertias(k.system())) add_inertia_forces(projection, k, e);
  for (const AppliedLoad& load : loads) add_load(projection, k, load);
  for (std::size_t i = 0; i < rate_forces.size(); ++i) projection.add_rate_force(static_cast<int>(i), rate_forces[i]);
  return projection.project(wanted);
}

std::vector<Expr> form_active_forces(Kinematics& k, const std::vector<AppliedLoad>& loads,
                                     const std::vector<Expr>& rate_forces, const std::vector<bool>& wanted) {
  Projection projection(k);
  for (const AppliedLoad& load : loads) add_load(projection, k, load);
  for (std::size_t i = 0; i < rate_forces.size(); ++i) projection.add_rate_force(static_cast<int>(i), rate_forces[i]);
  return projection.project(wanted);
}

}  // namespace kane
