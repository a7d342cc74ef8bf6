#include "kane/contact/contact_scene.hpp"

#include <algorithm>
#include <limits>

#include "kane/contact/fcl_distances.hpp"
#include "kane/contact/feature_search.hpp"

namespace kane {

namespace {

using Kind = ContactShape::Kind;

/// Features within twice this fraction of the smaller shape get slots; a step moves nothing by more than the fraction.
constexpr double kMargin = 0.05;
/// Few enough slots for the complementarity problem, and enough for a small tower.
constexpr std::size_t kMostSlots = 64;
/// Gaps below this fraction of the margin may close soon.
constexpr double kClosing = 0.01;

}  // namespace

ContactScene::ContactScene(std::vector<ContactShape> shapes, std::vector<ContactPair> pairs, std::size_t speeds,
                           std::size_t slots)
    : pairs_(std::move(pairs)), slots_(slots), touches_(slots), tangents_(slots), travels_(pairs_.size()), n_(speeds) {
  set_shapes(std::move(shapes));
}

ContactScene::~ContactScene() = default;

void ContactScene::set_shapes(std::vector<ContactShape> shapes) {
  shapes_ = std::move(shapes);
  std::size_t bodies = 0;
  reaches_.clear(), sizes_.clear();
  for (const ContactShape& s : shapes_) {
    if (s.body != kNoIndex) bodies = std::max(bodies, s.body + 1);
    reaches_.push_back(s.reach()), sizes_.push_back(s.size());
  }
  bodies_.resize(bodies);
  ++version_, ++shape_version_;
  fcl_ = std::make_unique<FclDistances>(shapes_);
}

void ContactScene::set_grain(std::size_t pair, const Grain& grain) {
  if (grains_.size() < pairs_.size()) grains_.resize(pairs_.size());
  if (grains_[pair].body == grain.body && grains_[pair].ratio == grain.ratio &&
      norm(grains_[pair].along - grain.along) == 0)
    return;
  grains_[pair] = grain;
  ++version_;
}

void ContactScene::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  overflown_ = false;
  ++version_;
}

void ContactScene::copy_slots(const ContactScene& from) {
  slots_ = from.slots_;
  touches_ = from.touches_;
  longest_step_ = from.longest_step_;
  travels_ = from.travels_;
  ++version_;
}

void ContactScene::keep_slots() {
  kept_slots_ = slots_, kept_touches_ = touches_;
  kept_longest_step_ = longest_step_, kept_overflown_ = overflown_;
}

void ContactScene::restore_slots() {
  slots_ = kept_slots_, touches_ = kept_touches_;
  longest_step_ = kept_longest_step_, overflown_ = kept_overflown_;
  ++version_;
}

void ContactScene::save(Memory& memory) const { memory = {slots_, touches_, travels_, overflown_, longest_step_}; }

void ContactScene::restore(const Memory& memory) {
  slots_ = memory.slots, touches_ = memory.touches, travels_ = memory.travels;
  overflown_ = memory.overflown, longest_step_ = memory.longest_step;
  ++version_;
}

ContactScene::Sides ContactScene::sides(std::size_t pair, bool swapped) const {
  const ContactPair& p = pairs_[pair];
  const ContactShape& first = shapes_[swapped ? p.second : p.first];
  const ContactShape& second = shapes_[swapped ? p.first : p.second];
  return {&first, &second, &body_of(first), &body_of(second)};
}

// ---- distances ---------------------------------------------------------------------------------------------------------

double ContactScene::margin(const ContactPair& pair) const {
  return kMargin * std::min(sizes_[pair.first], sizes_[pair.second]);
}

/// No two points of the shapes approach each other faster.
double ContactScene::speed_bound(const ContactPair& pair) const {
  const ContactShape &a = shapes_[pair.first], &b = shapes_[pair.second];
  const RigidMotion& ma = body_of(a).motion;
  const RigidMotion& mb = body_of(b).motion;
  const double far = norm(ma.place(a.centre) - mb.place(b.centre));
  const double ra = a.kind == Kind::Plane ? far : sizes_[pair.first];
  const double rb = b.kind == Kind::Plane ? far : sizes_[pair.second];
  return norm(ma.velocity(ma.place(a.centre)) - mb.velocity(mb.place(b.centre))) + norm(ma.w) * ra + norm(mb.w) * rb;
}

