#include "kane/mechanics/dynamics.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

bool constant(Dependence& dependence, const Expr33& c) {
  return dependence.constant(c[0]) && dependence.constant(c[1]) && dependence.constant(c[2]);
}

/// The point at rest from which the mass centre is reached within the body, if there is one, and the way from there.
struct FixedPoint {
  bool found = false;
  Expr3 arm;
};

FixedPoint find_fixed_point(Kinematics& k, const BodyRecord& body) {
  FixedPoint r;
  PointId p = body.mass_centre;
  while (true) {
    if (k.point(p).at_rest()) {
      r.found = true;
      return r;
    }
    const PointRecord& record = k.system().point(p);
    if (!record.parent.valid() || record.carrier.valid() || !k.point_auxiliaries(p).empty()) return r;
    for (const Vector::Term& t : record.offset.terms()) {
      if (t.frame != body.frame || !k.dependence().constant(t.c)) return r;
      r.arm = add(r.arm, t.c);
    }
    p = record.parent;
  }
}

int varying_components(Kinematics& k, const VelocityForm& w) {
  int count = 0;
  for (const PartialVelocity& p : w.partials) {
    for (const Expr& c : p.c) count += k.dependence().constant(c) ? 0 : 1;
  }
  return count;
}

/// Goes from the body towards the root as long as the inertia matrix stays the same for all angles in between, and
/// takes the basis in which the angular velocity is simplest.
void choose_basis(Kinematics& k, InertiaElement& e) {
  const Frames& frames = k.system().frames();
  FrameId basis = e.frame;
  Expr33 inertia = e.inertia;
  int least = varying_components(k, k.frame(e.frame));
  while (frames[basis].axis) {
    const FrameId up = frames[basis].parent;
    inertia = k.bases().express(inertia, basis, up);
    if (!constant(k.dependence(), inertia)) return;
    basis = up;
    const int varying = varying_components(k, k.frame(e.frame, basis));
    if (varying <= least) {
      least = varying;
      e.basis = basis;
      e.inertia = inertia;
    }
  }
}

InertiaElement form_element(Kinematics& k, BodyId id) {
  const BodyRecord& body = k.system().body(id);
  InertiaElement e;
  e.body = id;
  e.point = body.mass_centre;
  e.translates = !k.point(body.mass_centre).at_rest();
  require(body.mass.has_value() || !e.translates, "{} {} needs a mass, because its mass centre {} moves",
          body.is_particle() ? "particle" : "body", body.name, k.system().point(body.mass_centre).name);
  if (body.mass) e.mass = *body.mass;
  k.system().check_symbols(e.mass, "the mass of " + body.name);
  if (body.is_particle()) return e;

  e.frame = e.basis = body.frame;
  e.rotates = !k.frame(body.frame).at_rest();
  if (!e.rotates) return e;
  require(body.inertia.has_value(), "body {} needs an inertia, because it rotates; for a point mass use a particle",
          body.name);
  e.inertia = k.system().frames().express(*body.inertia, body.frame);
  for (const Expr3& row : e.inertia) {
    for (const Expr& c : row) k.system().check_symbols(c, "the inertia of " + body.name);
  }
  require(constant(k.dependence(), e.inertia),
          "the inertia of body {} must be constant in its frame {}; give it there, in terms of parameters", body.name,
          k.system().frames().name(body.frame));
  for (std::size_t i = 0; i < 3; ++i) {
    require(e.inertia[i][(i + 1) % 3] == e.inertia[(i + 1) % 3][i], "the inertia matrix of body {} is not symmetric",
            body.name);
  }
  if (e.translates) {
    const FixedPoint fixed = find_fixed_point(k, body);
    if (fixed.found) {
      e.about_fixed_point = true;
      e.translates = false;
      e.inertia = add(e.inertia, parallel_axis(e.mass, fixed.arm));
    }
  }
  choose_basis(k, e);
  return e;
}

