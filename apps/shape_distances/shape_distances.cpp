// The module kane_shape_distances: distances by FCL. Programs load it when shapes may touch: the library has thirty thousand
// addresses to be looked up when it is loaded, most of the time that every command would take to start.

#include "kane/contact/fcl_distances.hpp"

#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

namespace kane {

namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

fcl::Vector3d to_fcl(const Vec3& v) { return {v.x, v.y, v.z}; }

fcl::Matrix3d axes_with_z(const Vec3& z) {
  const Vec3 x = across(z), y = cross(z, x);
  fcl::Matrix3d m;
  m << x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z;
  return m;
}

/// A convex polytope from its corners and loops of faces (triangles would be enough, but loops are what we have).
Geometry convex(const Polytope& p, const Vec3& centre) {
  auto corners = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vec3& c : p.corners) corners->push_back(to_fcl(c - centre));
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& f : p.faces) {
    faces->push_back(static_cast<int>(f.corners.size()));
    for (const std::size_t c : f.corners) faces->push_back(static_cast<int>(c));
  }
  return std::make_shared<fcl::Convexd>(corners, static_cast<int>(p.faces.size()), faces);
}

class FclObjects : public DistanceObjects {
 public:
  explicit FclObjects(const std::vector<ContactShape>& shapes);
  [[nodiscard]] double calc(std::size_t a, const RigidMotion& ma, std::size_t b, const RigidMotion& mb) const override;

 private:
  struct Object {
    Geometry geometry;
    fcl::Transform3d in_body = fcl::Transform3d::Identity();
    bool plane = false;
    Vec3 normal, point;
    std::vector<Vec3> corners;
    double rounding = 0;
  };
  std::vector<Object> all_;
};

FclObjects::FclObjects(const std::vector<ContactShape>& shapes) {
  for (const ContactShape& s : shapes) {
    Object o;
    o.corners = s.core.corners;
    o.rounding = s.rounding();
    o.in_body.translation() = to_fcl(s.centre);
    switch (s.kind) {
      case ContactShape::Kind::Plane:
        o.plane = true;
        o.normal = s.axis, o.point = s.centre;
        o.geometry = std::make_shared<fcl::Halfspaced>(fcl::Vector3d::UnitZ(), 0.0);
        o.in_body.linear() = axes_with_z(s.axis);
        break;
      case ContactShape::Kind::Cylinder:
        o.geometry = std::make_shared<fcl::Cylinderd>(s.radius, s.length);
        o.in_body.linear() = axes_with_z(s.axis);
        break;
      case ContactShape::Kind::Ellipsoid:  // its distance from a plane is known without
        o.geometry = std::make_shared<fcl::Sphered>(s.radius);
        break;
      case ContactShape::Kind::Core:
        if (s.core.corners.size() == 1) {
          o.geometry = std::make_shared<fcl::Sphered>(s.radius);
        } else if (s.core.corners.size() == 2) {
          const Vec3 along = s.core.corners[1] - s.core.corners[0];
          o.geometry = std::make_shared<fcl::Capsuled>(s.radius, norm(along));
          if (norm(along) > 0) o.in_body.linear() = axes_with_z(unit(along));
        } else {
          o.geometry = convex(s.core, s.centre);
        }
    }
    o.geometry->computeLocalAABB();
    all_.push_back(std::move(o));
  }
}

fcl::Transform3d to_fcl(const RigidMotion& m) {
  fcl::Transform3d t = fcl::Transform3d::Identity();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) t.linear()(static_cast<int>(i), static_cast<int>(j)) = m.R.rows[i][j];
  t.translation() = to_fcl(m.p);
  return t;
}

double FclObjects::calc(std::size_t a, const RigidMotion& ma, std::size_t b, const RigidMotion& mb) const {
  const auto& first = all_[a];
  const auto& second = all_[b];
  if (first.plane && second.plane) return 0;
  if (first.plane) return calc(b, mb, a, ma);
  const fcl::Transform3d ta = to_fcl(ma) * first.in_body, tb = to_fcl(mb) * second.in_body;
  if (second.plane) {
    // FCL has no distance to a half space; the farthest point of a convex shape along -n is a corner or closed form.
    const Vec3 n = mb.R * second.normal;
    double least = 1e300;
    for (const Vec3& c : first.corners) least = std::min(least, dot(n, ma.place(c) - mb.place(second.point)));
    return least - first.rounding;
  }
  fcl::CollisionRequestd touch;
  fcl::CollisionResultd touched;
  if (fcl::collide(first.geometry.get(), ta, second.geometry.get(), tb, touch, touched) > 0) return 0;
  fcl::DistanceRequestd request;
  request.gjk_solver_type = fcl::GST_LIBCCD;
  fcl::DistanceResultd result;
  fcl::distance(first.geometry.get(), ta, second.geometry.get(), tb, request, result);
  return result.min_distance;
}

}  // namespace

}  // namespace kane

extern "C" kane::DistanceObjects* kane_make_distances(const std::vector<kane::ContactShape>& shapes) {
  return new kane::FclObjects(shapes);
}
