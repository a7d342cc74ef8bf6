#include "kane/contact/contact_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/contact/feature_search.hpp"

namespace kane {

namespace {

using Kind = ContactShape::Kind;

/// Gaps below this fraction of the smaller shape are closed.
constexpr double kClosedShare = 1e-6;
/// Places within this fraction are looked at even if nothing moves.
constexpr double kSlackShare = 1e-3;
/// Corners and edges at the same place, to this fraction, are one.
constexpr double kSameShare = 1e-4;

bool is_sharp(const Feature& feature) {
  return feature.kind == Feature::Kind::CornerCore || feature.kind == Feature::Kind::RimPointCore ||
         feature.kind == Feature::Kind::RimCore;
}

/// The face of a convex solid through which a point enters it on its way from x0 to x1 (in the axes of the solid): the one it
/// crosses last.
std::size_t find_entry(const Polytope& core, const Vec3& x0, const Vec3& x1) {
  std::size_t best = kNoIndex;
  double latest = -1;
  for (std::size_t i = 0; i < core.faces.size(); ++i) {
    const auto& f = core.faces[i];
    const double from = dot(f.normal, x0) - f.offset, to = dot(f.normal, x1) - f.offset;
    if (from < 0 || to >= from) continue;
    const double crossing = from / (from - to);
    if (crossing > latest) latest = crossing, best = i;
  }
  return best;
}

/// The distance from the middle of a shape to its nearest surface.
double depth_of(const ContactShape& shape) {
  if (shape.kind == Kind::Plane) return std::numeric_limits<double>::infinity();
  if (shape.kind == Kind::Ellipsoid) return std::min({shape.semi_axes.x, shape.semi_axes.y, shape.semi_axes.z});
  double least = shape.core.faces.empty() ? 0.0 : std::numeric_limits<double>::infinity();
  for (const auto& f : shape.core.faces) least = std::min(least, f.offset - dot(f.normal, shape.centre));
  return least + shape.rounding();
}

Vec3 in_body(const Vec3& x, const RigidMotion& m) { return transposed(m.R) * (x - m.p); }

/// How far one can go from x along the unit vector `way` before one leaves the core.
double calc_thickness(const Polytope& core, const RigidMotion& m, const Vec3& x, const Vec3& way) {
  if (core.faces.empty()) return 0;
  const Vec3 from = in_body(x, m), along = transposed(m.R) * way;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& f : core.faces) {
    const double rate = dot(f.normal, along);
    if (rate > 0) least = std::min(least, (f.offset - dot(f.normal, from)) / rate);
  }
  return std::max(least, 0.0);
}

/// Edges that have passed each other by more than `slack` overlap only if the solids do between them. If they do not, the
/// first shape is beyond the far side of the second one: the sign of the normal, which the faces next to the edges decide,
/// does not tell an edge that has been reached from one at the back.
bool overlap_between(const Touch& t, const ContactShape& first, const RigidMotion& m1, const ContactShape& second,
                     const RigidMotion& m2, double slack) {
  const double passed = -(t.gap.v + first.rounding() + second.rounding());
  if (passed <= slack) return true;
  const Vec3& n = t.normal.v;
  const Vec3 x1 = t.first.v + first.rounding() * n, x2 = t.second.v - second.rounding() * n;
  return calc_thickness(first.core, m1, x1, n) + calc_thickness(second.core, m2, x2, -n) >= passed - slack;
}

}  // namespace

double ContactField::size_of_pair(std::size_t pair) const {
  const ContactPair& p = scene_.pairs()[pair];
  return std::min(sizes_[p.first], sizes_[p.second]);
}

void ContactField::prepare() {
  if (near_ && version_ == scene_.shape_version()) return;
  version_ = scene_.shape_version();
  near_ = std::make_unique<NearPairs>(scene_.shapes(), scene_.pairs());
  sizes_.clear();
  depths_.clear();
  for (const ContactShape& shape : scene_.shapes()) sizes_.push_back(shape.size()), depths_.push_back(depth_of(shape));
  bounds_.resize(sizes_.size()), travel_.resize(sizes_.size());
}