Vector rewrite(const Vector& v, const Substitution& map) {
  Vector r;
  for (const Vector::Term& t : v.terms()) {
    const std::vector<Expr> c = substitute(t.c, map);
    r += Vector(t.frame, {c[0], c[1], c[2]});
  }
  return r;
}

}  // namespace

std::vector<InertiaElement> form_inertia_elements(Kinematics& k) {
  std::vector<InertiaElement> r;
  for (std::size_t i = 0; i < k.system().bodies().size(); ++i) r.push_back(form_element(k, BodyId(i)));
  return r;
}

// ---- loads --------------------------------------------------------------------------------------------------------------

std::vector<AppliedLoad> form_loads(const System& s, const Substitution& rates_to_speeds) {
  Substitution map = rates_to_speeds;
  for (const Expr& unknown : s.unknowns()) map.set(unknown, 0);
  std::vector<AppliedLoad> r;
  for (const LoadRecord& load : s.loads()) {
    const std::string what = fmt::format("{} {}", load.kind == LoadKind::Force ? "force" : "torque", load.name);
    s.check_symbols(load.value, what);
    if (load.kind == LoadKind::Force) {
      require(s.located(load.point, s.origin()),
              "{} acts at point {}, whose velocity is not known; locate {} from {} or from a point located from it",
              what, s.point(load.point).name, s.point(load.point).name, s.point(s.origin()).name);
    } else {
      s.frames().check_related(load.frame, s.inertial());
    }
    r.push_back({load.name, load.kind, load.point, load.frame, rewrite(load.value, map)});
  }
  return r;
}

Vector total_uniform_gravity(const System& s) {
  Vector g;
  for (const UniformGravity& u : s.uniform_gravity()) {
    s.check_symbols(u.acceleration, "gravity");
    g += u.acceleration;
  }
  return g;
}

std::vector<AppliedLoad> form_weights(const System& s) {
  std::vector<AppliedLoad> r;
  const Vector g = total_uniform_gravity(s);
  if (g.is_zero()) return r;
  for (const BodyRecord& b : s.bodies()) {
    if (b.mass) r.push_back({"weight of " + b.name, LoadKind::Force, b.mass_centre, {}, *b.mass * g});
  }
  return r;
}

// Force -mu m r/|r|^3, and for a body -(3 mu / 2 |r|^5) [(tr I - 5 e.I.e) r + 2 I.r], e = r/|r|; torque
// 3 mu/|r|^5 r x (I . r). The second force and the torque derive from V2 = -mu/(2 |r|^3) (tr I - 3 e.I.e).
std::vector<AppliedLoad> form_attractions(const System& s) {
  std::vector<AppliedLoad> r;
  for (const InverseSquareGravity& g : s.inverse_square_gravity()) {
    s.check_symbols(g.mu, "the strength of inverse-square gravity");
    for (std::size_t i = 0; i < s.bodies().size(); ++i) {
      const BodyRecord& b = s.bodies()[i];
      if (!g.attracts(BodyId(i))) continue;
      const Vector span = s.position(b.mass_centre, g.centre);
      require(!span.is_zero(), "{} is at the centre of inverse-square gravity, {}", b.name, s.point(g.centre).name);
      const Expr square_distance = s.dot(span, span);
      const Expr cube = square_distance * sqrt(square_distance);
      if (b.mass) {
        r.push_back({"attraction of " + b.name, LoadKind::Force, b.mass_centre, {}, -(g.mu * *b.mass / cube) * span});
      }
      if (b.is_particle() || !b.inertia || (!g.gradient_torque && !g.gradient_force)) continue;
      const Expr strength = 3 * g.mu / (cube * square_distance);
      const Expr3 c = s.frames().express(span, b.frame);
      const Expr33 I = s.frames().express(*b.inertia, b.frame);
      const Expr3 Ir = multiply(I, c);
      if (g.gradient_torque) {
        r.push_back({"gravity-gradient torque on " + b.name,
                     LoadKind::Torque,
                     {},
                     b.frame,
                     Vector(b.frame, scale(strength, cross(c, Ir)))});
      }
      if (g.gradient_force) {
        const Expr trace = I[0][0] + I[1][1] + I[2][2];
        const Expr3 f = add(scale(trace - 5 * dot(c, Ir) / square_distance, c), scale(2, Ir));
        r.push_back({"gravity-gradient force on " + b.name,
                     LoadKind::Force,
                     b.mass_centre,
                     {},
                     Vector(b.frame, scale(-strength / 2, f))});
      }
    }
  }
  return r;
}

