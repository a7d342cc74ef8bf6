// Functions of vectors, derivatives, masses and generalized forces.

#include "kane/formats/autolev/functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kane/formats/autolev/matrices.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane::autolev {

namespace {

/// Components in a frame. A multiple of the unit dyadic has the same in all of them, also in those not oriented yet.
Expr33 dyadic_in(const Frames& frames, const Dyadic& d, FrameId f) {
  Expr33 sum;
  Dyadic others;
  for (const auto& term : d.terms()) {
    bool unit = true;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        unit = unit && (i == j ? term.c[i][i] == term.c[0][0] : term.c[i][j].is_zero());
    if (!unit) {
      others += Dyadic(term.frame, term.c);
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) sum[i][i] += term.c[0][0];
  }
  if (others.terms().empty()) return sum;
  const Expr33 c = frames.express(others, f);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) sum[i][j] += c[i][j];
  return sum;
}

}  // namespace

Value Functions::dot(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  const Value a = s.evaluate(call.children[0]);
  const Value b = s.evaluate(call.children[1]);
  const auto* av = std::get_if<Vector>(&a);
  const auto* bv = std::get_if<Vector>(&b);
  const auto* ad = std::get_if<Dyadic>(&a);
  const auto* bd = std::get_if<Dyadic>(&b);
  const auto* am = std::get_if<VectorMatrix>(&a);
  const auto* bm = std::get_if<VectorMatrix>(&b);
  if (av && bv) return s.frames().dot(*av, *bv);
  if (ad && bv) return s.frames().dot(*ad, *bv);
  if (av && bd) {
    Dyadic turned;
    for (const auto& term : bd->terms()) turned += Dyadic(term.frame, transpose(term.c));
    return s.frames().dot(turned, *av);
  }
  if (ad && bd) {
    Dyadic sum;
    for (const auto& term : ad->terms())
      sum += Dyadic(term.frame, kane::multiply(term.c, s.frames().express(*bd, term.frame)));
    return sum;
  }
  if ((am && bv) || (av && bm)) {
    const VectorMatrix& m = am ? *am : *bm;
    ExprMatrix r(m.rows, m.columns);
    for (std::size_t i = 0; i < m.entries.size(); ++i) r.entries[i] = s.frames().dot(m.entries[i], am ? *bv : *av);
    return r;
  }
  wrong_use(call);
}

Value Functions::cross(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  return s.frames().cross(s.evaluate_vector(call.children[0]), s.evaluate_vector(call.children[1]));
}

Value Functions::mag(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Vector v = s.evaluate_vector(call.children[0]);
  return length(s, v);
}

Expr Functions::length(Session& s, const Vector& v) {
  if (v.is_zero()) return 0;
  // A single component needs no root: |x| for x, or x itself if it is known to be positive.
  if (v.terms().size() == 1) {
    const Expr3& c = v.terms()[0].c;
    const int others = (c[0].is_zero() ? 0 : 1) + (c[1].is_zero() ? 0 : 1) + (c[2].is_zero() ? 0 : 1);
    if (others == 1) {
      const Expr only = c[0].is_zero() ? (c[1].is_zero() ? c[2] : c[1]) : c[0];
      if (only.is_number()) return only.number() < Rational(0) ? -only : only;
      if (const Scalar* known = only.is_symbol() ? s.find_symbol(only) : nullptr; known != nullptr && known->sign != 0)
        return known->sign > 0 ? only : -only;
      return abs(only);
    }
  }
  return sqrt(s.graph_->bind(s.frames().dot(v, v)));
}

Value Functions::unitvec(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Vector v = s.evaluate_vector(call.children[0]);
  if (v.is_zero()) throw ModelError(call.where, "the zero vector has no direction");
  return v / length(s, v);
}

Value Functions::vector(Session& s, const Node& call) {
  need_arguments(call, 2, 4);
  const FrameId f = s.frame_of(call.children[0]);
  if (call.children.size() == 4)
    return Vector(f, {s.evaluate_scalar(call.children[1]), s.evaluate_scalar(call.children[2]),
                      s.evaluate_scalar(call.children[3])});
  const Value v = s.evaluate(call.children[1]);
  const auto* m = std::get_if<ExprMatrix>(&v);
  if (call.children.size() != 2 || m == nullptr || m->entries.size() != 3) wrong_use(call);
  return Vector(f, {m->entries[0], m->entries[1], m->entries[2]});
}

