#pragma once
// Particles and bodies as the projection uses them.
//
// One body may be written in several ways that give the same forces with fewer operations:
// - A body that turns about a point at rest, fixed in the body too, has its inertia about that point and needs no force
//   for its mass centre.
// - The matrix of inertia of an axially symmetric body is the same in a frame that does not spin, where its angular
//   velocity is often simpler.
// - A mass whose centre is fixed in another body is a point mass on that body (a wheel on its fork). If it is symmetric
//   about an axis e that is fixed in that body too, I = It (1 - e e) + Ia e e, and since w and the body's own angular
//   velocity differ along e only, It (1 - e e) belongs to that body as well; the remainder is Ia e e.

#include <vector>

#include "kane/mechanics/kinematics.hpp"

namespace kane {

struct InertiaElement {
  BodyId body;
  Expr mass;
  PointId point;            ///< mass centre
  bool translates = false;  ///< m a acts at the mass centre
  FrameId frame;            ///< invalid for a particle
  FrameId basis;            ///< where the inertia matrix is constant and the angular velocity short
  Expr33 inertia;           ///< in that basis
  bool rotates = false;
  bool about_fixed_point = false;
};

/// One element per body. Checks that masses and inertias are there where they are needed; throws ModelError.
[[nodiscard]] std::vector<InertiaElement> form_inertia_elements(Kinematics& kinematics);

/// The same inertia in fewer elements: masses that move with another body are added to it. Not for auxiliary speeds,
/// which may tear apart what is added up here.
[[nodiscard]] std::vector<InertiaElement> form_lumped_elements(Kinematics& kinematics);

}  // namespace kane
