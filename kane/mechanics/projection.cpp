#include "kane/mechanics/projection.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

/// Points so that every point comes before those its velocity is built on.
std::vector<PointId> leaves_first(const Kinematics& k) {
  const std::size_t n = k.point_count();
  std::vector<int> depth(n, -1);
  const auto below = [&](std::size_t i) {
    const PointRecord& p = k.record(PointId(i));
    return p.carrier.valid() ? k.system().find_anchor(p.carrier).value_or(p.parent) : p.parent;
  };
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::size_t> chain{i};
    while (depth[chain.back()] < 0) {
      const PointId next = below(chain.back());
      if (!next.valid())
        depth[chain.back()] = 0;
      else
        chain.push_back(next.index());
      ensure(chain.size() <= n + 1, "points located in a circle");
    }
    for (auto c = chain.rbegin() + 1; c != chain.rend(); ++c) depth[*c] = depth[*(c - 1)] + 1;
  }
  std::vector<PointId> order;
  for (std::size_t i = 0; i < n; ++i) order.emplace_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](PointId a, PointId b) { return depth[a.index()] > depth[b.index()]; });
  return order;
}

std::vector<FrameId> deepest_first(const Frames& frames) {
  std::vector<FrameId> order;
  std::vector<int> depth;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    order.emplace_back(i);
    depth.push_back(frames.depth(FrameId(i)));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](FrameId a, FrameId b) { return depth[a.index()] > depth[b.index()]; });
  return order;
}

}  // namespace

bool Projection::ForceSum::empty() const { return is_zero(plain) && scaled.empty(); }

Projection::Projection(Kinematics& kinematics, Method method)
    : kinematics_(kinematics),
      method_(method),
      forces_(kinematics.point_count()),
      torques_(kinematics.system().frames().size()),
      rate_forces_(kinematics.model().symbols.size()),
      column_forces_(at(kinematics.model().column_count)) {}

// ---- collecting ---------------------------------------------------------------------------------------------------------

void Projection::add(ForceSum& sum, const Expr& factor, const Expr3& vector) {
  if (is_zero(vector) || factor.is_zero()) return;
  for (Scaled& s : sum.scaled) {
    if (s.vector == vector) {
      s.factor += factor;
      return;
    }
  }
  constexpr std::size_t kMostKeptApart = 2;
  if (sum.scaled.size() == kMostKeptApart) {
    const Scaled& oldest = sum.scaled.front();
    sum.plain = kane::add(sum.plain, scale(oldest.factor, oldest.vector));
    sum.scaled.erase(sum.scaled.begin());
  }
  sum.scaled.push_back({factor, vector});
}

void Projection::add(ForceSum& sum, const ForceSum& more) {
  sum.plain = kane::add(sum.plain, more.plain);
  for (const Scaled& s : more.scaled) add(sum, s.factor, s.vector);
}

void Projection::add_force(PointId p, const Expr3& force) {
  ForceSum& sum = forces_[p.index()];
  sum.plain = kane::add(sum.plain, force);
}

void Projection::add_force(PointId p, const Expr& factor, const Expr3& vector) {
  add(forces_[p.index()], factor, vector);
}

void Projection::add_force(PointId p, const Vector& force) {
  add_force(p, kinematics_.bases().express(force, kinematics_.point(p).basis));
}

void Projection::add_torque(FrameId f, const Vector& torque) { torques_[f.index()] += torque; }

// ---- arithmetic of sums -------------------------------------------------------------------------------------------------

Projection::ForceSum Projection::moved(const ForceSum& sum, FrameId from, FrameId to) const {
  if (from == to) return sum;
  ForceSum r;
  r.plain = kinematics_.bases().express(sum.plain, from, to);
  for (const Scaled& s : sum.scaled) r.scaled.push_back({s.factor, kinematics_.bases().express(s.vector, from, to)});
  return r;
}

Expr Projection::dot(const ForceSum& sum, const Expr3& c) {
  Expr r = kane::dot(sum.plain, c);
  for (const Scaled& s : sum.scaled) r += s.factor * kane::dot(s.vector, c);
  return r;
}

Expr3 Projection::moment(const Expr3& arm, const ForceSum& sum) {
  Expr3 r = cross(arm, sum.plain);
  for (const Scaled& s : sum.scaled) r = kane::add(r, scale(s.factor, cross(arm, s.vector)));
  return r;
}

void Projection::add_to_rate(int rate, const Expr& value) { rate_forces_[at(rate)] += value; }
void Projection::add_to_column(int column, const Expr& value) { column_forces_[at(column)] += value; }

// ---- handing down -------------------------------------------------------------------------------------------------------

