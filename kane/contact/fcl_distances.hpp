#pragma once
// Distances of shapes by FCL (GJK), for shapes that are apart; contact itself is found in closed form (touching.hpp).
//
// FCL stands in a module of its own (apps/shape_distances), loaded when the first shapes are given: it has so many symbols that
// loading it would take longer than anything else in the start of a command that does not need it.

#include <memory>
#include <vector>

#include "kane/contact/body_motion.hpp"
#include "kane/contact/contact_shape.hpp"

namespace kane {

/// What the module makes of shapes.
class DistanceObjects {
 public:
  DistanceObjects() = default;
  DistanceObjects(const DistanceObjects&) = delete;
  DistanceObjects& operator=(const DistanceObjects&) = delete;
  virtual ~DistanceObjects() = default;
  [[nodiscard]] virtual double calc(std::size_t a, const RigidMotion& ma, std::size_t b,
                                    const RigidMotion& mb) const = 0;
};

using MakeDistances = DistanceObjects* (*)(const std::vector<ContactShape>&);
inline constexpr const char* kDistanceModule = "kane_shape_distances.so";
inline constexpr const char* kMakeDistances = "kane_make_distances";

class FclDistances {
 public:
  /// Throws ModelError if the module is not there.
  explicit FclDistances(const std::vector<ContactShape>& shapes);

  /// 0 if the shapes overlap; with a plane: minus their depth.
  [[nodiscard]] double calc(std::size_t a, const RigidMotion& ma, std::size_t b, const RigidMotion& mb) const {
    return objects_->calc(a, ma, b, mb);
  }

 private:
  std::unique_ptr<DistanceObjects> objects_;
};

}  // namespace kane
