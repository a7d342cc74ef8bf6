#pragma once
// The places where two shapes can touch, feature by feature: a corner on a face, an edge across an edge, the rim of a disk
// on a plane. Each feature has a gap in closed form, with exact rates.
//
//     corner, plane       gap = n.(x - p) - r
//     rim, plane          the lowest point of a circle: x = c + s L/2 a - R m/|m|,  m = n - (n.a) a
//     ellipsoid, plane    x = c - A n / sqrt(n.A n), A = sum a_i^2 e_i e_i^T of its semi-axes
//     corner, core        round: |x - y| - r with y the nearest point (of a face, edge or corner, whichever it is);
//                         sharp: the largest of n_i.x - d_i over all faces, which is zero exactly where x enters
//     corner, cylinder    the same with the side, the ends and the rims of a round cylinder
//     edge, edge          n.(x - y) - r, n along e1 x e2: valid while both nearest points are inside the edges and n
//                         lies between the normals of the adjacent faces
//
// Two sharp polytopes touch at corners in faces and at crossing edges, and nowhere else; where faces or edges lie on each
// other, several such features together make up the area of contact.
//
// Rates. Bodies provide positions, velocities and accelerations at udot = 0; every formula above is evaluated on jets
// (value, rate, second rate), so that the motion of the normal and of the contact points over both surfaces is included in
// the result. gap' = n.(v1 - v2) holds since both points are stationary (Hertz: the common normal), so the row of A is
// n^T (J1 - J2), and gamma = -gap'' at udot = 0.

#include "kane/contact/body_motion.hpp"
#include "kane/contact/contact_shape.hpp"

namespace kane {

struct Feature {
  enum class Kind : std::uint8_t {
    CornerPlane,
    RimPlane,
    RimPointPlane,
    CornerCore,
    CornerCylinder,
    RimCore,       ///< the point of a rim that is nearest to the outermost face
    RimPointCore,  ///< a point of a rim that lies flat
    EdgeEdge,
    EllipsoidPlane
  };
  Kind kind = Kind::CornerPlane;
  std::size_t first = 0;   ///< corner, edge, or end of a cylinder (0, 1; of a rim point: end + 2 * number)
  std::size_t second = 0;  ///< edge

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// State that a holding feature keeps.
struct Hold {
  bool holds = false;
  std::size_t face = kNoIndex;  ///< of a sharp corner
  double sign = 0;              ///< of crossing edges
  Vec3 rim{1, 0, 0};  ///< of a rim: where it touched last, across the axis in the body; used when it lies flat
};

struct Touch {
  static constexpr double kFar = 1e6;

  bool valid = false;
  Jet gap{kFar, 0, 0};
  JetVector normal;             ///< from the second shape to the first
  JetVector first, second;      ///< points of both surfaces
  double inside = kFar;         ///< of a sharp feature: distance of the point from its border, negative outside
  std::size_t face = kNoIndex;  ///< of a sharp corner
  double sign = 0;              ///< of crossing edges
};

/// Points that represent a rim when it lies flat.
inline constexpr std::size_t kRimPoints = 8;

[[nodiscard]] Touch calc_touch(const Feature& feature, const Hold& hold, const ContactShape& first,
                               const RigidMotion& m1, const ContactShape& second, const RigidMotion& m2);

}  // namespace kane