/// A lower bound on the distance, from balls around the shapes or along the normals of faces.
double ContactScene::distance_bound(const ContactPair& pair) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const bool swapped : {false, true}) {
    const ContactShape& a = shapes_[swapped ? pair.second : pair.first];
    const ContactShape& b = shapes_[swapped ? pair.first : pair.second];
    const RigidMotion& ma = body_of(a).motion;
    const RigidMotion& mb = body_of(b).motion;
    const auto above = [&](const Vec3& n, const Vec3& point) {
      double least = std::numeric_limits<double>::infinity();
      for (const Vec3& c : a.core.corners) least = std::min(least, dot(n, ma.place(c) - point));
      return least - a.rounding();
    };
    if (a.kind == Kind::Plane) continue;
    if (a.kind == Kind::Ellipsoid) return calc_touch({Feature::Kind::EllipsoidPlane, 0, 0}, {}, a, ma, b, mb).gap.v;
    if (b.kind == Kind::Plane)
      return above(mb.R * b.axis, mb.place(b.centre)) - (a.kind == Kind::Cylinder ? 0.01 * a.radius : 0);
    if (!swapped) {
      const double apart = norm(ma.place(a.centre) - mb.place(b.centre));
      most = apart - sizes_[pair.first] - sizes_[pair.second];
      if (most > sizes_[pair.first] + sizes_[pair.second]) return most;
    }
    for (const auto& f : b.core.faces)
      most = std::max(most, above(mb.R * f.normal, mb.place(b.core.corners[f.corners[0]])) - b.rounding() -
                                (b.kind == Kind::Cylinder ? 0.01 * b.radius : 0));
  }
  return most;
}

bool ContactScene::clearly_apart(std::size_t pair) const {
  const ContactPair& p = pairs_[pair];
  const ContactShape &a = shapes_[p.first], &b = shapes_[p.second];
  const Vec3 apart = body_of(a).motion.place(a.centre) - body_of(b).motion.place(b.centre);
  return norm(apart) > sizes_[p.first] + sizes_[p.second];  // never of a plane, whose size is infinite
}

double ContactScene::calc_distance(std::size_t pair) {
  const ContactPair& p = pairs_[pair];
  const ContactShape &a = shapes_[p.first], &b = shapes_[p.second];
  if (a.kind == Kind::Ellipsoid || b.kind == Kind::Ellipsoid) return distance_bound(p);
  const double distance = fcl_->calc(p.first, body_of(a).motion, p.second, body_of(b).motion);
  // The normals of faces give the depth of an overlap; FCL's depth of shapes that barely touch is not reliable.
  const bool plane = a.kind == Kind::Plane || b.kind == Kind::Plane;
  return distance > 0 || plane ? distance : std::min(0.0, distance_bound(p));
}

// ---- slots -------------------------------------------------------------------------------------------------------------

bool ContactScene::update(bool exact) {
  changed_ = overflown_ = false;
  longest_step_ = std::numeric_limits<double>::infinity();
  for (Slot& slot : slots_) slot.near = slot.hold.holds;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double m = margin(pairs_[i]);
    double distance = distance_bound(pairs_[i]);
    if (exact && distance > 2 * m) distance = std::max(distance, calc_distance(i) - 1e-3 * m);
    if (distance <= 2 * m) add_features(i, 2 * m);
    const double speed = speed_bound(pairs_[i]);
    if (speed > 0) longest_step_ = std::min(longest_step_, std::max(distance - m, m) / speed);
    travels_[i] = {speed, distance};
  }
  for (Slot& slot : slots_)
    if (slot.pair != kNoIndex && !slot.near) slot = {}, changed_ = true;
  if (changed_) ++version_;
  update_memory();
  return changed_;
}

double ContactScene::safe_part(double h) const {
  double least = 1;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double m = margin(pairs_[i]), travel = h * std::max(travels_[i].speed, speed_bound(pairs_[i]));
    // A quarter of the margin remains before a feature without a slot is reached.
    if (travel > std::max(travels_[i].distance - 0.25 * m, 1.75 * m))
      least = std::min(least, std::max(travels_[i].distance - m, m) / travel);
  }
  return least;
}

void ContactScene::add_features(std::size_t pair, double reach) {
  const Sides s = sides(pair, false);
  find_features(*s.first, s.b1->motion, *s.second, s.b2->motion, reach,
                [&](const Feature& feature, bool swapped) { offer(pair, swapped, feature); });
}