std::vector<Expr> form_potential_forces(const System& s, const RateModel& model) {
  std::vector<Expr> r(model.symbols.size());
  for (const PotentialRecord& p : s.potentials()) {
    if (!p.acts) continue;
    s.check_symbols(p.value, "the potential " + p.name);
    const Affine power = affine_in(s.time_derivative(p.value), model.symbols, "the rate of the potential " + p.name);
    for (std::size_t k = 0; k < r.size(); ++k) r[k] -= power.coefficients[k];
  }
  return r;
}

void add_load(Projection& projection, const Kinematics& k, const AppliedLoad& load) {
  if (load.kind == LoadKind::Force) {
    projection.add_force(load.point, load.value);
  } else {
    projection.add_torque(load.frame, Vector(load.frame, k.bases().express(load.value, load.frame)));
  }
}

// ---- generalized forces -------------------------------------------------------------------------------------------------

ExprMatrix form_mass_matrix(Kinematics& k, const std::vector<InertiaElement>& elements,
                            const std::vector<int>& columns) {
  // A column that moves few elements is the cheaper one to form a pair with.
  std::vector<int> reach(static_cast<std::size_t>(k.model().column_count), 0);
  for (const InertiaElement& e : elements) {
    if (e.translates) {
      for (const PartialVelocity& p : k.point(e.point).partials) ++reach[static_cast<std::size_t>(p.column)];
    }
    if (e.rotates) {
      for (const PartialVelocity& p : k.frame(e.frame, e.basis).partials) ++reach[static_cast<std::size_t>(p.column)];
    }
  }
  const int n = static_cast<int>(columns.size());
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return reach[static_cast<std::size_t>(columns[static_cast<std::size_t>(a)])] <
           reach[static_cast<std::size_t>(columns[static_cast<std::size_t>(b)])];
  });

  ExprMatrix M(n, n);
  std::vector<bool> wanted(static_cast<std::size_t>(k.model().column_count), false);
  for (const int c : columns) wanted[static_cast<std::size_t>(c)] = true;
  for (const int s : order) {
    const int column = columns[static_cast<std::size_t>(s)];
    Projection projection(k);
    for (const InertiaElement& e : elements) {
      if (e.translates) projection.add_force(e.point, e.mass, k.point(e.point).partial(column));
      if (!e.rotates) continue;
      const Expr3 w = k.frame(e.frame, e.basis).partial(column);
      if (!is_zero(w)) projection.add_torque(e.frame, Vector(e.basis, multiply(e.inertia, w)));
    }
    const std::vector<Expr> f = projection.project(wanted);
    for (int r = 0; r < n; ++r) {
      const int row = columns[static_cast<std::size_t>(r)];
      if (wanted[static_cast<std::size_t>(row)]) M(r, s) = M(s, r) = f[static_cast<std::size_t>(row)];
    }
    wanted[static_cast<std::size_t>(column)] = false;
  }
  return M;
}

std::vector<Expr> form_right_hand_side(Kinematics& k, const std::vector<InertiaElement>& elements,
                                       const std::vector<AppliedLoad>& loads, const std::vector<Expr>& rate_forces,
                                       const std::vector<bool>& wanted) {
  Projection projection(k);
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
