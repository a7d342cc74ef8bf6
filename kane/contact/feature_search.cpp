#include "kane/contact/feature_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kane {

namespace {

using Kind = ContactShape::Kind;

/// Tilt of a cylinder (as a sine) up to which points all around its rim are considered.
constexpr double kNearlyFlat = 0.05;
/// Edges this far (as a sine) outside their range of normals may enter it within a step.
constexpr double kTurnSlack = 0.2;

/// One of two shapes as the bearer of features, the other one as what they lie on.
class FeatureSearch {
 public:
  FeatureSearch(const ContactShape& first, const RigidMotion& m1, const ContactShape& second, const RigidMotion& m2,
                bool swapped, double reach, FeatureVisitor visit)
      : first_(first), m1_(m1), second_(second), m2_(m2), swapped_(swapped), reach_(reach), visit_(visit) {}

  void visit_on_plane() const {
    if (first_.kind == Kind::Core) {
      for (std::size_t c = 0; c < first_.core.corners.size(); ++c) offer({Feature::Kind::CornerPlane, c, 0});
      return;
    }
    if (first_.kind == Kind::Ellipsoid) return offer({Feature::Kind::EllipsoidPlane, 0, 0});
    const Vec3 n = m2_.R * second_.axis, a = m1_.R * first_.axis;
    const bool flat = norm(cross(n, a)) < kNearlyFlat;
    for (std::size_t end = 0; end < ends(); ++end) {
      offer({Feature::Kind::RimPlane, end, 0});
      for (std::size_t i = 0; i < kRimPoints && flat; ++i) offer({Feature::Kind::RimPointPlane, end + 2 * i, 0});
    }
  }

  void visit_corners() const {
    if (first_.kind == Kind::Cylinder && second_.kind == Kind::Core && second_.rounding() == 0) return visit_rims();
    const bool round = second_.kind == Kind::Cylinder && first_.rounding() > 0;
    const auto kind = round ? Feature::Kind::CornerCylinder : Feature::Kind::CornerCore;
    // A point or a line without radius has no faces; features of the other shape meet it.
    if (!round && second_.core.faces.empty() && second_.rounding() == 0 && first_.rounding() == 0) return;
    for (std::size_t c = 0; c < first_.core.corners.size(); ++c) offer({kind, c, 0});
  }

  void visit_edges() const {
    const Polytope &a = first_.core, &b = second_.core;
    const double near = reach_ + first_.rounding() + second_.rounding();
    const bool on_ends = ends_lie_on_each_other();
    for (std::size_t i = 0; i < a.edges.size(); ++i) {
      const Vec3 p = m1_.place(a.corners[a.edges[i].from]), d = m1_.place(a.corners[a.edges[i].to]) - p;
      const bool rim = on_ends && across_axis(first_, a.edges[i]);
      for (std::size_t j = 0; j < b.edges.size(); ++j) {
        if (rim && across_axis(second_, b.edges[j])) continue;
        const Vec3 q = m2_.place(b.corners[b.edges[j].from]), e = m2_.place(b.corners[b.edges[j].to]) - q;
        const Vec3 n = cross(d, e);
        const double squared = dot(n, n);
        if (!(squared > 1e-10 * dot(d, d) * dot(e, e))) continue;
        const double size = std::sqrt(squared);
        if (std::abs(dot(n, p - q)) > near * size) continue;
        const double r = dot(cross(e, p - q), n) / squared, t = dot(cross(d, p - q), n) / squared;
        const double sr = reach_ / norm(d) + 0.05, st = reach_ / norm(e) + 0.05;
        if (r < -sr || r > 1 + sr || t < -st || t > 1 + st) continue;
        if (faces_each_other(a.edges[i], b.edges[j], n, size)) visit_({Feature::Kind::EdgeEdge, i, j}, swapped_);
      }
    }
  }

