// Recursive formulations over the tree. Notation, all in the frame of link i with parent p:
//   w, wd     angular velocity and acceleration          U = [wd x] + [w x][w x]
//   a         acceleration of the origin (minus gravity)  a_i = R^T (a_p + U_p r) + along the motion
//   h, I, m   first moment, inertia about the origin, mass
//   F = m a + U h                                         inertia force of the link
//   N = I wd + w x I w + h x a                            inertia moment about the origin
// (Luh, Walker and Paul 1980, with U as in Khalil and Kleinfinger 1987).

#include <utility>

#include "kane/base/error.hpp"
#include "kane/mechanism/tree_model.hpp"

namespace kane {

namespace {

/// The motion of a link for given accelerations of the speeds.
struct LinkMotion {
  Expr3 w{}, wd{}, a{};
  Expr33 U{};
};

/// U = [wd x] + w w^T - (w.w) E, with the products of w shared.
Expr33 tangent_operator(const Expr3& w, const Expr3& wd) {
  const Expr xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const Expr xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  return {{{-yy - zz, xy - wd[2], xz + wd[1]}, {xy + wd[2], -xx - zz, yz - wd[0]}, {xz - wd[1], yz + wd[0], -xx - yy}}};
}

constexpr std::size_t kZ = 2;

bool turns_link(MotionKind kind) { return kind == MotionKind::Rotation || kind == MotionKind::Screw; }

/// The motion of link i from that of its parent. `udot` empty: zero accelerations of the speeds.
LinkMotion next_motion(const TreeLink& link, const LinkMotion& p, const std::vector<Expr>& udot) {
  LinkMotion m;
  const auto acceleration = [&](std::size_t k) {
    if (!link.free) return link.known_acceleration;
    return udot.empty() ? Expr() : udot[link.first_dof + k];
  };
  const Expr3 w_p = link.rotation.to_link(p.w);
  m.w = w_p;
  m.wd = link.rotation.to_link(p.wd);
  m.a = link.rotation.to_link(add(p.a, multiply(p.U, link.position)));
  if (link.kind == MotionKind::Ball) {
    m.w = add(w_p, link.ball_rates);
    m.wd = add(m.wd, add(cross(w_p, link.ball_rates), {acceleration(0), acceleration(1), acceleration(2)}));
  } else if (turns_link(link.kind)) {
    m.w[kZ] += link.rate;
    m.wd[0] += w_p[1] * link.rate;
    m.wd[1] -= w_p[0] * link.rate;
    m.wd[kZ] += acceleration(0);
  }
  if (link.kind == MotionKind::Translation || link.kind == MotionKind::Screw) {
    // 2 w x (z rate) + z acceleration; for a screw w along z does not matter.
    const Expr factor = link.kind == MotionKind::Screw ? link.pitch : Expr(1);
    const Expr twice = 2 * factor * link.rate;
    m.a[0] += w_p[1] * twice;
    m.a[1] -= w_p[0] * twice;
    m.a[kZ] += factor * acceleration(0);
  }
  m.U = tangent_operator(m.w, m.wd);
  return m;
}

struct Wrench {
  Expr3 f{}, n{};
};

/// Inertia force and moment of a link, minus the external loads on it.
Wrench link_wrench(const TreeLink& link, const LinkMotion& m) {
  const auto& [mass, h, I] = link.inertia;
  Wrench wrench;
  wrench.f = add(scale(mass, m.a), multiply(m.U, h));
  wrench.n = add(add(I * m.wd, gyroscopic(I.full(), m.w)), cross(h, m.a));
  wrench.f = subtract(wrench.f, link.force);
  wrench.n = subtract(wrench.n, link.torque);
  return wrench;
}

/// Wrenches of all links. Each is formed together with the motion of its link: expressions that are formed together are computed
/// together, and the motion need not be kept.
std::vector<Wrench> form_wrenches(const TreeModel& tree, const std::vector<Expr>& udot) {
  std::vector<LinkMotion> motions;
  std::vector<Wrench> wrenches;
  LinkMotion ground;
  ground.a = tree.base_acceleration;
  for (const auto& link : tree.links) {
    motions.push_back(next_motion(link, link.parent ? motions[*link.parent] : ground, udot));
    wrenches.push_back(link_wrench(link, motions.back()));
  }
  return wrenches;
}

/// Adds the wrench at the origin of `link` to that of its parent: f rotated, n with the lever arm.
void pass_to_parent(const TreeLink& link, const Wrench& wrench, Wrench& parent) {
  const Expr3 f = link.rotation.to_parent(wrench.f);
  parent.f = add(parent.f, f);
  parent.n = add(parent.n, add(link.rotation.to_parent(wrench.n), cross(link.position, f)));
}

/// Component of a wrench along the k-th speed of a link.
Expr along(const TreeLink& link, std::size_t k, const Wrench& wrench) {
  switch (link.kind) {
    case MotionKind::Rotation: return wrench.n[kZ];
    case MotionKind::Translation: return wrench.f[kZ];
    case MotionKind::Screw: return wrench.n[kZ] + link.pitch * wrench.f[kZ];
    default: return wrench.n[k];
  }
}

/// Acceleration of a link's frame for a unit acceleration of its k-th speed.
void unit_motion(const TreeLink& link, std::size_t k, Expr3& alpha, Expr3& a) {
  if (link.kind == MotionKind::Ball) alpha[k] = 1;
  if (turns_link(link.kind)) alpha[kZ] = 1;
  if (link.kind == MotionKind::Translation) a[kZ] = 1;
  if (link.kind == MotionKind::Screw) a[kZ] = link.pitch;
}

}  // namespace

std::vector<Expr> form_inverse_dynamics(const TreeModel& tree, const std::vector<Expr>& udot) {
  std::vector<Wrench> wrenches = form_wrenches(tree, udot);
  std::vector<Expr> forces(tree.dof_count());
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const auto& link = tree.links[i];
    for (std::size_t k = 0; k < link.dof_count; ++k) forces[link.first_dof + k] = along(link, k, wrenches[i]);
    if (link.parent) pass_to_parent(link, wrenches[i], wrenches[*link.parent]);
  }
  return forces;
}

