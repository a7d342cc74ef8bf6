// Recursive formulations over the tree. Notation, all in the frame of link i with parent p:
//   w, wd     angular velocity and acceleration          U = [wd x] + [w x][w x]
//   a         acceleration of the origin (minus gravity)  a_i = R^T (a_p + U_p r) + along the motion
//   h, I, m   first moment, inertia about the origin, mass
//   F = m a + U h                                         inertia force of the link
//   N = I wd + w x I w + h x a                            inertia moment about the origin
// A flexible link has its modes as degrees of freedom; their inertia is F, T, Q of mechanics/flexible.hpp. What hangs on one
// of its sections pushes it with f and n there, and its modes with r_i . f + g_i . n (TreeSection).
// (Luh, Walker and Paul 1980, with U as in Khalil and Kleinfinger 1987).

#include <algorithm>
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

/// sum of factors_i vectors_i.
Expr3 sum_of(const Expr* factors, const std::vector<Expr3>& vectors) {
  Expr3 sum;
  for (std::size_t i = 0; i < vectors.size(); ++i) sum = add(sum, scale(factors[i], vectors[i]));
  return sum;
}

/// The motion of a section; `modal` are the accelerations of the modes, or none.
LinkMotion section_motion(const TreeLink& link, const LinkMotion& p, const Expr* modal) {
  const TreeSection& s = *link.section;
  Expr3 wd = add(p.wd, add(cross(p.w, s.spin), s.d));
  Expr3 a = add(add(p.a, multiply(p.U, link.position)), add(scale(2, cross(p.w, s.slide)), s.b));
  if (modal != nullptr) {
    wd = add(wd, sum_of(modal, s.g));
    a = add(a, sum_of(modal, s.r));
  }
  LinkMotion m;
  m.w = link.rotation.to_link(add(p.w, s.spin));
  m.wd = link.rotation.to_link(wd);
  m.a = link.rotation.to_link(a);
  m.U = tangent_operator(m.w, m.wd);
  return m;
}

