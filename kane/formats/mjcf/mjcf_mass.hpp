#pragma once
// Mass, mass centre and inertia of bodies: from <inertial>, or from the shapes of their geoms.

#include <optional>
#include <span>
#include <string>

#include "kane/formats/mjcf/mjcf_compiler.hpp"

namespace kane {

struct MjcfMass {
  double mass = 0;
  Vec3 centre;
  Mat3 inertia{{Vec3{}, Vec3{}, Vec3{}}};  ///< about the centre, in the axes of the body
};

/// Parts of one rigid body, all in its frame.
[[nodiscard]] MjcfMass combine(std::span<const MjcfMass> parts);
/// The same body seen from another frame, in which `pose` places its own.
[[nodiscard]] MjcfMass placed(const MjcfMass& mass, const MjcfPose& pose);
/// Moment of inertia about the line through `point` along the unit vector `axis`.
[[nodiscard]] double moment_about(const MjcfMass& mass, const Vec3& point, const Vec3& axis);

[[nodiscard]] MjcfMass read_inertial(const MjcfElement& inertial, const MjcfCompiler& compiler);

/// A geom's shape with its sizes completed; the local z axis is the axis of the shape.
struct MjcfGeom {
  std::string type;           ///< "sphere", "box", ...
  std::vector<double> sizes;  ///< as MJCF has them: radii and half lengths
  MjcfPose pose;              ///< in its body
};
[[nodiscard]] MjcfGeom read_geom(const MjcfElement& geom, const MjcfCompiler& compiler);

/// Mass properties of a primitive shape in the frame of the body.
[[nodiscard]] MjcfMass primitive_mass(const MjcfElement& element, const MjcfGeom& geom);

/// Triangles of a surface, each three points in order.
struct MjcfTriangle {
  Vec3 a, b, c;
};
/// How the mass of a mesh is found.
enum class MeshInertia : std::uint8_t {
  Legacy,  ///< pyramids from the centroid of the surface, all counted as positive: too much for hollow shapes
  Exact,   ///< signed pyramids
  Shell,   ///< on the surface, density per area
};
/// Volume (or area) and mass properties for a density of 1, in the axes of the mesh. Throws ModelError if there is none.
[[nodiscard]] MjcfMass mesh_mass(std::span<const MjcfTriangle> triangles, MeshInertia method,
                                 const MjcfElement& element);

/// Lower bounds, balanced moments; throws ModelError for an inertia that no body has.
void check_mass(MjcfMass& mass, const MjcfElement& body, const MjcfCompiler& compiler);

}  // namespace kane