std::vector<Expr> form_bias(const TreeModel& tree) { return form_inverse_dynamics(tree, {}); }

// F_r of everything that acts: the recursion of inverse dynamics with nothing moving, where only gravity accelerates.
std::vector<Expr> form_active_forces(const TreeModel& tree) {
  std::vector<Expr3> accelerations;
  std::vector<Wrench> wrenches;
  for (const auto& link : tree.links) {
    accelerations.push_back(link.rotation.to_link(link.parent ? accelerations[*link.parent] : tree.base_acceleration));
    const Expr3& a = accelerations.back();
    const auto& [mass, h, I] = link.inertia;
    wrenches.push_back({subtract(link.force, scale(mass, a)), subtract(link.torque, cross(h, a))});
  }
  std::vector<Expr> forces = tree.tau;
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const auto& link = tree.links[i];
    for (std::size_t k = 0; k < link.dof_count; ++k) forces[link.first_dof + k] += along(link, k, wrenches[i]);
    if (link.parent) pass_to_parent(link, wrenches[i], wrenches[*link.parent]);
  }
  return forces;
}

// ---- composite bodies (Walker and Orin 1982) ---------------------------------------------------------------------------

ExprMatrix form_mass_matrix(const TreeModel& tree) {
  ExprMatrix M(tree.dof_count(), tree.dof_count());
  std::vector<InertialParameters> composite;
  for (const auto& link : tree.links) composite.push_back(link.inertia);
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const auto& link = tree.links[i];
    for (std::size_t k = 0; k < link.dof_count; ++k) {
      // Inertia wrench of the composite body for a unit acceleration of speed k, passed down to the ground.
      const auto& [m, h, I] = composite[i];
      Expr3 alpha{}, a{};
      unit_motion(link, k, alpha, a);
      Wrench wrench{add(scale(m, a), cross(alpha, h)), add(I * alpha, cross(h, a))};
      const std::size_t row = link.first_dof + k;
      // Speeds of the same link up to k, then of the links below it.
      for (std::size_t j = 0; j <= k; ++j)
        M(row, link.first_dof + j) = M(link.first_dof + j, row) = along(link, j, wrench);
      for (const TreeLink* at = &link; at->parent;) {
        Wrench below;
        pass_to_parent(*at, wrench, below);
        wrench = below;
        at = &tree.links[*at->parent];
        for (std::size_t j = 0; j < at->dof_count; ++j)
          M(row, at->first_dof + j) = M(at->first_dof + j, row) = along(*at, j, wrench);
      }
    }
    if (link.parent) composite[*link.parent] += shift(rotate(composite[i], link.rotation), link.position);
  }
  return M;
}