void ContactField::find(double h) {
  prepare();
  std::swap(before_, places_);
  places_.clear();
  old_begin_ = old_end_ = 0;
  longest_step_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const ContactShape& shape = scene_.shapes()[i];
    if (shape.kind == Kind::Plane) continue;
    const RigidMotion& m = motion(static_cast<std::uint32_t>(i));
    travel_[i] = h * (norm(m.velocity(m.place(shape.centre))) + norm(m.w) * sizes_[i]) + kSlackShare * sizes_[i];
    bounds_[i] = bounds_of(shape, m);
    const Vec3 grown{travel_[i], travel_[i], travel_[i]};
    bounds_[i] = {bounds_[i].low - grown, bounds_[i].high + grown};
  }
  const auto found = near_->find(bounds_);
  const auto planes = near_->plane_pairs();
  for (std::size_t i = 0, j = 0; i < found.size() || j < planes.size();) {
    const bool plane = i == found.size() || (j < planes.size() && planes[j] < found[i]);
    const std::uint32_t pair = plane ? planes[j++] : found[i++];
    const ContactPair& p = scene_.pairs()[pair];
    double reach = travel_[p.first];
    if (plane) {
      const ContactShape &shape = scene_.shapes()[p.first], &below = scene_.shapes()[p.second];
      const RigidMotion &m = motion(static_cast<std::uint32_t>(p.first)),
                        &m2 = motion(static_cast<std::uint32_t>(p.second));
      const Vec3 centre = m.place(shape.centre), n = m2.R * below.axis;
      reach += h * (norm(m2.velocity(centre)));
      if (dot(n, centre - m2.place(below.centre)) - sizes_[p.first] > reach) continue;
    } else {
      reach += travel_[p.second];
      constexpr double kPart = 0.8;
      const double apart = (reach - kSlackShare * (sizes_[p.first] + sizes_[p.second])) / h;
      if (apart > 0) longest_step_ = std::min(longest_step_, kPart * (depths_[p.first] + depths_[p.second]) / apart);
    }
    add(pair, reach);
  }
}

void ContactField::add(std::uint32_t pair, double reach) {
  while (old_end_ < before_.size() && before_[old_end_].pair < pair) ++old_end_;
  old_begin_ = old_end_;
  while (old_end_ < before_.size() && before_[old_end_].pair == pair) ++old_end_;
  pair_begin_ = places_.size();
  const ContactPair& p = scene_.pairs()[pair];
  const auto first = static_cast<std::uint32_t>(p.first), second = static_cast<std::uint32_t>(p.second);
  find_features(scene_.shapes()[first], motion(first), scene_.shapes()[second], motion(second), reach,
                [&](const Feature& feature, bool swapped) { offer(pair, feature, swapped, reach); });
}

Touch ContactField::calc(const ContactPlace& place, const Hold& hold) const {
  return calc_touch(place.feature, hold, scene_.shapes()[place.first], motion(place.first),
                    scene_.shapes()[place.second], motion(place.second));
}

void ContactField::read(const Touch& touch, ContactPlace& place) const {
  place.gap = touch.gap.v;
  place.normal = touch.normal.v;
  place.point1 = touch.first.v, place.point2 = touch.second.v;
  find_grain(place);
}

void ContactField::find_grain(ContactPlace& place) const {
  place.ratio = 1;
  const ContactScene::Grain* grain = scene_.grain(place.pair);
  if (grain == nullptr) return;
  place.grain = scene_.body(grain->body).motion.R * grain->along;
  constexpr double kAcross = 1e-3;  // the direction is not normal to the surface
  if (norm(cross(place.normal, place.grain)) > kAcross * norm(grain->along)) place.ratio = grain->ratio;
}

