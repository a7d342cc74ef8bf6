#pragma once
// The tree of bodies of an MJCF file in numbers: where bodies are in the described pose, what they weigh, and which of them
// move as one. Nothing here knows of a Mechanism.

#include <string>
#include <vector>

#include "kane/formats/mjcf/mjcf_mass.hpp"

namespace kane {

/// A joint of a body, in the body's frame.
struct MjcfJoint {
  const MjcfElement* element = nullptr;
  std::string name;  ///< in the file; generated if it has none
  std::string type;  ///< "hinge", "slide", "ball", "free"
  Vec3 position, axis{0, 0, 1};
  double reference = 0;  ///< value of the coordinate in the described pose
};

/// Something fixed in a body.
struct MjcfPart {
  const MjcfElement* element = nullptr;
  MjcfPose pose;
};

struct MjcfBody {
  const MjcfElement* element = nullptr;
  std::string name;  ///< in the file; generated if it has none
  std::size_t parent = 0;
  MjcfPose pose;   ///< in its parent
  MjcfPose world;  ///< in the described pose
  std::vector<MjcfJoint> joints;
  std::vector<MjcfPart> geoms, sites;
  const MjcfElement* inertial = nullptr;
  MjcfMass mass;  ///< in its own frame
  /// The body that it moves with (itself if it has joints, 0 for the world), and its place there.
  std::size_t owner = 0;
  MjcfPose in_owner;
};

/// The first is the world. Parents stand before their children, in the order of the file.
[[nodiscard]] std::vector<MjcfBody> collect_bodies(const MjcfFile& file, const MjcfCompiler& compiler,
                                                   const MjcfLimits& limits, MjcfRefusals& refusals);

/// The mesh that a geom names. Throws ModelError at the geom if there is none.
[[nodiscard]] const MjcfElement& find_mesh(const MjcfFile& file, const MjcfElement& geom);
/// Name of a mesh: its own, or its file's without folder and extension.
[[nodiscard]] std::string mesh_name(const MjcfElement& mesh);
/// The mesh's file relative to the folder of the model; "" if it has none.
[[nodiscard]] std::string mesh_path(const MjcfElement& mesh, const MjcfCompiler& compiler);

}  // namespace kane
