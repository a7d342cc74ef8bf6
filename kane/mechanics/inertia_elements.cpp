#include "kane/mechanics/inertia_elements.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

bool constant(Dependence& dependence, const Expr33& c) {
  return dependence.constant(c[0]) && dependence.constant(c[1]) && dependence.constant(c[2]);
}

/// A body before it is written in the shortest way: mass at point + arm (in the frame), central inertia in the frame.
struct RawElement {
  BodyId body;
  Expr mass;
  PointId point;
  Expr3 arm;
  bool moves = false;
  FrameId frame;
  Expr33 inertia;
  bool rotates = false;
};

RawElement form_raw(Kinematics& k, BodyId id) {
  const BodyRecord& body = k.system().body(id);
  RawElement e;
  e.body = id;
  e.point = body.mass_centre;
  if (body.flexible) return e;  // its inertia is not constant in any frame: flexible.hpp
  e.moves = !k.point(body.mass_centre).at_rest();
  require(body.mass.has_value() || !e.moves, "{} {} needs a mass, because its mass centre {} moves",
          body.is_particle() ? "particle" : "body", body.name, k.system().point(body.mass_centre).name);
  if (body.mass) e.mass = *body.mass;
  k.system().check_symbols(e.mass, "the mass of " + body.name);
  if (body.is_particle()) return e;

  e.frame = body.frame;
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
  return e;
}

/// The point at rest from which the mass centre is reached within the body, if there is one, and the way from there.
struct FixedPoint {
  bool found = false;
  Expr3 arm;
};

