// The convex hull grows point by point: faces that see the new point are removed, and the rim of the hole is joined to it.
// Coplanar triangles are then merged, so that a cube of triangles has six faces and no diagonals.

#include "kane/contact/polytope.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostPoints = 5000;

/// Edges from the loops of the faces.
void find_edges(Polytope& p) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const auto& loop = p.faces[f].corners;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::size_t a = loop[i], b = loop[(i + 1) % loop.size()];
      const auto [found, fresh] = known.try_emplace({std::min(a, b), std::max(a, b)}, p.edges.size());
      if (fresh) p.edges.push_back({a, b, {kNoIndex, kNoIndex}, {}});
      Polytope::Edge& edge = p.edges[found->second];
      const std::size_t side = fresh ? 0 : 1;
      edge.faces[side] = f;
      edge.inward[side] = unit(cross(p.faces[f].normal, p.corners[b] - p.corners[a]));
    }
  }
}

Polytope from_loops(std::vector<Vec3> corners, std::vector<std::vector<std::size_t>> loops) {
  Polytope p;
  p.corners = std::move(corners);
  for (auto& loop : loops) {
    Polytope::Face face;
    Vec3 twice;  // Newell: exact for flat loops, and no corner is special
    for (std::size_t i = 0; i < loop.size(); ++i)
      twice = twice + cross(p.corners[loop[i]], p.corners[loop[(i + 1) % loop.size()]]);
    face.normal = unit(twice);
    face.offset = dot(face.normal, p.corners[loop[0]]);
    face.corners = std::move(loop);
    p.faces.push_back(std::move(face));
  }
  find_edges(p);
  return p;
}

