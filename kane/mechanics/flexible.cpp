#include "kane/mechanics/flexible.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

Expr3 partial_of(const Expr3& e, const Expr& q) {
  Expr3 r;
  for (std::size_t i = 0; i < 3; ++i)
    if (e[i].graph() != nullptr) r[i] = derivative(e[i], q);
  return r;
}

Expr33 partial_of(const Expr33& e, const Expr& q) {
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = partial_of(e[i], q);
  return r;
}

using Forces = DeformingForces;

/// dT/dv, dT/dw, dT/dq'.
Forces momenta(const DeformingInertia& e, const Expr3& v, const Expr3& w, const std::vector<Expr>& rate) {
  const FlexibleSpec& s = e.spec;
  Forces p;
  p.force = add(scale(s.mass, v), cross(w, s.first_moment));
  p.torque = add(cross(s.first_moment, v), multiply(s.inertia, w));
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (!rate[i].is_zero()) {
      p.force = add(p.force, scale(rate[i], e.P[i]));
      p.torque = add(p.torque, scale(rate[i], s.coupling[i]));
    }
    Expr own = dot(e.P[i], v) + dot(s.coupling[i], w);
    for (std::size_t j = 0; j < e.size(); ++j) own += s.modal_mass(i, j) * rate[j];
    p.modal.push_back(own);
  }
  return p;
}

/// Sum of factor_i v_i.
Expr3 combine(const std::vector<Expr>& factors, const std::vector<Expr3>& vectors) {
  Expr3 sum;
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (!factors[i].is_zero()) sum = add(sum, scale(factors[i], vectors[i]));
  return sum;
}

/// sum_j M_ij' q_j' - sum_jk dM_jk/dq_i q_j' q_k'/2.
Expr modal_bias(const DeformingInertia& e, const DeformingMotion& m, std::size_t i) {
  if (e.dM.empty()) return {};
  Expr sum;
  for (std::size_t j = 0; j < e.size(); ++j) {
    for (std::size_t k = 0; k < e.size(); ++k) sum += (e.dM[i][j][k] - e.dM[j][k][i] / 2) * m.rate[j] * m.rate[k];
  }
  return sum;
}

int rate_index(const Kinematics& k, const Expr& coordinate) {
  const std::vector<Expr>& symbols = k.model().symbols;
  const auto found = std::find(symbols.begin(), symbols.end(), k.system().rate(coordinate));
  ensure(found != symbols.end(), "the coordinate {} of a flexible body has no rate", coordinate.name());
  return static_cast<int>(found - symbols.begin());
}

void give(Projection& projection, const Kinematics& k, const DeformingInertia& e, const Forces& f, int sign) {
  const FrameId frame = e.spec.frame;
  const auto with_sign = [&](const Expr3& c) { return sign > 0 ? c : negate(c); };
  if (!is_zero(f.force)) projection.add_force(e.spec.origin, Vector(frame, with_sign(f.force)));
  if (!is_zero(f.torque)) projection.add_torque(frame, Vector(frame, with_sign(f.torque)));
  for (std::size_t i = 0; i < e.size(); ++i)
    projection.add_rate_force(rate_index(k, e.spec.coordinates[i]), sign > 0 ? f.modal[i] : -f.modal[i]);
}

/// The partial rates of the coordinates for one column.
std::vector<Expr> partial_rates(const Kinematics& k, const DeformingInertia& e, int column) {
  std::vector<Expr> r;
  for (const Expr& q : e.spec.coordinates) {
    r.emplace_back();
    for (const auto& [c, w] : k.model().W[at(rate_index(k, q))])
      if (c == column) r.back() = w;
  }
  return r;
}

}  // namespace

DeformingInertia form_deforming_inertia(BodyId body, FlexibleSpec spec) {
  DeformingInertia e;
  e.body = body;
  e.spec = std::move(spec);
  const std::vector<Expr>& q = e.spec.coordinates;
  for (const Expr& qi : q) {
    e.P.push_back(partial_of(e.spec.first_moment, qi));
    e.dJ.push_back(partial_of(e.spec.inertia, qi));
  }
  bool varies = false;
  for (std::size_t i = 0; i < q.size(); ++i) {
    e.dP.emplace_back();
    e.dH.emplace_back();
    e.dM.emplace_back();
    for (std::size_t j = 0; j < q.size(); ++j) {
      e.dP[i].push_back(partial_of(e.P[i], q[j]));
      e.dH[i].push_back(partial_of(e.spec.coupling[i], q[j]));
      e.dM[i].emplace_back();
      for (const Expr& qk : q) {
        const Expr& m = e.spec.modal_mass(i, j);
        e.dM[i][j].push_back(m.graph() == nullptr ? Expr() : derivative(m, qk));
        varies = varies || !e.dM[i][j].back().is_zero();
      }
    }
  }
  if (!varies) e.dM.clear();
  return e;
}

std::vector<DeformingInertia> form_deforming_inertias(const System& system) {
  std::vector<DeformingInertia> all;
  for (const FlexibleRecord& record : system.flexible_bodies())
    all.push_back(form_deforming_inertia(record.body, record.spec));
  return all;
}