void Projection::hand_down_force(PointId p) {
  const ForceSum force = std::move(forces_[p.index()]);
  forces_[p.index()] = {};
  if (force.empty() || p == kinematics_.system().origin()) return;
  const VelocityForm& v = kinematics_.point(p);
  if (v.direct || method_ == Method::Textbook) {
    for (const PartialVelocity& r : v.partials) {
      if (wanted_[at(r.column)]) add_to_column(r.column, dot(force, r.c));
    }
    return;
  }
  const PointRecord& record = kinematics_.record(p);
  if (record.carrier.valid()) {
    const PointId fixed = kinematics_.anchor(record.carrier);
    const Expr3 arm = kinematics_.bases().express(kinematics_.system().position(p, fixed), v.basis);
    torques_[record.carrier.index()] += Vector(v.basis, moment(arm, force));
    add(forces_[fixed.index()], moved(force, v.basis, kinematics_.point(fixed).basis));
    return;
  }
  for (std::size_t i = 0; i < record.offset.terms().size(); ++i) {
    const auto& [g, c] = record.offset.terms()[i];
    const ForceSum local = moved(force, v.basis, g);
    for (const auto& [rate, coefficient] : kinematics_.offset_rate(p, i).terms) {
      if (wanted_rate_[at(rate)]) add_to_rate(rate, dot(local, coefficient));
    }
    if (!kinematics_.frame(g).at_rest()) torques_[g.index()] += Vector(g, moment(c, local));
  }
  for (const auto& [column, direction] : kinematics_.point_auxiliaries(p)) {
    if (wanted_[at(column)]) {
      add_to_column(column, dot(force, kinematics_.bases().express(direction, v.basis)));
    }
  }
  if (!kinematics_.point(record.parent).at_rest()) {
    add(forces_[record.parent.index()], moved(force, v.basis, kinematics_.point(record.parent).basis));
  }
}

void Projection::project_torque(FrameId f, FrameId basis, const Expr3& torque) {
  for (const PartialVelocity& r : kinematics_.frame(f, basis).partials) {
    if (wanted_[at(r.column)]) add_to_column(r.column, kane::dot(torque, r.c));
  }
}

bool Projection::project_direct_torque(FrameId f, const Vector& torque) {
  if (method_ == Method::Textbook) {
    for (const Vector::Term& t : torque.terms()) {
      const FrameId basis = kinematics_.system().frames().descends(f, t.frame) ? t.frame : f;
      project_torque(f, basis, kinematics_.bases().express(t.c, t.frame, basis));
    }
    return true;
  }
  if (kinematics_.model().constant) return false;
  for (const FrameId basis : {torque.terms().size() == 1 ? torque.terms().front().frame : f, f}) {
    if (!kinematics_.frame(f, basis).direct) continue;
    project_torque(f, basis, kinematics_.bases().express(torque, basis));
    return true;
  }
  return false;
}

void Projection::hand_down_torque(FrameId f) {
  const Vector torque = std::move(torques_[f.index()]);
  torques_[f.index()] = {};
  if (torque.is_zero() || f == kinematics_.system().inertial()) return;
  if (project_direct_torque(f, torque)) return;
  const Frames& frames = kinematics_.system().frames();
  const Frames::Frame& frame = frames[f];
  const bool axis = std::holds_alternative<std::monostate>(frame.definition);
  for (const auto& [rate, c] : kinematics_.frame_edge(f).terms) {
    if (!wanted_rate_[at(rate)]) continue;
    Expr sum;
    for (const Vector::Term& t : torque.terms()) {
      const FrameId home = axis && t.frame != f ? frame.parent : f;  // an axis has the same components in the parent
      sum += kane::dot(kinematics_.bases().express(c, home, t.frame), t.c);
    }
    add_to_rate(rate, sum);
  }
  for (const auto& [column, direction] : kinematics_.frame_auxiliaries(f)) {
    if (!wanted_[at(column)]) continue;
    for (const Vector::Term& t : torque.terms()) {
      add_to_column(column, kane::dot(kinematics_.bases().express(direction, t.frame), t.c));
    }
  }
  if (kinematics_.frame(frame.parent).at_rest()) return;
  for (const Vector::Term& t : torque.terms()) {
    torques_[frame.parent.index()] +=
        t.frame == f ? Vector(frame.parent, kinematics_.bases().express(t.c, f, frame.parent)) : Vector(t.frame, t.c);
  }
}

std::vector<Expr> Projection::project(const std::vector<bool>& wanted) {
  wanted_ = wanted;
  const RateModel& model = kinematics_.model();
  wanted_rate_.assign(model.symbols.size(), false);
  for (std::size_t k = 0; k < model.W.size(); ++k) {
    for (const auto& [column, w] : model.W[k]) {
      if (wanted_[at(column)]) wanted_rate_[k] = true;
    }
  }
  for (const PointId p : leaves_first(kinematics_)) hand_down_force(p);
  for (const FrameId f : deepest_first(kinematics_.system().frames())) hand_down_torque(f);
  for (std::size_t k = 0; k < model.W.size(); ++k) {
    if (rate_forces_[k].is_zero()) continue;
    for (const auto& [column, w] : model.W[k]) {
      if (wanted_[at(column)]) add_to_column(column, w * rate_forces_[k]);
    }
  }
  return column_forces_;
}

}  // namespace kane