Value Functions::matrix(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  const FrameId f = s.frame_of(call.children[0]);
  const Value v = s.evaluate(call.children[1]);
  if (const auto* a = std::get_if<Vector>(&v)) {
    const Expr3 c = s.frames().express(*a, f);
    return column_of({c[0], c[1], c[2]});
  }
  const auto* d = std::get_if<Dyadic>(&v);
  if (d == nullptr) wrong_use(call);
  const Expr33 c = dyadic_in(s.frames(), *d, f);
  ExprMatrix r(3, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r(i, j) = c[i][j];
  return r;
}

Value Functions::express(Session& s, const Node& call) {
  need_arguments(call, 2, 2);
  const FrameId f = s.frame_of(call.children[1]);
  return expressed(s, s.evaluate(call.children[0]), f, call);
}

Value Functions::expressed(Session& s, const Value& v, FrameId f, const Node& call) {
  if (const auto* a = std::get_if<Vector>(&v)) return Vector(f, s.frames().express(*a, f));
  if (const auto* d = std::get_if<Dyadic>(&v)) return Dyadic(f, dyadic_in(s.frames(), *d, f));
  if (const auto* m = std::get_if<VectorMatrix>(&v)) {
    VectorMatrix r = *m;
    for (Vector& a : r.entries) a = Vector(f, s.frames().express(a, f));
    return r;
  }
  wrong_use(call);
}

Value Functions::partials(Session& s, const Node& call) {
  need_arguments(call, 2, 1000);
  const Vector v = s.evaluate_vector(call.children[0]);
  const auto speeds = s.symbols_named(std::span(call.children).subspan(1), false);
  const auto p = s.partials(v, speeds, call.children[0].spelled());
  if (speeds.size() == 1) return p.by_speed.front();
  VectorMatrix r{1, static_cast<int>(speeds.size()), p.by_speed};
  return r;
}

Value Functions::dt(Session& s, const Node& call) {
  need_arguments(call, 1, 2);
  const Value v = s.evaluate(call.children[0]);
  if (const auto* a = std::get_if<Vector>(&v)) return s.derivative(*a, frame_argument(s, call, 1));
  if (const auto* d = std::get_if<Dyadic>(&v)) return s.derivative(*d, frame_argument(s, call, 1));
  if (const auto* m = std::get_if<VectorMatrix>(&v)) {
    VectorMatrix r = *m;
    for (Vector& a : r.entries) a = s.derivative(a, frame_argument(s, call, 1));
    return r;
  }
  if (call.children.size() == 2) (void)s.frame_of(call.children[1]);  // of no consequence to scalars
  return each_part(v, [&](const Expr& e) { return s.time_derivative(e); });
}

FrameId Functions::frame_argument(Session& s, const Node& call, std::size_t i) {
  if (call.children.size() <= i)
    throw ModelError(call.where, fmt::format("the derivative of a vector needs a frame: {}(v>,N)", folded(call.text)));
  return s.frame_of(call.children[i]);
}

Value Functions::d(Session& s, const Node& call) {
  need_arguments(call, 2, 3);
  const auto by = s.symbols_named(std::span(call.children).subspan(1, 1), false);
  const Value v = s.evaluate(call.children[0]);
  if (std::holds_alternative<Vector>(v)) {
    if (by.size() != 1) wrong_use(call);
    const FrameId f = frame_argument(s, call, 2);
    const Value in = expressed(s, s.explicitly(v, {.keep = by}), f, call);
    return each_part(in, [&](const Expr& e) { return s.partial(e, by[0]); });
  }
  const bool list = call.children[1].kind == NodeKind::Matrix || by.size() > 1;
  if (!list) return each_part(v, [&](const Expr& e) { return s.partial(e, by[0]); });
  std::vector<Expr> rows;
  if (const auto* e = std::get_if<Expr>(&v))
    rows.push_back(*e);
  else if (const auto* m = std::get_if<ExprMatrix>(&v))
    rows = m->entries;
  else
    wrong_use(call);
  ExprMatrix r(rows.size(), by.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < by.size(); ++j) r(i, j) = s.partial(rows[i], by[j]);
  return r;
}

Value Functions::mass(Session& s, const Node& call) {
  Expr sum;
  for (const int b : s.bodies_named(call.children)) sum += mass_of(s, b, call);
  return sum;
}

Expr Functions::mass_of(Session& s, int body, const Node& call) {
  const Body& b = s.w_.bodies[static_cast<std::size_t>(body)];
  if (!b.mass)
    throw ModelError(call.where, fmt::format("the mass of {} is not stated; write MASS {}=...", b.name, b.name));
  return *b.mass;
}

Value Functions::cm(Session& s, const Node& call) {
  need_arguments(call, 1, 1000);
  const PointIndex o = s.point_of(call.children[0]);
  Vector sum;
  Expr total;
  for (const int b : s.bodies_named(std::span(call.children).subspan(1))) {
    const Expr m = mass_of(s, b, call);
    total += m;
    sum += s.position(o, s.w_.bodies[static_cast<std::size_t>(b)].centre) * m;
  }
  if (total.is_zero()) throw ModelError(call.where, "there is no mass whose centre could be found");
  return sum / total;
}

Value Functions::inertia(Session& s, const Node& call) {
  need_arguments(call, 1, 1000);
  const PointIndex p = s.point_of(call.children[0]);
  Dyadic sum;
  for (const int b : s.bodies_named(std::span(call.children).subspan(1))) sum += s.inertia_about(b, p);
  return sum;
}

Value Functions::ke(Session& s, const Node& call) { return s.kinetic_energy(s.bodies_named(call.children)); }

Value Functions::momentum(Session& s, const Node& call) { return s.momentum(call); }

/// GYROSTAT(ANGMOM|KE|FRSTAR,CYLINDER,A,B,J): what the rotation of the rotor B in its carrier A adds to the body A, whose mass
/// and inertia include the rotor as if it were at rest. With s = W_B_A> along the axis of symmetry and J the moment of inertia
/// about it:
///   angular momentum   J s
///   kinetic energy     J s . W_A_N + J s . s / 2
///   F*_r               -(partial of W_A_N) . d(J s)/dt - (partial of s) . d(J W_B_N)/dt
Value Functions::gyrostat(Session& s, const Node& call) {
  need_arguments(call, 5, 5);
  const std::string kind = folded(call.children[0].text);
  if (folded(call.children[1].text) != "CYLINDER")
    throw ModelError(call.children[1].where,
                     "the rotor of GYROSTAT is a CYLINDER: symmetric about the axis of its spin");
  const FrameId a = s.frame_of(call.children[2]);
  const FrameId b = s.frame_of(call.children[3]);
  const Expr moment = s.evaluate_scalar(call.children[4]);
  const FrameId n = s.newtonian(call.where);
  const Vector spin = s.angular_velocity(b, a);
  if (kind == "ANGMOM") return spin * moment;
  const Vector carrier = s.angular_velocity(a, n);
  if (kind == "KE") return moment * (s.frames().dot(spin, carrier) + s.frames().dot(spin, spin) / Expr(2));
  if (kind != "FRSTAR")
    throw ModelError(call.children[0].where,
                     fmt::format("GYROSTAT gives ANGMOM, KE or FRSTAR, not '{}'", call.children[0].spelled()));
  const auto speeds = s.find_speeds(call.where);
  const auto of_carrier = s.partials(carrier, speeds, "the angular velocity of the carrier");
  const auto of_spin = s.partials(spin, speeds, "the spin of the rotor");
  const Vector by_spin = s.explicitly(s.derivative(spin * moment, n), Explicitly{});
  const Vector by_rotor = s.explicitly(s.derivative((carrier + spin) * moment, n), Explicitly{});
  std::vector<Expr> rows(speeds.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = -s.frames().dot(of_carrier.by_speed[i], by_spin) - s.frames().dot(of_spin.by_speed[i], by_rotor);
  return column_of(std::move(rows));
}

Value Functions::nicheck(Session& s, const Node& call) {
  need_arguments(call, 0, 0);
  return s.energy_check(call.where);
}

Value Functions::fr(Session& s, const Node& call) {
  need_arguments(call, 0, 0);
  return s.active_forces(call.where);
}

Value Functions::frstar(Session& s, const Node& call) {
  need_arguments(call, 0, 0);
  return s.inertia_forces(call.where);
}

}  // namespace kane::autolev