DeformingMotion motion_of(Kinematics& k, const DeformingInertia& e) {
  const FrameId frame = e.spec.frame;
  const VelocityForm& v = k.point(e.spec.origin);
  const VelocityForm& w = k.frame(frame);
  DeformingMotion m;
  m.v = k.bases().express(v.value, v.basis, frame);
  m.a = k.bases().express(v.acceleration, v.basis, frame);
  m.w = w.value;
  m.alpha = w.acceleration;
  for (const Expr& q : e.spec.coordinates) {
    const std::size_t i = at(rate_index(k, q));
    m.rate.push_back(k.model().values[i]);
    m.second.push_back(k.model().second[i]);
  }
  return m;
}

DeformingForces inertia_forces(const DeformingInertia& e, const DeformingMotion& m) {
  const FlexibleSpec& s = e.spec;
  const Expr3& w = m.w;
  VelocityForm turn;
  turn.value = w;
  turn.acceleration = m.alpha;
  const Expr3 slide = combine(m.rate, e.P);  // c'
  Forces f;
  f.force = add(scale(s.mass, m.a), Kinematics::centripetal(turn, s.first_moment));
  if (!is_zero(w)) f.force = add(f.force, scale(2, cross(w, slide)));
  f.force = add(f.force, combine(m.second, e.P));
  f.torque = add(cross(s.first_moment, m.a), add(multiply(s.inertia, m.alpha), gyroscopic(s.inertia, w)));
  const Expr3 spin = combine(m.rate, s.coupling);
  f.torque = add(f.torque, add(cross(w, spin), combine(m.second, s.coupling)));
  for (std::size_t i = 0; i < e.size(); ++i) {
    const Expr3 Jw = multiply(e.dJ[i], w);
    Expr3 P_rate, H_rate, H_swapped;
    for (std::size_t j = 0; j < e.size(); ++j) {
      P_rate = add(P_rate, scale(m.rate[j], e.dP[i][j]));
      H_rate = add(H_rate, scale(m.rate[j], e.dH[i][j]));
      H_swapped = add(H_swapped, scale(m.rate[j], subtract(e.dH[i][j], e.dH[j][i])));
    }
    f.force = add(f.force, scale(m.rate[i], P_rate));
    f.torque = add(f.torque, scale(m.rate[i], add(Jw, H_rate)));
    Expr own = dot(e.P[i], m.a) + dot(s.coupling[i], m.alpha);
    for (std::size_t j = 0; j < e.size(); ++j) own += s.modal_mass(i, j) * m.second[j];
    own += dot(w, H_swapped) - dot(w, Jw) / 2 + modal_bias(e, m, i);
    f.modal.push_back(own);
  }
  return f;
}

Expr twice_kinetic_energy(const DeformingInertia& e, const DeformingMotion& m) {
  const Forces p = momenta(e, m.v, m.w, m.rate);
  Expr sum = dot(p.force, m.v) + dot(p.torque, m.w);
  for (std::size_t i = 0; i < e.size(); ++i) sum += p.modal[i] * m.rate[i];
  return sum;
}

// About the mass centre b = c/m: J - m (b.b 1 - b b), H_i - b x P_i, M_ij - P_i.P_j/m.
Expr3 central_spin(const DeformingInertia& e, const DeformingMotion& m) {
  const FlexibleSpec& s = e.spec;
  const Expr3 b = scale(1 / s.mass, s.first_moment);
  const Expr3 moved = add(cross(m.w, s.first_moment), combine(m.rate, e.P));  // m times the velocity relative to v
  return subtract(add(multiply(s.inertia, m.w), combine(m.rate, s.coupling)), cross(b, moved));
}

// T of flexible.hpp less b x F: both contain c x a, which cancels.
Expr3 central_torque(const DeformingInertia& e, const DeformingMotion& m) {
  DeformingMotion still = m;
  still.a = {};
  const Forces f = inertia_forces(e, still);
  return subtract(f.torque, cross(scale(1 / e.spec.mass, e.spec.first_moment), f.force));
}

Expr twice_central_energy(const DeformingInertia& e, const DeformingMotion& m) {
  const Forces p = momenta(e, {}, m.w, m.rate);
  Expr sum = dot(p.torque, m.w) - dot(p.force, p.force) / e.spec.mass;
  for (std::size_t i = 0; i < e.size(); ++i) sum += p.modal[i] * m.rate[i];
  return sum;
}

bool moves(Kinematics& k, const DeformingInertia& e, int column) {
  const auto some = [&](const std::vector<PartialVelocity>& all) {
    return std::any_of(all.begin(), all.end(), [&](const PartialVelocity& p) { return p.column == column; });
  };
  const std::vector<Expr> rates = partial_rates(k, e, column);
  return some(k.point(e.spec.origin).partials) || some(k.frame(e.spec.frame).partials) ||
         std::any_of(rates.begin(), rates.end(), [](const Expr& r) { return !r.is_zero(); });
}

void add_momentum(Projection& projection, Kinematics& k, const DeformingInertia& e, int column) {
  if (!moves(k, e, column)) return;
  const VelocityForm& v = k.point(e.spec.origin);
  const Expr3 partial = k.bases().express(v.partial(column), v.basis, e.spec.frame);
  give(projection, k, e, momenta(e, partial, k.frame(e.spec.frame).partial(column), partial_rates(k, e, column)), 1);
}

void add_momentum(Projection& projection, Kinematics& k, const DeformingInertia& e) {
  const DeformingMotion m = motion_of(k, e);
  give(projection, k, e, momenta(e, m.v, m.w, m.rate), 1);
}

void add_inertia_forces(Projection& projection, Kinematics& k, const DeformingInertia& e) {
  give(projection, k, e, inertia_forces(e, motion_of(k, e)), -1);
}

}  // namespace kane
