#include "kane/mechanics/applied_loads.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/load_inertia.hpp"

namespace kane {
namespace {

Vector rewrite(const Vector& v, const Substitution& map) {
  Vector r;
  for (const Vector::Term& t : v.terms()) {
    const std::vector<Expr> c = substitute(t.c, map);
    r += Vector(t.frame, {c[0], c[1], c[2]});
  }
  return r;
}

void check_linear(const System& s, const AppliedLoad& load, const std::string& what) {
  std::vector<Expr> udot;
  for (const SpeedRecord& u : s.speeds()) udot.push_back(u.derivative);
  for (const Vector::Term& t : load.value.terms()) {
    for (const Expr& c : t.c) {
      require_about({Subject::Kind::Load, load.name}, find_affine(c, udot).has_value(),
                    "the {} depends on accelerations other than linearly, so the equations of motion cannot be solved "
                    "for them; only loads proportional to accelerations (added mass) are possible",
                    what);
    }
  }
}

}  // namespace

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
    if (accelerates(s, load)) check_linear(s, r.back(), what);
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
      require(!b.flexible || (!g.gradient_torque && !g.gradient_force),
              "the gravity gradient on the flexible body {} is not known; leave it out for this body", b.name);
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

// -mu m/r - mu/(2 r^3) (tr I - 3 e.I.e), the second term (MacCullagh) only where the torque that belongs to it acts.
Expr form_attraction_energy(const System& s) {
  Expr v;
  for (const InverseSquareGravity& g : s.inverse_square_gravity()) {
    for (std::size_t i = 0; i < s.bodies().size(); ++i) {
      const BodyRecord& b = s.bodies()[i];
      if (!g.attracts(BodyId(i))) continue;
      const Vector span = s.position(b.mass_centre, g.centre);
      const Expr square = s.dot(span, span);
      const Expr r = sqrt(square);
      if (b.mass) v -= g.mu * *b.mass / r;
      if (b.is_particle() || !b.inertia || !g.gradient_torque) continue;
      const Expr3 c = s.frames().express(span, b.frame);
      const Expr33 I = s.frames().express(*b.inertia, b.frame);
      const Expr trace = I[0][0] + I[1][1] + I[2][2];
      v -= g.mu / (2 * square * r) * (trace - 3 * dot(c, multiply(I, c)) / square);
    }
  }
  return v;
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

void add_coordinate_forces(const System& s, const Kinematical& kinematical, std::vector<Expr>& rate_forces) {
  const std::vector<Expr>& symbols = kinematical.model.symbols;
  for (const CoordinateForceRecord& f : s.coordinate_forces()) {
    const auto k = std::find(symbols.begin(), symbols.end(), s.rate(f.coordinate)) - symbols.begin();
    rate_forces[at(k)] += substitute(f.value, kinematical.rates_to_speeds);
  }
}

void add_load(Projection& projection, const Kinematics& k, const AppliedLoad& load) {
  if (load.kind == LoadKind::Force) {
    projection.add_force(load.point, load.value);
  } else {
    projection.add_torque(load.frame, Vector(load.frame, k.bases().express(load.value, load.frame)));
  }
}

}  // namespace kane