FixedPoint find_fixed_point(Kinematics& k, const RawElement& e) {
  FixedPoint r;
  r.arm = e.arm;
  PointId p = e.point;
  while (true) {
    if (k.point(p).at_rest()) {
      r.found = true;
      return r;
    }
    const PointRecord& record = k.record(p);
    if (!record.parent.valid() || record.carrier.valid() || !k.point_auxiliaries(p).empty()) return r;
    for (const Vector::Term& t : record.offset.terms()) {
      if (t.frame != e.frame || !k.dependence().constant(t.c)) return r;
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

InertiaElement finish(Kinematics& k, const RawElement& raw) {
  InertiaElement e;
  e.body = raw.body;
  e.mass = raw.mass;
  e.frame = e.basis = raw.frame;
  e.inertia = raw.inertia;
  e.rotates = raw.rotates;
  e.translates = raw.moves && !raw.mass.is_zero();
  if (e.translates && raw.rotates) {
    const FixedPoint fixed = find_fixed_point(k, raw);
    if (fixed.found) {
      e.about_fixed_point = true;
      e.translates = false;
      e.inertia = add(e.inertia, parallel_axis(e.mass, fixed.arm));
    }
  }
  e.point = is_zero(raw.arm) ? raw.point : k.add_point(raw.point, raw.frame, raw.arm);
  e.rotates = e.rotates && !is_zero(e.inertia);
  if (e.rotates) choose_basis(k, e);
  return e;
}

// ---- lumping ------------------------------------------------------------------------------------------------------------

/// Position of p relative to q if both are fixed in the frame (and stay so whatever auxiliary speeds do).
std::optional<Expr3> find_fixed_offset(Kinematics& k, PointId p, PointId q, FrameId f) {
  const System& s = k.system();
  std::vector<PointId> a{p}, b{q};
  while (s.point(a.back()).parent.valid()) a.push_back(s.point(a.back()).parent);
  while (s.point(b.back()).parent.valid()) b.push_back(s.point(b.back()).parent);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  Expr3 sum;
  for (const auto& [list, sign] : {std::pair{&a, 1}, std::pair{&b, -1}}) {
    for (const PointId i : *list) {
      if (s.point(i).carrier.valid() || !k.point_auxiliaries(i).empty()) return std::nullopt;
      for (const Vector::Term& t : s.point(i).offset.terms()) {
        if (t.frame != f || !k.dependence().constant(t.c)) return std::nullopt;
        sum = sign > 0 ? add(sum, t.c) : subtract(sum, t.c);
      }
    }
  }
  return sum;
}

/// The two frames turn about one axis relative to each other, or not at all: the axis in `a` (-1: no relative motion).
std::optional<int> find_common_axis(Kinematics& k, FrameId a, FrameId b) {
  if (a == b) return -1;
  const Frames& frames = k.system().frames();
  for (const auto& [child, parent] : {std::pair{a, b}, std::pair{b, a}}) {
    if (frames[child].parent != parent || !frames[child].axis || !k.frame_auxiliaries(child).empty()) continue;
    const bool welded = k.dependence().constant(frames[child].angle);
    return welded ? -1 : static_cast<int>(index(*frames[child].axis));
  }
  return std::nullopt;
}

void add_point_mass(RawElement& to, const Expr& mass, const Expr3& at) {
  const Expr total = to.mass + mass;
  const Expr3 centre = scale(1 / total, add(scale(to.mass, to.arm), scale(mass, at)));
  to.inertia = add(to.inertia, parallel_axis(to.mass, subtract(to.arm, centre)));
  to.inertia = add(to.inertia, parallel_axis(mass, subtract(at, centre)));
  to.mass = total;
  to.arm = centre;
}

/// Hands over to `to` what of the inertia of `from` always moves with it.
void hand_over_inertia(Kinematics& k, RawElement& from, RawElement& to) {
  const auto axis = find_common_axis(k, from.frame, to.frame);
  if (!axis) return;
  const Expr33 here = k.bases().express(from.inertia, from.frame, to.frame);
  if (*axis < 0) {
    to.inertia = add(to.inertia, here);
    from.rotates = false;
    return;
  }
  const auto e = at(*axis);
  const std::size_t i = (e + 1) % 3, j = (e + 2) % 3;
  if (!(from.inertia[i][i] == from.inertia[j][j]) || !from.inertia[i][j].is_zero() || !from.inertia[i][e].is_zero() ||
      !from.inertia[j][e].is_zero()) {
    return;
  }
  to.inertia[i][i] += from.inertia[i][i];
  to.inertia[j][j] += from.inertia[j][j];
  from.inertia[i][i] = from.inertia[j][j] = 0;
}

void lump(Kinematics& k, RawElement& from, std::vector<RawElement>& all) {
  for (RawElement& to : all) {
    if (&to == &from || !to.frame.valid() || !to.rotates || to.mass.is_zero()) continue;
    const auto offset = find_fixed_offset(k, from.point, to.point, to.frame);
    if (!offset) continue;
    // Two bodies each fixed in the other: the deeper one is added to the other.
    if (from.frame.valid() && find_fixed_offset(k, to.point, from.point, from.frame) &&
        k.system().frames().depth(from.frame) < k.system().frames().depth(to.frame)) {
      continue;
    }
    add_point_mass(to, from.mass, *offset);
    to.moves = true;  // together, even if its own mass centre is at rest
    from.mass = 0;
    from.moves = false;
    if (from.rotates) hand_over_inertia(k, from, to);
    return;
  }
}

}  // namespace

std::vector<InertiaElement> form_inertia_elements(Kinematics& k) {
  std::vector<InertiaElement> r;
  for (std::size_t i = 0; i < k.system().bodies().size(); ++i) r.push_back(finish(k, form_raw(k, BodyId(i))));
  return r;
}

std::vector<InertiaElement> form_lumped_elements(Kinematics& k) {
  std::vector<RawElement> all;
  for (std::size_t i = 0; i < k.system().bodies().size(); ++i) all.push_back(form_raw(k, BodyId(i)));
  std::vector<std::size_t> deepest_first;
  for (std::size_t i = 0; i < all.size(); ++i) deepest_first.push_back(i);
  const auto depth = [&](std::size_t i) {
    return all[i].frame.valid() ? k.system().frames().depth(all[i].frame) : 1000;
  };
  std::stable_sort(deepest_first.begin(), deepest_first.end(),
                   [&](std::size_t a, std::size_t b) { return depth(a) > depth(b); });
  for (const std::size_t i : deepest_first) {
    // Something added up already stays where it is.
    if (all[i].moves && is_zero(all[i].arm) && !all[i].mass.is_zero()) lump(k, all[i], all);
  }
  std::vector<InertiaElement> r;
  for (const RawElement& e : all) r.push_back(finish(k, e));
  return r;
}

}  // namespace kane
