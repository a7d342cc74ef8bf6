#include "kane/mechanism/body_motion.hpp"

#include <map>

#include "kane/base/at.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

/// Speeds that are rates themselves: name of the rate -> speed. Empty if some are not.
std::map<std::string, const SpeedRecord*> find_plain_speeds(const System& s, const std::vector<Expr>& rates) {
  std::map<std::string, const SpeedRecord*> by_rate;
  for (const SpeedRecord& u : s.speeds())
    if (u.definition.is_symbol()) by_rate.emplace(u.definition.name(), &u);
  if (by_rate.size() != rates.size()) return {};
  for (const Expr& rate : rates)
    if (!by_rate.contains(rate.name())) return {};
  return by_rate;
}

Expr second_symbol(const System& s, const Expr& rate) { return s.graph().symbol(rate.name() + "'"); }

}  // namespace

SpeedRates form_speed_rates(const System& s) {
  SpeedRates r;
  const std::vector<Expr> rates = s.rates();
  const auto plain = find_plain_speeds(s, rates);
  if (plain.empty()) {
    Kinematical k = form_kinematical_equations(s);
    r.rates = r.second_rates = k.rates_to_speeds;
    const RateModel model = with_accelerations(k.model, s);
    for (std::size_t i = 0; i < rates.size(); ++i) r.second_rates.set(second_symbol(s, rates[i]), model.second[i]);
    r.qdot = std::move(k.qdot);
    r.warnings = std::move(k.warnings);
    return r;
  }
  for (const Expr& rate : rates) {
    const SpeedRecord& u = *plain.at(rate.name());
    r.rates.set(rate, u.symbol);
    r.second_rates.set(rate, u.symbol);
    r.second_rates.set(second_symbol(s, rate), u.derivative);
  }
  for (const AuxiliaryRecord& a : s.auxiliaries()) {
    r.rates.set(a.symbol, 0);
    r.second_rates.set(a.symbol, 0);
  }
  r.qdot = substitute(s.coordinate_rates(), r.rates);
  return r;
}

BodyMotion::BodyMotion(const LoweredMechanism& lowered, const SpeedRates& rates) : system_(lowered.system) {
  // Everything that has rates in it, to replace them in one go: per frame w_rel and w_rel', per term of an offset c' and c''.
  std::vector<Expr> all;
  const auto add_with_rate = [&](const Expr3& c) {
    for (const Expr& e : c) all.push_back(e);
    for (const Expr& e : c) all.push_back(system_.time_derivative(e));
  };
  for (std::size_t i = 1; i < system_.frames().size(); ++i)
    add_with_rate(system_.relative_angular_velocity(FrameId(i)));
  for (const PointRecord& p : system_.points()) {
    for (const Vector::Term& t : p.offset.terms()) {
      Expr3 rate;
      for (std::size_t k = 0; k < 3; ++k) rate[k] = system_.time_derivative(t.c[k]);
      add_with_rate(rate);
    }
  }
  all = substitute(all, rates.second_rates);
  form_frames(all);
  form_points(all);
}

void BodyMotion::form_frames(const std::vector<Expr>& rates) {
  const Frames& frames = system_.frames();
  frames_.resize(frames.size());
  frames_[0].rotation = identity33();
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const FrameId f(i);
    const FrameId parent = frames[f].parent;
    ensure(parent.index() < i, "frame {} stands before the frame it is oriented by", frames.name(f));
    const FrameMotion& p = frames_[parent.index()];
    FrameMotion& m = frames_[i];
    m.rotation = multiply(p.rotation, frames[f].rotation);
    const std::size_t first = 6 * (i - 1);
    const Expr3 relative{rates[first], rates[first + 1], rates[first + 2]};
    const Expr3 relative_rate{rates[first + 3], rates[first + 4], rates[first + 5]};
    const Expr3 carried = frames.from_parent(f, p.w);
    m.w = add(carried, relative);
    m.alpha = add(add(frames.from_parent(f, p.alpha), relative_rate), cross(carried, relative));
  }
}

void BodyMotion::form_points(const std::vector<Expr>& rates) {
  points_.resize(system_.points().size());
  std::size_t at = 6 * (system_.frames().size() - 1);
  for (std::size_t i = 0; i < points_.size(); ++i) form_point(i, rates, at);
}

void BodyMotion::form_point(std::size_t i, const std::vector<Expr>& rates, std::size_t& at) {
  const PointRecord& record = system_.points()[i];
  if (!record.parent.valid()) return;  // the origin
  ensure(record.parent.index() < i, "point {} stands before the point it is located from", record.name);
  PointMotion& m = points_[i];
  m = points_[record.parent.index()];
  for (const auto& [g, c] : record.offset.terms()) {
    const Expr3 slide{rates[at], rates[at + 1], rates[at + 2]};
    const Expr3 slide_rate{rates[at + 3], rates[at + 4], rates[at + 5]};
    at += 6;
    const FrameMotion& f = frames_[g.index()];
    m.position = add(m.position, multiply(f.rotation, c));
    const Expr3 swing = cross(f.w, c);
    m.velocity = add(m.velocity, multiply(f.rotation, add(slide, swing)));
    // c'' + alpha x c + w x (2 c' + w x c)
    const Expr3 inner = add(scale(2, slide), swing);
    const Expr3 a = add(add(slide_rate, cross(f.alpha, c)), cross(f.w, inner));
    m.acceleration = add(m.acceleration, multiply(f.rotation, a));
  }
}

Expr3 BodyMotion::express(const Vector& v) const {
  Expr3 sum;
  for (const auto& [f, c] : v.terms()) sum = add(sum, multiply(frames_[f.index()].rotation, c));
  return sum;
}

Expr3 BodyMotion::span(PointId from, PointId to) const { return subtract(position(to), position(from)); }

DeformingMotion BodyMotion::deforming(const DeformingInertia& e, const SpeedRates& rates) const {
  DeformingMotion m;
  m.w = angular_velocity(e.spec.frame);
  m.alpha = angular_acceleration(e.spec.frame);
  for (const Expr& q : e.spec.coordinates) {
    const Expr rate = system_.rate(q);
    m.rate.push_back(substitute(rate, rates.rates));
    m.second.push_back(substitute(system_.graph().symbol(rate.name() + "'"), rates.second_rates));
  }
  return m;
}

}  // namespace kane