void ContactScene::offer(std::size_t pair, bool swapped, const Feature& feature) {
  Slot* empty = nullptr;
  for (Slot& slot : slots_) {
    if (slot.pair == pair && slot.swapped == swapped && slot.feature == feature) {
      if (slot.hold.holds) return;
      empty = &slot;
      break;
    }
    if (slot.pair == kNoIndex && empty == nullptr) empty = &slot;
  }
  if (empty == nullptr) {
    overflown_ = true;
    return;
  }
  empty->near = true;
  if (empty->pair == pair) return;
  *empty = Slot{pair, swapped, feature, {}, {}, true};
  const Sides s = sides(pair, swapped);
  const Touch t = calc_touch(feature, {}, *s.first, s.b1->motion, *s.second, s.b2->motion);
  const Vec3 n = t.valid ? t.normal.v : Vec3{0, 0, 1};
  empty->reference = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  changed_ = true;
}

/// Updates what slots remember: where a rim touched, and an axis that is well across the normal.
void ContactScene::update_memory() {
  for (Slot& slot : slots_) {
    if (slot.pair == kNoIndex) continue;
    const Sides s = sides(slot.pair, slot.swapped);
    const bool on_plane = slot.feature.kind == Feature::Kind::RimPlane;
    if (on_plane || slot.feature.kind == Feature::Kind::RimCore) {
      const Vec3 a = s.b1->motion.R * s.first->axis;
      const Vec3 n =
          on_plane ? s.b2->motion.R * s.second->axis
                   : calc_touch(slot.feature, slot.hold, *s.first, s.b1->motion, *s.second, s.b2->motion).normal.v;
      const Vec3 m = n - dot(n, a) * a;
      ++version_;
      if (norm(m) > 1e-5)
        slot.hold.rim = transposed(s.b1->motion.R) * -unit(m);
      else if (std::abs(dot(slot.hold.rim, s.first->axis)) > 1e-6)
        slot.hold.rim = across(s.first->axis);
    }
    const Touch t = calc_touch(slot.feature, slot.hold, *s.first, s.b1->motion, *s.second, s.b2->motion);
    if (t.valid && norm(cross(t.normal.v, slot.reference)) < 0.2) {
      slot.reference = std::abs(t.normal.v.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
      ++version_;
    }
  }
}

void ContactScene::hold(std::size_t slot, bool holds) {
  Slot& s = slots_[slot];
  if (s.hold.holds == holds) return;
  if (holds) {
    s.hold.face = touches_[slot].face;
    s.hold.sign = touches_[slot].sign;
  }
  s.hold.holds = holds;
  ++version_;
}

// ---- rows --------------------------------------------------------------------------------------------------------------

void ContactScene::calc() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    tangents_[i].needed = false;
    if (slot.pair == kNoIndex) {
      touches_[i] = {};
      continue;
    }
    const Sides s = sides(slot.pair, slot.swapped);
    const Touch& t = touches_[i] = calc_touch(slot.feature, slot.hold, *s.first, s.b1->motion, *s.second, s.b2->motion);
    // Friction is needed only where shapes touch or nearly do.
    if (!t.valid || !(slot.hold.holds || t.gap.v < kClosing * margin(pairs_[slot.pair]))) continue;
    JetVector first = unit(cross(t.normal, constant(slot.reference)));
    double ratio = 1;
    if (const Grain* g = grain(slot.pair)) {
      const JetVector across = cross(t.normal, body(g->body).motion.direction(g->along));
      constexpr double kAcross = 1e-3;  // the direction is not normal to the surface
      if (norm(across.v) > kAcross * norm(g->along)) first = cross(unit(across), t.normal), ratio = g->ratio;
    }
    tangents_[i] = {true, first, cross(t.normal, first), s.b1->motion.matter(t.first) - s.b2->motion.matter(t.second),
                    ratio};
  }
}

namespace {

/// a += sign * (force . jv + torque . jw).
void add_partials(const MovingBody& body, const Vec3& force, const Vec3& torque, double sign, double* a) {
  if (body.jv == nullptr) return;
  const std::size_t n = body.speeds.size();
  for (std::size_t j = 0; j < n; ++j)
    a[body.speeds[j]] += sign * (force.x * body.jv[j] + force.y * body.jv[n + j] + force.z * body.jv[2 * n + j] +
                                 torque.x * body.jw[j] + torque.y * body.jw[n + j] + torque.z * body.jw[2 * n + j]);
}

}  // namespace

