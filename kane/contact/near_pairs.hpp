#pragma once
// Finds the shapes that are near each other: boxes along the axes of the ground around every shape, sorted along one of these
// axes and swept (Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995, I-COLLIDE). The order changes little from step to step, so
// that sorting costs about as much as checking the order.

#include <cstdint>
#include <span>
#include <vector>

#include "kane/contact/body_motion.hpp"
#include "kane/contact/contact_shape.hpp"

namespace kane {

struct ContactPair;

struct ShapeBounds {
  Vec3 low, high;
};

/// A box around a shape, along the axes of the ground. Not for planes.
[[nodiscard]] ShapeBounds bounds_of(const ContactShape& shape, const RigidMotion& motion);

class NearPairs {
 public:
  NearPairs(std::span<const ContactShape> shapes, std::span<const ContactPair> pairs);

  /// Numbers of the pairs whose bounds meet, ascending. Pairs with planes are not among them: see plane_pairs().
  std::span<const std::uint32_t> find(std::span<const ShapeBounds> bounds);
  [[nodiscard]] std::span<const std::uint32_t> plane_pairs() const { return plane_pairs_; }

 private:
  struct Partner {
    std::uint32_t shape, pair;
  };
  void look_up(std::uint32_t a, std::uint32_t b);

  std::vector<std::vector<Partner>> partners_;  ///< of each shape, with a larger number, by number
  std::vector<std::uint32_t> order_, plane_pairs_, found_;
};

}  // namespace kane
