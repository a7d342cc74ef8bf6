#pragma once
// Distances of shapes by FCL (GJK), for shapes that are apart; contact itself is found in closed form (touching.hpp).

#include <memory>
#include <vector>

#include "kane/contact/body_motion.hpp"
#include "kane/contact/contact_shape.hpp"

namespace kane {

class FclDistances {
 public:
  explicit FclDistances(const std::vector<ContactShape>& shapes);
  ~FclDistances();

  /// 0 if the shapes overlap; with a plane: minus their depth.
  [[nodiscard]] double calc(std::size_t a, const RigidMotion& ma, std::size_t b, const RigidMotion& mb) const;

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

}  // namespace kane