ContactScene::RowValues ContactScene::calc_row(std::size_t i, Row row, double* a) const {
  std::fill_n(a, n_, 0.0);
  const Slot& slot = slots_[i];
  const Touch& t = touches_[i];
  if (slot.pair == kNoIndex || !t.valid) return {row == Row::Normal ? Touch::kFar : 0.0, 0, 0};
  const Tangents& tangents = tangents_[i];
  if (row != Row::Normal && !tangents.needed) return {};
  const Sides s = sides(slot.pair, slot.swapped);
  const JetVector& direction = row == Row::Slip1 || row == Row::Roll1   ? tangents.first
                               : row == Row::Slip2 || row == Row::Roll2 ? tangents.second
                                                                        : t.normal;
  const bool turning = row == Row::Roll1 || row == Row::Roll2 || row == Row::Spin;
  const Vec3& d = direction.v;
  const RigidMotion &m1 = s.b1->motion, &m2 = s.b2->motion;
  RowValues values;
  if (turning) {
    add_partials(*s.b1, {}, d, 1, a);
    add_partials(*s.b2, {}, d, -1, a);
    values.b = dot(d, s.b1->w_t - s.b2->w_t);
    values.gamma = -(dot(direction.d, m1.w - m2.w) + dot(d, m1.alpha - m2.alpha));
    return values;
  }
  const Vec3 torque1 = cross(t.first.v - m1.p, d), torque2 = cross(t.second.v - m2.p, d);
  add_partials(*s.b1, d, torque1, 1, a);
  add_partials(*s.b2, d, torque2, -1, a);
  values.b = dot(d, s.b1->v_t - s.b2->v_t) + dot(torque1, s.b1->w_t) - dot(torque2, s.b2->w_t);
  if (row == Row::Normal) {
    values.phi = t.gap.v;
    values.gamma = -t.gap.dd;
    return values;
  }
  values.gamma = -(dot(direction.d, tangents.slip.v) + dot(d, tangents.slip.d));
  if (row == Row::Slip2 && tangents.ratio != 1) {
    values.b *= tangents.ratio, values.gamma *= tangents.ratio;
    for (std::size_t j = 0; j < n_; ++j) a[j] *= tangents.ratio;
  }
  return values;
}

std::optional<ContactScene::Place> ContactScene::place(std::size_t i) const {
  const Slot& slot = slots_[i];
  const Touch& t = touches_[i];
  if (slot.pair == kNoIndex || !t.valid) return std::nullopt;
  const double sign = slot.swapped ? -1.0 : 1.0;
  Place place{t.second.v, sign * t.normal.v, {}, {}, sign};
  if (tangents_[i].needed)
    place.across1 = tangents_[i].first.v, place.across2 = tangents_[i].ratio * tangents_[i].second.v;
  return place;
}

void ContactScene::add_wrenches(std::size_t i, Row row, double force, std::span<double> wrenches) const {
  const Slot& slot = slots_[i];
  const Touch& t = touches_[i];
  if (force == 0 || slot.pair == kNoIndex || !t.valid) return;
  const Sides s = sides(slot.pair, slot.swapped);
  const Vec3& d = row == Row::Slip1 || row == Row::Roll1   ? tangents_[i].first.v
                  : row == Row::Slip2 || row == Row::Roll2 ? tangents_[i].second.v
                                                           : t.normal.v;
  const bool turning = row == Row::Roll1 || row == Row::Roll2 || row == Row::Spin;
  if (row == Row::Slip2) force *= tangents_[i].ratio;
  const auto add = [&](const ContactShape& shape, const Vec3& point, double size) {
    if (shape.body == kNoIndex) return;
    const Vec3 f = turning ? Vec3{} : size * d;
    const Vec3 torque = turning ? size * d : cross(point - bodies_[shape.body].motion.p, f);
    for (std::size_t k = 0; k < 3; ++k)
      wrenches[6 * shape.body + k] += f[k], wrenches[6 * shape.body + 3 + k] += torque[k];
  };
  add(*s.first, t.first.v, force);
  add(*s.second, t.second.v, -force);
}

std::size_t find_slot_count(std::span<const ContactShape> shapes, std::span<const ContactPair> pairs) {
  std::size_t sum = 0;
  for (const ContactPair& p : pairs) {
    const ContactShape &a = shapes[p.first], &b = shapes[p.second];
    if (a.is_ball() || b.is_ball())
      sum += 1;
    else if (a.kind == Kind::Cylinder && b.kind == Kind::Plane)
      sum += 2 + 2 * kRimPoints;
    else if (b.kind == Kind::Plane || a.kind == Kind::Plane)
      sum += std::min<std::size_t>(16, std::max(a.core.corners.size(), b.core.corners.size()));
    else
      sum += 16;
  }
  return std::min(sum, kMostSlots);
}

}  // namespace kane