class Hull {
 public:
  Hull(std::span<const Vec3> points, const std::string& what) : points_(points) {
    require(points.size() >= 4, "{} has {} points; a solid needs at least four", what, points.size());
    require(points.size() <= kMostPoints, "{} has {} points; at most {} are allowed", what, points.size(), kMostPoints);
    for (const Vec3& p : points) {
      require(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z), "{} has a point that is not finite",
              what);
      size_ = std::max(size_, norm(p - points[0]));
    }
    require(size_ > 0 && start(), "the points of {} lie in one plane; a solid is needed", what);
    for (std::size_t i = 0; i < points.size(); ++i) add(i);
  }

  Polytope polytope() {
    std::vector<std::size_t> group(triangles_.size());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
    merge(group);
    std::map<std::size_t, std::size_t> number;
    std::vector<Vec3> corners;
    std::vector<std::vector<std::size_t>> loops;
    for (std::size_t g = 0; g < group.size(); ++g) {
      if (group[g] != g) continue;
      std::vector<std::size_t> loop = outline(group, g);
      if (loop.size() < 3) continue;
      for (std::size_t& corner : loop) {
        const auto [found, fresh] = number.try_emplace(corner, corners.size());
        if (fresh) corners.push_back(points_[corner]);
        corner = found->second;
      }
      loops.push_back(std::move(loop));
    }
    return from_loops(std::move(corners), std::move(loops));
  }

 private:
  struct Triangle {
    std::array<std::size_t, 3> corners;
    Vec3 normal;
    double offset;
  };

  [[nodiscard]] Triangle triangle(std::size_t a, std::size_t b, std::size_t c) const {
    const Vec3 n = unit(cross(points_[b] - points_[a], points_[c] - points_[a]));
    return {{a, b, c}, n, dot(n, points_[a])};
  }
  [[nodiscard]] double above(const Triangle& t, std::size_t i) const { return dot(t.normal, points_[i]) - t.offset; }
  [[nodiscard]] double tolerance() const { return 1e-9 * size_; }

  template <class Measure>
  [[nodiscard]] std::size_t farthest(Measure measure) const {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (const double m = measure(points_[i]); m > most) most = m, best = i;
    return most > tolerance() ? best : kNoIndex;
  }

  bool start() {
    const Vec3 a = points_[0];
    const std::size_t b = farthest([&](const Vec3& p) { return norm(p - a); });
    if (b == kNoIndex) return false;
    const Vec3 along = unit(points_[b] - a);
    const std::size_t c = farthest([&](const Vec3& p) { return norm(cross(p - a, along)); });
    if (c == kNoIndex) return false;
    const Triangle base = triangle(0, b, c);
    const std::size_t d = farthest([&](const Vec3& p) { return std::abs(dot(base.normal, p) - base.offset); });
    if (d == kNoIndex) return false;
    const bool up = above(base, d) > 0;
    const std::size_t x = up ? c : b, y = up ? b : c;
    triangles_ = {triangle(0, x, y), triangle(0, y, d), triangle(y, x, d), triangle(x, 0, d)};
    return true;
  }

  void add(std::size_t i) {
    std::set<std::pair<std::size_t, std::size_t>> rim;
    std::vector<Triangle> kept;
    for (const Triangle& t : triangles_) {
      if (above(t, i) <= tolerance()) {
        kept.push_back(t);
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = t.corners[k], b = t.corners[(k + 1) % 3];
        if (rim.erase({b, a}) == 0) rim.insert({a, b});
      }
    }
    if (rim.empty()) return;
    for (const auto& [a, b] : rim) kept.push_back(triangle(a, b, i));
    triangles_ = std::move(kept);
  }

  /// Neighbours in one plane get the same group.
  void merge(std::vector<std::size_t>& group) const {
    const auto root = [&](std::size_t i) {
      while (group[i] != i) i = group[i];
      return i;
    };
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> side;
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) side[{triangles_[t].corners[k], triangles_[t].corners[(k + 1) % 3]}] = t;
    for (const auto& [edge, t] : side) {
      const auto other = side.find({edge.second, edge.first});
      if (other == side.end()) continue;
      const Triangle& a = triangles_[t];
      const Triangle& b = triangles_[other->second];
      double out = 0;
      for (const std::size_t c : b.corners) out = std::max(out, std::abs(above(a, c)));
      if (out > 4 * tolerance()) continue;
      const std::size_t x = root(t), y = root(other->second);
      group[std::max(x, y)] = std::min(x, y);
    }
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = root(i);
  }

  /// The loop around all triangles of a group, without corners in the middle of straight edges.
  [[nodiscard]] std::vector<std::size_t> outline(const std::vector<std::size_t>& group, std::size_t g) const {
    std::map<std::size_t, std::size_t> next;
    std::set<std::pair<std::size_t, std::size_t>> sides;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (group[t] != g) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = triangles_[t].corners[k], b = triangles_[t].corners[(k + 1) % 3];
        if (sides.erase({b, a}) == 0) sides.insert({a, b});
      }
    }
    for (const auto& [a, b] : sides) next[a] = b;
    std::vector<std::size_t> loop;
    if (next.empty()) return loop;
    std::size_t here = next.begin()->first;
    do {
      loop.push_back(here);
      here = next.at(here);
    } while (here != loop.front() && loop.size() <= next.size());
    std::vector<std::size_t> corners;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3 in = points_[loop[i]] - points_[loop[(i + loop.size() - 1) % loop.size()]];
      const Vec3 out = points_[loop[(i + 1) % loop.size()]] - points_[loop[i]];
      if (norm(cross(in, out)) > 1e-9 * norm(in) * norm(out)) corners.push_back(loop[i]);
    }
    return corners;
  }

  std::span<const Vec3> points_;
  double size_ = 0;
  std::vector<Triangle> triangles_;
};

}  // namespace

double Polytope::reach(const Vec3& from) const {
  double most = 0;
  for (const Vec3& c : corners) most = std::max(most, norm(c - from));
  return most;
}

Vec3 Polytope::middle() const {
  Vec3 sum;
  for (const Vec3& c : corners) sum = sum + c;
  return (1.0 / static_cast<double>(corners.size())) * sum;
}

Polytope make_point(const Vec3& at) {
  Polytope p;
  p.corners = {at};
  return p;
}

Polytope make_line(const Vec3& from, const Vec3& to) {
  Polytope p;
  p.corners = {from, to};
  p.edges.push_back({0, 1, {kNoIndex, kNoIndex}, {}});
  return p;
}

