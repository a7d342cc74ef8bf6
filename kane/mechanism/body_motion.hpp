#pragma once
// Motion of every frame and point of a lowered mechanism in the generalized speeds, by recursion from each to the next:
//
//     w_F = w_P + w_rel                       alpha_F = alpha_P + w_rel' + w_P x w_rel
//     v_P = v_Q + R (c' + w x c)              a_P = a_Q + R (c'' + alpha x c + 2 w x c' + w x (w x c))
//
// for a frame F that turns with w_rel relative to P, and a point P located from Q by the components c in a frame with the
// rotation matrix R. Angular velocities are kept in the frame's own components, those of points in the ground's. No partial
// velocities are formed, so the cost grows with the number of parts and not with its square.

#include <vector>

#include "kane/mechanics/flexible.hpp"
#include "kane/mechanics/rates.hpp"
#include "kane/mechanism/lowering.hpp"

namespace kane {

/// Rates and second rates of a system in terms of its speeds u and their derivatives u'.
struct SpeedRates {
  Substitution rates;         ///< q' and angular velocities of balls, auxiliary speeds zero
  Substitution second_rates;  ///< the same, and q'' with u' as symbols
  std::vector<Expr> qdot;     ///< one per coordinate
  std::vector<std::string> warnings;
};

/// Where every speed is a rate itself nothing has to be solved.
[[nodiscard]] SpeedRates form_speed_rates(const System& system);

class BodyMotion {
 public:
  BodyMotion(const LoweredMechanism& lowered, const SpeedRates& rates);

  /// Components in the frame to components in the ground.
  [[nodiscard]] const Expr33& rotation(FrameId f) const { return frames_[f.index()].rotation; }
  /// In the ground, components in the frame itself.
  [[nodiscard]] const Expr3& angular_velocity(FrameId f) const { return frames_[f.index()].w; }
  [[nodiscard]] const Expr3& angular_acceleration(FrameId f) const { return frames_[f.index()].alpha; }
  /// In the ground, components in the ground.
  [[nodiscard]] const Expr3& position(PointId p) const { return points_[p.index()].position; }
  [[nodiscard]] const Expr3& velocity(PointId p) const { return points_[p.index()].velocity; }
  [[nodiscard]] const Expr3& acceleration(PointId p) const { return points_[p.index()].acceleration; }

  /// Rates of the coordinates of a body that deforms, and the motion of its frame, without that of its origin.
  [[nodiscard]] DeformingMotion deforming(const DeformingInertia& inertia, const SpeedRates& rates) const;

  /// A vector in components of the ground, rates as they are.
  [[nodiscard]] Expr3 express(const Vector& v) const;
  /// From one point to another, components in the ground.
  [[nodiscard]] Expr3 span(PointId from, PointId to) const;

 private:
  struct FrameMotion {
    Expr33 rotation;
    Expr3 w, alpha;
  };
  struct PointMotion {
    Expr3 position, velocity, acceleration;
  };

  void form_frames(const std::vector<Expr>& rates);
  void form_points(const std::vector<Expr>& rates);
  void form_point(std::size_t i, const std::vector<Expr>& rates, std::size_t& at);

  const System& system_;
  std::vector<FrameMotion> frames_;
  std::vector<PointMotion> points_;
};

}  // namespace kane
