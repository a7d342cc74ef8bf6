#include "kane/contact/near_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/contact/contact_scene.hpp"

namespace kane {

ShapeBounds bounds_of(const ContactShape& shape, const RigidMotion& motion) {
  const Vec3 centre = motion.place(shape.centre);
  constexpr std::size_t kFewCorners = 16;
  if (shape.kind == ContactShape::Kind::Cylinder) {
    const Vec3 a = motion.R * shape.axis;
    Vec3 half;
    for (std::size_t i = 0; i < 3; ++i)
      half[i] = std::abs(a[i]) * shape.length / 2 + shape.radius * std::sqrt(std::max(0.0, 1 - a[i] * a[i]));
    return {centre - half, centre + half};
  }
  if (shape.kind == ContactShape::Kind::Ellipsoid || shape.core.corners.size() > kFewCorners) {
    const double size = shape.size();
    return {centre - Vec3{size, size, size}, centre + Vec3{size, size, size}};
  }
  constexpr double kFar = std::numeric_limits<double>::infinity();
  ShapeBounds box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  const double r = shape.rounding();
  for (const Vec3& corner : shape.core.corners) {
    const Vec3 x = motion.place(corner);
    for (std::size_t i = 0; i < 3; ++i)
      box.low[i] = std::min(box.low[i], x[i] - r), box.high[i] = std::max(box.high[i], x[i] + r);
  }
  return box;
}

NearPairs::NearPairs(std::span<const ContactShape> shapes, std::span<const ContactPair> pairs)
    : partners_(shapes.size()) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    const auto first = static_cast<std::uint32_t>(std::min(pairs[i].first, pairs[i].second));
    const auto second = static_cast<std::uint32_t>(std::max(pairs[i].first, pairs[i].second));
    if (shapes[first].kind == ContactShape::Kind::Plane || shapes[second].kind == ContactShape::Kind::Plane)
      plane_pairs_.push_back(number);
    else
      partners_[first].push_back({second, number});
  }
  for (auto& own : partners_)
    std::stable_sort(own.begin(), own.end(), [](const Partner& a, const Partner& b) { return a.shape < b.shape; });
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i].kind != ContactShape::Kind::Plane) order_.push_back(static_cast<std::uint32_t>(i));
}

void NearPairs::look_up(std::uint32_t a, std::uint32_t b) {
  const auto& own = partners_[std::min(a, b)];
  const std::uint32_t other = std::max(a, b);
  for (auto p = std::lower_bound(own.begin(), own.end(), other,
                                 [](const Partner&x, std::uint32_t shape) { return x.shape < shape; });
       p != own.end() && p->shape == other; ++p)
    found_.push_back(p->pair);
}

std::span<const std::uint32_t> NearPairs::find(std::span<const ShapeBounds> bounds) {
  found_.clear();
  // Along the axis on which the boxes are spread widest.
  Vec3 sum, squares;
  for (const std::uint32_t i : order_)
    for (std::size_t k = 0; k < 3; ++k) {
      const double middle = (bounds[i].low[k] + bounds[i].high[k]) / 2;
      sum[k] += middle, squares[k] += middle * middle;
    }
  std::size_t axis = 0;
  const auto count = static_cast<double>(std::max<std::size_t>(1, order_.size()));
  const auto spread = [&](std::size_t k) { return squares[k] - sum[k] * sum[k] / count; };
  for (std::size_t k = 1; k < 3; ++k)
    if (spread(k) > spread(axis)) axis = k;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return bounds[a].low[axis] < bounds[b].low[axis] || (bounds[a].low[axis] == bounds[b].low[axis] && a < b);
  };
  std::sort(order_.begin(), order_.end(), before);
  const std::size_t y = (axis + 1) % 3, z = (axis + 2) % 3;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const ShapeBounds& a = bounds[order_[i]];
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      const ShapeBounds& b = bounds[order_[j]];
      if (b.low[axis] > a.high[axis]) break;
      if (b.low[y] <= a.high[y] && a.low[y] <= b.high[y] && b.low[z] <= a.high[z] && a.low[z] <= b.high[z])
        look_up(order_[i], order_[j]);
    }
  }
  std::sort(found_.begin(), found_.end());
  return found_;
}

}  // namespace kane