namespace {

/// 1 / pivot, the inertia that resists a degree of freedom when those after it yield.
Expr invert_pivot(const TreeModel& tree, std::size_t dof, const Expr& pivot) {
  const auto link = std::find_if(tree.links.begin(), tree.links.end(), [&](const TreeLink& l) {
    return l.dof_count > 0 && l.first_dof <= dof && dof < l.first_dof + l.dof_count;
  });
  require(!pivot.is_zero(),
          "nothing that has mass moves with the joint '{}'; give a mass or an inertia to a body that it moves",
          link == tree.links.end() ? "?" : link->name);
  return 1 / pivot;
}

}  // namespace

std::vector<Expr> solve_branch_sparse(const TreeModel& tree, ExprMatrix M, std::vector<Expr> b) {
  const std::size_t n = tree.dof_count();
  const auto& before = tree.dof_parent;
  std::vector<Expr> inverse(n);
  for (std::size_t k = n; k-- > 0;) {
    inverse[k] = invert_pivot(tree, k, M(k, k));
    for (auto i = before[k]; i; i = before[*i]) {
      const Expr a = M(k, *i) * inverse[k];
      for (auto j = i; j; j = before[*j]) M(*i, *j) -= a * M(k, *j);
      M(k, *i) = a;
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (auto i = before[k]; i; i = before[*i]) b[*i] -= M(k, *i) * b[k];
  for (std::size_t k = 0; k < n; ++k) {
    b[k] *= inverse[k];
    for (auto i = before[k]; i; i = before[*i]) b[k] -= M(k, *i) * b[*i];
  }
  return b;
}

// ---- articulated bodies (Featherstone 1983) -----------------------------------------------------------------------------

namespace {

/// Articulated inertia about a link's origin: n = I alpha + H a, f = H^T alpha + M a.
struct ArticulatedInertia {
  Symmetric3 I{};
  Expr33 H{};
  Symmetric3 M{};
};

ArticulatedInertia articulated(const InertialParameters& p) {
  const auto& [m, h, I] = p;
  return {I, {{{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}}}, {m, m, m, 0, 0, 0}};
}

/// n = I alpha + H a, f = H^T alpha + M a.
Wrench apply(const ArticulatedInertia& A, const Expr3& alpha, const Expr3& a) {
  return {add(multiply(transpose(A.H), alpha), A.M * a), add(A.I * alpha, multiply(A.H, a))};
}

Symmetric3 minus_outer(Symmetric3 s, const Expr3& x, const Expr3& y) {
  s.xx -= x[0] * y[0], s.yy -= x[1] * y[1], s.zz -= x[2] * y[2];
  s.xy -= x[0] * y[1], s.xz -= x[0] * y[2], s.yz -= x[1] * y[2];
  return s;
}

/// Expressed in the parent's frame about the parent's origin: with r the position, P = [r x],
/// I' = I + P H^T + (P H^T)^T - P M P, H' = H + P M.
ArticulatedInertia to_parent(const TreeLink& link, const ArticulatedInertia& A) {
  ArticulatedInertia B{link.rotation.to_parent(A.I), link.rotation.to_parent(A.H), link.rotation.to_parent(A.M)};
  const Expr3& r = link.position;
  if (is_zero(r)) return B;
  // Columns of P X are r x (columns of X). Q = H + P M / 2 makes the correction of I one symmetric product.
  const auto cross_columns = [&](const Expr33& x) {
    const Expr33 t = transpose(x);
    return transpose(Expr33{cross(r, t[0]), cross(r, t[1]), cross(r, t[2])});
  };
  const Expr33 PM = cross_columns(B.M.full());
  Expr33 half = B.H;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) half[i][j] += PM[i][j] / 2;
  const Expr33 PQ = cross_columns(transpose(half));  // P (H + P M/2)^T
  B.I.xx += 2 * PQ[0][0], B.I.yy += 2 * PQ[1][1], B.I.zz += 2 * PQ[2][2];
  B.I.xy += PQ[0][1] + PQ[1][0], B.I.xz += PQ[0][2] + PQ[2][0], B.I.yz += PQ[1][2] + PQ[2][1];
  B.H = add(B.H, PM);
  return B;
}

/// Results that the second sweep needs for one speed: x = (reduced force) / D, and the column of inertia for the acceleration of
/// the rest.
struct Elimination {
  Wrench column;  // inertia times unit acceleration along the speed
  Expr inverse;   // 1 / D
  Expr x;         // u / D
};

}  // namespace

std::vector<Expr> form_articulated(const TreeModel& tree) {
  // Reference motion: zero accelerations of the speeds. What is left to find, M udot = tau - bias, has no velocities in it.
  std::vector<Wrench> p = form_wrenches(tree, {});
  std::vector<ArticulatedInertia> A;
  for (const auto& link : tree.links) A.push_back(articulated(link.inertia));
  std::vector<Elimination> eliminations(tree.dof_count());
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const auto& link = tree.links[i];
    for (std::size_t k = link.dof_count; k-- > 0;) {
      const std::size_t dof = link.first_dof + k;
      auto& e = eliminations[dof];
      Expr3 alpha{}, a{};
      unit_motion(link, k, alpha, a);
      e.column = apply(A[i], alpha, a);
      e.inverse = invert_pivot(tree, dof, along(link, k, e.column));
      e.x = (tree.tau[dof] - along(link, k, p[i])) * e.inverse;
      if (!link.parent && k == 0) continue;  // nothing below needs the rest
      const Wrench scaled{scale(e.inverse, e.column.f), scale(e.inverse, e.column.n)};
      A[i].I = minus_outer(A[i].I, e.column.n, scaled.n);
      A[i].M = minus_outer(A[i].M, e.column.f, scaled.f);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) A[i].H[r][c] -= e.column.n[r] * scaled.f[c];
      p[i].f = add(p[i].f, scale(e.x, e.column.f));
      p[i].n = add(p[i].n, scale(e.x, e.column.n));
    }
    if (!link.parent) continue;
    const std::size_t parent = *link.parent;
    pass_to_parent(link, p[i], p[parent]);
    const ArticulatedInertia B = to_parent(link, A[i]);
    A[parent].I += B.I;
    A[parent].H = add(A[parent].H, B.H);
    A[parent].M += B.M;
  }
  // Outward: accelerations beyond the reference motion.
  std::vector<Expr> udot(eliminations.size());
  std::vector<Expr3> alphas(tree.links.size()), as(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const auto& link = tree.links[i];
    Expr3 alpha{}, a{};
    if (link.parent) {
      const std::size_t parent = *link.parent;
      alpha = link.rotation.to_link(alphas[parent]);
      a = link.rotation.to_link(add(as[parent], cross(alphas[parent], link.position)));
    }
    for (std::size_t k = 0; k < link.dof_count; ++k) {
      const std::size_t dof = link.first_dof + k;
      const auto& e = eliminations[dof];
      if (link.kind == MotionKind::Screw) {
        udot[dof] = e.x - (dot(e.column.n, alpha) + dot(e.column.f, a)) * e.inverse;
        alpha[kZ] += udot[dof];
        a[kZ] += link.pitch * udot[dof];
        continue;
      }
      // The acceleration along the speed is that of the parent plus udot, and D of it cancels D in the column.
      Expr& along_speed = link.kind == MotionKind::Translation ? a[kZ]
                          : link.kind == MotionKind::Ball      ? alpha[k]
                                                               : alpha[kZ];
      const Expr of_parent = std::exchange(along_speed, Expr());
      along_speed = e.x - (dot(e.column.n, alpha) + dot(e.column.f, a)) * e.inverse;
      udot[dof] = along_speed - of_parent;
    }
    alphas[i] = alpha, as[i] = a;
  }
  return udot;
}

// ---- base parameters ----------------------------------------------------------------------------------------------------

void regroup_inertia(TreeModel& tree) {
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    auto& link = tree.links[i];
    auto& [m, h, I] = link.inertia;
    InertialParameters moved;
    switch (link.kind) {
      case MotionKind::Rotation:
        // A mass on the axis with equal moments about x and y and none about z has the same energy whether it turns
        // with the link or not.
        moved.m = m, moved.h = {0, 0, h[2]};
        moved.I.xx = moved.I.yy = I.yy;
        I.xx -= I.yy;
        I.yy = 0, m = 0, h[2] = 0;
        break;
      case MotionKind::Translation:
        // The link turns as its parent does: moments of inertia about the origin act through the angular velocity only.
        moved.I = I;
        I = {};
        break;
      case MotionKind::Ball:
        moved.m = m;
        m = 0;
        break;
      case MotionKind::Screw: continue;
    }
    if (!link.parent) continue;  // a part of the ground does not move
    tree.links[*link.parent].inertia += link.kind == MotionKind::Translation
                                            ? rotate(moved, link.rotation)
                                            : shift(rotate(moved, link.rotation), link.position);
  }
}

}  // namespace kane