/// Where a rim touches, across its axis: used where it lies flat.
void ContactField::remember_rim(ContactPlace& place) const {
  const ContactShape& rim = scene_.shapes()[place.first];
  const RigidMotion& m = motion(place.first);
  const Vec3 a = m.R * rim.axis;
  const Vec3 n = place.feature.kind == Feature::Kind::RimPlane
                     ? motion(place.second).R * scene_.shapes()[place.second].axis
                     : calc(place, place.hold).normal.v;
  const Vec3 across_axis = n - dot(n, a) * a;
  if (norm(across_axis) > 1e-5)
    place.hold.rim = transposed(m.R) * -unit(across_axis);
  else if (std::abs(dot(place.hold.rim, rim.axis)) > 1e-6)
    place.hold.rim = across(rim.axis);
}

void ContactField::offer(std::uint32_t pair, const Feature& feature, bool swapped, double reach) {
  const ContactPair& p = scene_.pairs()[pair];
  ContactPlace place;
  for (std::size_t i = old_begin_; i < old_end_; ++i)
    if (before_[i].feature == feature && before_[i].swapped == swapped) place = before_[i];
  place.pair = pair, place.swapped = swapped, place.feature = feature;
  place.first = static_cast<std::uint32_t>(swapped ? p.second : p.first);
  place.second = static_cast<std::uint32_t>(swapped ? p.first : p.second);
  place.speculative = false;
  if (feature.kind == Feature::Kind::RimPlane || feature.kind == Feature::Kind::RimCore) remember_rim(place);
  const double size = size_of_pair(pair), closed = kClosedShare * size;
  Touch t = calc(place, place.hold);
  if (place.hold.holds && !(t.valid && t.inside >= -closed && t.gap.v <= closed)) {
    place.hold.holds = false;
    t = calc(place, place.hold);
  }
  if (!t.valid || t.gap.v > reach) return;
  if (feature.kind == Feature::Kind::EdgeEdge && !place.hold.holds &&
      !overlap_between(t, scene_.shapes()[place.first], motion(place.first), scene_.shapes()[place.second],
                       motion(place.second), closed))
    return;
  read(t, place);
  place.closed = t.gap.v <= closed && t.inside >= -closed;
  if (place.closed) {
    place.hold.holds = true, place.hold.face = t.face, place.hold.sign = t.sign;
    for (std::size_t i = pair_begin_; i < places_.size(); ++i)
      if (places_[i].closed && norm(places_[i].point2 - place.point2) < kSameShare * size &&
          dot(places_[i].normal, swapped == places_[i].swapped ? place.normal : -place.normal) > 1 - 1e-6)
        return;
  } else {
    place.press = place.spin = 0, place.drag = place.roll = {};
    place.hold.holds = false;
    place.sticks = true;
  }
  places_.push_back(place);
}

void ContactField::speculate(std::span<const RigidMotion> ends, const std::vector<bool>& known) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    ContactPlace& place = places_[i];
    if (known[i] || place.closed) continue;
    place.speculative = false;
    const ContactShape &first = scene_.shapes()[place.first], &second = scene_.shapes()[place.second];
    const RigidMotion& end1 = first.body == kNoIndex ? scene_.body(kNoIndex).motion : ends[first.body];
    const RigidMotion& end2 = second.body == kNoIndex ? scene_.body(kNoIndex).motion : ends[second.body];
    Hold hold = place.hold;
    hold.holds = false;
    const Touch at_end = calc_touch(place.feature, hold, first, end1, second, end2);
    place.speculative = at_end.valid && at_end.gap.v < 0;
    if (!place.speculative || !is_sharp(place.feature)) continue;
    // The face by which it enters, which need not be the one it is farthest outside of now.
    const Touch now = calc(place, hold);
    const std::size_t face =
        find_entry(second.core, in_body(now.first.v, motion(place.second)), in_body(at_end.first.v, end2));
    if (face == kNoIndex) continue;
    hold.holds = true, hold.face = face;
    read(calc(place, hold), place);
  }
}

void ContactField::refresh() {
  for (ContactPlace& place : places_) read(calc(place, place.hold), place);
}

}  // namespace kane