Polytope make_box(const Vec3& size) {
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < 8; ++i)
    corners.push_back({((i & 1) != 0 ? 0.5 : -0.5) * size.x, ((i & 2) != 0 ? 0.5 : -0.5) * size.y,
                       ((i & 4) != 0 ? 0.5 : -0.5) * size.z});
  return from_loops(std::move(corners),
                    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

Polytope make_prism(double radius, double length, std::size_t sides) {
  std::vector<Vec3> corners;
  std::vector<std::size_t> top, bottom;
  std::vector<std::vector<std::size_t>> loops;
  for (std::size_t i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(sides);
    const double x = radius * std::cos(angle), y = radius * std::sin(angle);
    corners.push_back({x, y, -length / 2});
    corners.push_back({x, y, length / 2});
    top.push_back(2 * i + 1);
    bottom.insert(bottom.begin(), 2 * i);
    const std::size_t j = (i + 1) % sides;
    loops.push_back({2 * i, 2 * j, 2 * j + 1, 2 * i + 1});
  }
  loops.push_back(std::move(top));
  loops.push_back(std::move(bottom));
  return from_loops(std::move(corners), std::move(loops));
}

Polytope make_hull(std::span<const Vec3> points, const std::string& what) { return Hull(points, what).polytope(); }

namespace {

/// Corners within `near` of the plane of a face that are still there.
std::vector<std::size_t> corners_near(const Polytope& p, const Polytope::Face& face, double near,
                                      const std::vector<bool>& dropped) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < p.corners.size(); ++i)
    if (!dropped[i] && face.offset - dot(face.normal, p.corners[i]) <= near) found.push_back(i);
  return found;
}

/// Drops all but the outermost in so many directions along the face. The directions are the same for opposite faces.
void keep_outermost(const Polytope& p, const Vec3& normal, std::span<const std::size_t> corners, std::size_t directions,
                    std::vector<bool>& dropped) {
  const Vec3 x = std::abs(normal.x) < 0.8 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 first = unit(x - dot(x, normal) * normal), second = cross(normal, first);
  for (const std::size_t i : corners) dropped[i] = true;
  for (std::size_t k = 0; k < directions; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(directions);
    const Vec3 d = std::cos(angle) * first + std::sin(angle) * second;
    const auto further = [&](std::size_t a, std::size_t b) { return dot(d, p.corners[a]) < dot(d, p.corners[b]); };
    dropped[*std::ranges::max_element(corners, further)] = false;
  }
}

}  // namespace

Polytope with_fewer_corners(const Polytope& polytope, double near, std::size_t most, const std::string& what) {
  Polytope p = polytope;
  constexpr int kMostPasses = 100;  // each leaves fewer corners; a few are enough
  for (int pass = 0; pass < kMostPasses; ++pass) {
    std::vector<bool> dropped(p.corners.size(), false);
    for (const Polytope::Face& face : p.faces) {
      double thickness = 0;
      for (const Vec3& c : p.corners) thickness = std::max(thickness, face.offset - dot(face.normal, c));
      const bool thin = thickness < 2 * near;
      const std::size_t limit = thin ? most / 2 : most;
      const auto corners = corners_near(p, face, thin ? thickness / 4 : near, dropped);
      if (corners.size() > limit) keep_outermost(p, face.normal, corners, limit, dropped);
    }
    std::vector<Vec3> kept;
    for (std::size_t i = 0; i < dropped.size(); ++i)
      if (!dropped[i]) kept.push_back(p.corners[i]);
    if (kept.size() == p.corners.size()) return p;
    p = make_hull(kept, what);
  }
  return p;
}

Polytope placed(const Polytope& polytope, const Vec3& position, const Mat3& rotation) {
  Polytope p = polytope;
  for (Vec3& c : p.corners) c = position + rotation * c;
  for (Polytope::Face& f : p.faces) {
    f.normal = rotation * f.normal;
    f.offset = dot(f.normal, p.corners[f.corners[0]]);
  }
  for (Polytope::Edge& e : p.edges)
    for (Vec3& inward : e.inward) inward = rotation * inward;
  return p;
}

}  // namespace kane