 private:
  /// Two cylinders with parallel axes that overlap widely, such as a pile of coins: the corners of both rims bear each other, and
  /// the crossings of their edges in between say nothing more.
  [[nodiscard]] bool ends_lie_on_each_other() const {
    if (first_.kind != Kind::Cylinder || second_.kind != Kind::Cylinder) return false;
    const Vec3 a = m1_.R * first_.axis, b = m2_.R * second_.axis;
    if (norm(cross(a, b)) > kNearlyFlat) return false;
    const Vec3 apart = m1_.place(first_.centre) - m2_.place(second_.centre);
    constexpr double kWide = 0.9;
    return norm(apart - dot(apart, b) * b) < kWide * std::max(first_.radius, second_.radius);
  }
  /// An edge of a rim.
  [[nodiscard]] static bool across_axis(const ContactShape& s, const Polytope::Edge& e) {
    const Vec3 d = s.core.corners[e.to] - s.core.corners[e.from];
    return std::abs(dot(d, s.axis)) < 0.5 * norm(d);
  }

  [[nodiscard]] std::size_t ends() const { return first_.length > 0 ? 2 : 1; }
  [[nodiscard]] Touch touch(const Feature& feature) const { return calc_touch(feature, {}, first_, m1_, second_, m2_); }

  void offer(const Feature& feature) const {
    const Touch t = touch(feature);
    // A sharp corner beside the solid is not above any of its faces.
    if (t.gap.v > reach_ || t.inside < -reach_) return;
    visit_(feature, swapped_);
  }

  void visit_rims() const {
    if (second_.core.faces.empty()) return;
    const Vec3 a = m1_.R * first_.axis;
    for (std::size_t end = 0; end < ends(); ++end) {
      const Feature rim{Feature::Kind::RimCore, end, 0};
      visit_(rim, swapped_);
      const Touch t = touch(rim);
      const bool flat = t.valid && norm(cross(t.normal.v, a)) < kNearlyFlat;
      for (std::size_t i = 0; i < kRimPoints && flat; ++i) offer({Feature::Kind::RimPointCore, end + 2 * i, 0});
      if (!flat && (!t.valid || t.inside <= 0)) visit_nearest_corners(end);
    }
  }

  /// Where a rim crosses the border of a face, the corners of the prism take over; the nearest few suffice.
  void visit_nearest_corners(std::size_t end) const {
    constexpr std::size_t kFew = 4;
    double last = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kFew; ++k) {
      std::size_t best = kNoIndex;
      double least = reach_;
      for (std::size_t c = end; c < first_.core.corners.size(); c += 2) {
        const Touch t = touch({Feature::Kind::CornerCore, c, 0});
        if (t.gap.v > last && t.gap.v < least && t.inside >= -reach_) best = c, least = t.gap.v;
      }
      if (best == kNoIndex) return;
      offer({Feature::Kind::CornerCore, best, 0});
      last = least;
    }
  }

  [[nodiscard]] bool faces_each_other(const Polytope::Edge& a, const Polytope::Edge& b, const Vec3& n,
                                      double size) const {
    for (const double sign : {-1.0, 1.0}) {
      bool good = true;
      for (std::size_t k = 0; k < 2; ++k) {
        if (b.faces[k] != kNoIndex) good = good && sign * dot(n, m2_.R * b.inward[k]) < kTurnSlack * size;
        if (a.faces[k] != kNoIndex) good = good && -sign * dot(n, m1_.R * a.inward[k]) < kTurnSlack * size;
      }
      if (good) return true;
    }
    return false;
  }

  const ContactShape& first_;
  const RigidMotion& m1_;
  const ContactShape& second_;
  const RigidMotion& m2_;
  bool swapped_;
  double reach_;
  FeatureVisitor visit_;
};

}  // namespace

void find_features(const ContactShape& a, const RigidMotion& ma, const ContactShape& b, const RigidMotion& mb,
                   double reach, FeatureVisitor visit) {
  const FeatureSearch first(a, ma, b, mb, false, reach, visit), second(b, mb, a, ma, true, reach, visit);
  if (a.kind == Kind::Plane || b.kind == Kind::Plane) return (a.kind == Kind::Plane ? second : first).visit_on_plane();
  if (b.is_ball()) return second.visit_corners();
  first.visit_corners();
  if (a.is_ball()) return;
  second.visit_corners();
  first.visit_edges();
}

}  // namespace kane