/// The motion of link i from that of its parent. `udot` empty: zero accelerations of the speeds; `modal` are those of the
/// modes of its parent.
LinkMotion next_motion(const TreeLink& link, const LinkMotion& p, const std::vector<Expr>& udot, const Expr* modal) {
  if (link.section) return section_motion(link, p, modal);
  LinkMotion m;
  const auto acceleration = [&](std::size_t k) {
    if (!link.free) return link.known_acceleration;  // zero for a flexible link
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
  std::vector<Expr> modal{};  ///< of a flexible link: forces of its modes; empty: none
};

void add_modal(Wrench& w, const std::vector<Expr>& forces) {
  w.modal.resize(std::max(w.modal.size(), forces.size()));
  for (std::size_t i = 0; i < forces.size(); ++i) w.modal[i] += forces[i];
}

/// The forces of modes that belong to a wrench at a section, in components of the flexible link.
std::vector<Expr> modal_forces(const TreeSection& s, const Expr3& f, const Expr3& n) {
  std::vector<Expr> forces;
  for (std::size_t i = 0; i < s.r.size(); ++i) forces.push_back(dot(s.r[i], f) + dot(s.g[i], n));
  return forces;
}

/// Inertia force and moment of a link, minus the external loads on it.
Wrench link_wrench(const TreeLink& link, const LinkMotion& m, const std::vector<Expr>& udot) {
  const auto& [mass, h, I] = link.inertia;
  Wrench wrench;
  wrench.f = add(scale(mass, m.a), multiply(m.U, h));
  wrench.n = add(add(I * m.wd, gyroscopic(I.full(), m.w)), cross(h, m.a));
  wrench.f = subtract(wrench.f, link.force);
  wrench.n = subtract(wrench.n, link.torque);
  if (!link.modes) return wrench;
  DeformingMotion deforming{{}, m.a, m.w, m.wd, link.modal_rates, std::vector<Expr>(link.dof_count)};
  for (std::size_t k = 0; k < link.dof_count && !udot.empty(); ++k) deforming.second[k] = udot[link.first_dof + k];
  const DeformingForces flexible = inertia_forces(*link.modes, deforming);
  wrench.f = add(wrench.f, flexible.force);
  wrench.n = add(wrench.n, flexible.torque);
  wrench.modal = flexible.modal;
  return wrench;
}

/// The accelerations of the modes of a flexible link; none if all are zero.
const Expr* modal_accelerations(const TreeModel& tree, const TreeLink& link, const std::vector<Expr>& udot) {
  if (!link.section || udot.empty()) return nullptr;
  return &udot[tree.links[*link.parent].first_dof];
}

/// Wrenches of all links. Each is formed together with the motion of its link: expressions that are formed together are computed
/// together, and the motion need not be kept.
std::vector<Wrench> form_wrenches(const TreeModel& tree, const std::vector<Expr>& udot) {
  std::vector<LinkMotion> motions;
  std::vector<Wrench> wrenches;
  LinkMotion ground;
  ground.a = tree.base_acceleration;
  for (const auto& link : tree.links) {
    const LinkMotion& before = link.parent ? motions[*link.parent] : ground;
    motions.push_back(next_motion(link, before, udot, modal_accelerations(tree, link, udot)));
    wrenches.push_back(link_wrench(link, motions.back(), udot));
  }
  return wrenches;
}

/// Adds the wrench at the origin of `link` to that of its parent: f rotated, n with the lever arm.
void pass_to_parent(const TreeLink& link, const Wrench& wrench, Wrench& parent) {
  const Expr3 f = link.rotation.to_parent(wrench.f);
  const Expr3 n = link.rotation.to_parent(wrench.n);
  parent.f = add(parent.f, f);
  parent.n = add(parent.n, add(n, cross(link.position, f)));
  if (link.section) add_modal(parent, modal_forces(*link.section, f, n));
}

/// Component of a wrench along the k-th speed of a link.
Expr along(const TreeLink& link, std::size_t k, const Wrench& wrench) {
  if (link.modes) return k < wrench.modal.size() ? wrench.modal[k] : Expr();
  switch (link.kind) {
    case MotionKind::Rotation: return wrench.n[kZ];
    case MotionKind::Translation: return wrench.f[kZ];
    case MotionKind::Screw: return wrench.n[kZ] + link.pitch * wrench.f[kZ];
    default: return wrench.n[k];
  }
}

/// Acceleration of a link's frame for a unit acceleration of its k-th speed.
void unit_motion(const TreeLink& link, std::size_t k, Expr3& alpha, Expr3& a) {
  if (link.modes) return;
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

namespace {

/// The weight of what modes move, as an acceleration a of everything.
void add_weight(const DeformingInertia& modes, const Expr3& a, Wrench& wrench) {
  const Expr3& c = modes.spec.first_moment;
  wrench.n = subtract(wrench.n, cross(c, a));
  std::vector<Expr> forces;
  for (const Expr3& P : modes.P) forces.push_back(-dot(P, a));
  add_modal(wrench, forces);
}

}  // namespace

// F_r of everything that acts: the recursion of inverse dynamics with nothing moving, where only gravity accelerates.
std::vector<Expr> form_active_forces(const TreeModel& tree) {
  std::vector<Expr3> accelerations;
  std::vector<Wrench> wrenches;
  for (const auto& link : tree.links) {
    accelerations.push_back(link.rotation.to_link(link.parent ? accelerations[*link.parent] : tree.base_acceleration));
    const Expr3& a = accelerations.back();
    const auto& [mass, h, I] = link.inertia;
    wrenches.push_back({subtract(link.force, scale(mass, a)), subtract(link.torque, cross(h, a))});
    if (link.modes) add_weight(*link.modes, a, wrenches.back());
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

namespace {

/// Inertia wrench of a composite body for given accelerations of its frame.
Wrench wrench_of(const InertialParameters& body, const Expr3& alpha, const Expr3& a) {
  const auto& [m, h, I] = body;
  return {add(scale(m, a), cross(alpha, h)), add(I * alpha, cross(h, a))};
}

/// What a flexible link and all behind it need for a unit acceleration of mode k: its own inertia, and the composite bodies
/// on its sections, each about the section and in components of the link.
struct CarriedBody {
  const TreeLink* section;
  InertialParameters body;
};
Wrench modal_wrench(const TreeLink& link, std::size_t k, const std::vector<CarriedBody>& carried) {
  const DeformingInertia& e = *link.modes;
  Wrench sum{e.P[k], e.spec.coupling[k]};
  for (std::size_t j = 0; j < e.size(); ++j) sum.modal.push_back(e.spec.modal_mass(j, k));
  for (const auto& [section, body] : carried) {
    const Wrench own = wrench_of(body, section->section->g[k], section->section->r[k]);
    sum.f = add(sum.f, own.f);
    sum.n = add(sum.n, add(own.n, cross(section->position, own.f)));
    add_modal(sum, modal_forces(*section->section, own.f, own.n));
  }
  return sum;
}

}  // namespace

ExprMatrix form_mass_matrix(const TreeModel& tree) {
  ExprMatrix M(tree.dof_count(), tree.dof_count());
  std::vector<InertialParameters> composite;
  std::vector<std::vector<CarriedBody>> carried(tree.links.size());
  for (const auto& link : tree.links) {
    composite.push_back(link.inertia);
    if (!link.modes) continue;
    composite.back().h = add(link.inertia.h, link.modes->spec.first_moment);
    composite.back().I += symmetric(link.modes->spec.inertia);
  }
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const auto& link = tree.links[i];
    for (std::size_t k = 0; k < link.dof_count; ++k) {
      // Inertia wrench of the composite body for a unit acceleration of speed k, passed down to the ground.
      Expr3 alpha{}, a{};
      unit_motion(link, k, alpha, a);
      Wrench wrench = link.modes ? modal_wrench(link, k, carried[i]) : wrench_of(composite[i], alpha, a);
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
    if (!link.parent) continue;
    const InertialParameters turned = rotate(composite[i], link.rotation);
    composite[*link.parent] += shift(turned, link.position);
    if (link.section) carried[*link.parent].push_back({&link, turned});
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

/// Results that the second sweep needs for one speed: x = (reduced force) / D, and the column of inertia for the
/// acceleration of the rest: of the frame, and of the modes before it on the same link.
struct Elimination {
  Wrench column;  // inertia times unit acceleration along the speed
  Expr inverse;   // 1 / D
  Expr x;         // u / D
};

/// The articulated inertia of a flexible link by its modes: the wrench for a unit acceleration of each, with the forces of
/// all modes.
std::vector<Wrench> modal_columns(const TreeLink& link) {
  std::vector<Wrench> columns;
  for (std::size_t k = 0; k < link.dof_count; ++k) columns.push_back(modal_wrench(link, k, {}));
  return columns;
}

/// Adds what hangs on a section; A is about the section, in components of the flexible link.
void add_carried(const TreeLink& link, const ArticulatedInertia& A, std::vector<Wrench>& columns) {
  const TreeSection& s = *link.section;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Wrench own = apply(A, s.g[k], s.r[k]);
    columns[k].f = add(columns[k].f, own.f);
    columns[k].n = add(columns[k].n, add(own.n, cross(link.position, own.f)));
    add_modal(columns[k], modal_forces(s, own.f, own.n));
  }
}

class ArticulatedBodies {
 public:
  explicit ArticulatedBodies(const TreeModel& tree)
      : tree_(tree), p_(form_wrenches(tree, {})), eliminations_(tree.dof_count()), modal_(tree.links.size()) {
    // Reference motion: zero accelerations of the speeds. What is left to find, M udot = tau - bias, has no velocities in it.
    for (const auto& link : tree.links) {
      InertialParameters own = link.inertia;
      if (link.modes) {
        own.h = add(own.h, link.modes->spec.first_moment);
        own.I += symmetric(link.modes->spec.inertia);
        modal_[A_.size()] = modal_columns(link);
      }
      A_.push_back(articulated(own));
    }
  }

  std::vector<Expr> run() {
    for (std::size_t i = tree_.links.size(); i-- > 0;) {
      const auto& link = tree_.links[i];
      for (std::size_t k = link.dof_count; k-- > 0;) eliminate(i, k);
      if (link.parent) pass_down(i);
    }
    return accelerations();
  }

 private:
  void eliminate(std::size_t i, std::size_t k) {
    const auto& link = tree_.links[i];
    const std::size_t dof = link.first_dof + k;
    auto& e = eliminations_[dof];
    Expr3 alpha{}, a{};
    unit_motion(link, k, alpha, a);
    e.column = link.modes ? modal_[i][k] : apply(A_[i], alpha, a);
    e.inverse = invert_pivot(tree_, dof, along(link, k, e.column));
    e.x = (tree_.tau[dof] - along(link, k, p_[i])) * e.inverse;
    if (!link.parent && k == 0) return;  // nothing below needs the rest
    for (std::size_t j = 0; j < k && link.modes; ++j) {
      const Expr share = e.column.modal[j] * e.inverse;
      if (share.is_zero()) continue;
      Wrench& other = modal_[i][j];
      other.f = subtract(other.f, scale(share, e.column.f));
      other.n = subtract(other.n, scale(share, e.column.n));
      for (std::size_t m = 0; m < k; ++m) other.modal[m] -= share * e.column.modal[m];
      p_[i].modal[j] += e.column.modal[j] * e.x;
    }
    const Wrench scaled{scale(e.inverse, e.column.f), scale(e.inverse, e.column.n)};
    A_[i].I = minus_outer(A_[i].I, e.column.n, scaled.n);
    A_[i].M = minus_outer(A_[i].M, e.column.f, scaled.f);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) A_[i].H[r][c] -= e.column.n[r] * scaled.f[c];
    p_[i].f = add(p_[i].f, scale(e.x, e.column.f));
    p_[i].n = add(p_[i].n, scale(e.x, e.column.n));
  }

  void pass_down(std::size_t i) {
    const auto& link = tree_.links[i];
    const std::size_t parent = *link.parent;
    pass_to_parent(link, p_[i], p_[parent]);
    if (link.section) {
      TreeLink turn = link;
      turn.position = {};
      add_carried(link, to_parent(turn, A_[i]), modal_[parent]);
    }
    const ArticulatedInertia B = to_parent(link, A_[i]);
    A_[parent].I += B.I;
    A_[parent].H = add(A_[parent].H, B.H);
    A_[parent].M += B.M;
  }

  /// Outward: accelerations beyond the reference motion.
  std::vector<Expr> accelerations() {
    udot_.resize(eliminations_.size());
    std::vector<Expr3> alphas(tree_.links.size()), as(tree_.links.size());
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const auto& link = tree_.links[i];
      Expr3 alpha{}, a{};
      if (link.parent) {
        const std::size_t parent = *link.parent;
        alpha = alphas[parent];
        a = add(as[parent], cross(alphas[parent], link.position));
        if (link.section) {
          const Expr* modal = &udot_[tree_.links[parent].first_dof];
          alpha = add(alpha, sum_of(modal, link.section->g));
          a = add(a, sum_of(modal, link.section->r));
        }
        alpha = link.rotation.to_link(alpha);
        a = link.rotation.to_link(a);
      }
      for (std::size_t k = 0; k < link.dof_count; ++k) accelerate(link, k, alpha, a);
      alphas[i] = alpha, as[i] = a;
    }
    return std::move(udot_);
  }

  void accelerate(const TreeLink& link, std::size_t k, Expr3& alpha, Expr3& a) {
    const std::size_t dof = link.first_dof + k;
    const auto& e = eliminations_[dof];
    if (link.modes) {
      Expr rest = dot(e.column.n, alpha) + dot(e.column.f, a);
      for (std::size_t j = 0; j < k; ++j) rest += e.column.modal[j] * udot_[link.first_dof + j];
      udot_[dof] = e.x - rest * e.inverse;
      return;
    }
    if (link.kind == MotionKind::Screw) {
      udot_[dof] = e.x - (dot(e.column.n, alpha) + dot(e.column.f, a)) * e.inverse;
      alpha[kZ] += udot_[dof];
      a[kZ] += link.pitch * udot_[dof];
      return;
    }
    // The acceleration along the speed is that of the parent plus udot, and D of it cancels D in the column.
    Expr& along_speed = link.kind == MotionKind::Translation ? a[kZ]
                        : link.kind == MotionKind::Ball      ? alpha[k]
                                                             : alpha[kZ];
    const Expr of_parent = std::exchange(along_speed, Expr());
    along_speed = e.x - (dot(e.column.n, alpha) + dot(e.column.f, a)) * e.inverse;
    udot_[dof] = along_speed - of_parent;
  }

  const TreeModel& tree_;
  std::vector<Wrench> p_;
  std::vector<ArticulatedInertia> A_;
  std::vector<Elimination> eliminations_;
  std::vector<std::vector<Wrench>> modal_;  ///< by link: what is left of the columns of its modes
  std::vector<Expr> udot_;
};

}  // namespace

std::vector<Expr> form_articulated(const TreeModel& tree) { return ArticulatedBodies(tree).run(); }

// ---- base parameters ----------------------------------------------------------------------------------------------------

void regroup_inertia(TreeModel& tree) {
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    auto& link = tree.links[i];
    auto& [m, h, I] = link.inertia;
    InertialParameters moved;
    if (link.section) continue;
    if (link.modes) {  // fixed to its parent
      if (!link.parent) continue;
      tree.links[*link.parent].inertia += shift(rotate(link.inertia, link.rotation), link.position);
      link.inertia = {};
      continue;
    }
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
