#pragma once
// Bounds of the forces of contacts and friction at rest, where these forces are not unique.
//
// Whatever keeps the model at rest balances the same generalized force F (Kane's F_r of the loads), so all sets of forces that
// can do it are the points of
//
//     A^T lambda = A^T lambda_0,    p_n >= 0,    |p_t| <= mu_s p_n,    A: rows of all that touches or holds
//
// with lambda_0 one of them. In a plane the cone has two edges and this is a linear program, exactly. In space the round cone
// is replaced by a pyramid of sixteen edges inside it: bounds may be too narrow, by 2 % of the friction at most.

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kane {

class SwitchedDynamics;

/// Bounds of the normal force of a contact, or of one component of a friction.
struct ForceRange {
  std::string name;
  bool is_friction = false;
  std::size_t component = 0;  ///< for a friction: index in ContactForce::friction
  double least = 0;           ///< minus infinity if nothing bounds it
  double most = 0;            ///< infinity if nothing bounds it: it can be wedged as hard as one likes
  bool polygon = false;       ///< a cone of two dimensions had to be replaced by a pyramid

  /// More than one value is possible.
  [[nodiscard]] bool open() const;
};

/// After a calc_motion() at rest, with the forces of that. Empty if the bounds cannot be found within a limited number of
/// unknowns and pivots.
[[nodiscard]] std::vector<ForceRange> calc_force_ranges(SwitchedDynamics& dynamics);

}  // namespace kane
