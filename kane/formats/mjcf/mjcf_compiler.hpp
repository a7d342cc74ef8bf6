#pragma once
// The settings of <compiler>, and what follows from them: angles, orientations, limits.

#include <string>
#include <vector>

#include "kane/base/vec3.hpp"
#include "kane/formats/mjcf/mjcf_tree.hpp"

namespace kane {

/// Position and axes of a frame in another one; `rotation` maps components to those of the other.
struct MjcfPose {
  Vec3 position;
  Mat3 rotation;
};
[[nodiscard]] MjcfPose compose(const MjcfPose& a, const MjcfPose& b);
[[nodiscard]] MjcfPose inverse(const MjcfPose& a);

/// Rotation matrix of a quaternion, scalar first, of any length but zero. Entries within 1e-12 of 0 and ±1 are these.
[[nodiscard]] Mat3 rotation_from_quaternion(double w, double x, double y, double z);
/// Quaternion of a rotation matrix, scalar first and not negative.
[[nodiscard]] std::array<double, 4> quaternion_from_rotation(const Mat3& r);
/// By an angle (rad) about an axis of any length but zero.
[[nodiscard]] Mat3 rotation_about(const Vec3& axis, double angle);

/// Smallest length of an axis that is taken as one.
inline constexpr double kMjcfSmall = 1e-15;

struct MjcfCompiler {
  explicit MjcfCompiler(const MjcfElement& element, MjcfRefusals& refusals);

  double angle_unit;  ///< rad
  std::string euler_sequence;
  bool autolimits;
  enum class FromGeoms : std::uint8_t { Auto, Always, Never } inertia_from_geoms;
  std::vector<double> inertia_groups;
  bool balance_inertia;
  double bound_mass, bound_inertia, total_mass;
  bool exact_mesh_inertia;
  std::string mesh_folder;
  bool strip_path;
  /// Places and orientations are in the axes of the world, not of the body around them (files before MuJoCo 2.3.4).
  bool global_coordinates;

  /// `pos` and whichever way an orientation is written.
  [[nodiscard]] MjcfPose pose(const MjcfElement& element) const;
  [[nodiscard]] Mat3 orientation(const MjcfElement& element) const;
  /// Whether a range counts: as `limited` says, or because it is given.
  [[nodiscard]] bool limited(const MjcfElement& element, std::string_view flag, std::string_view range) const;
};

[[nodiscard]] Vec3 mjcf_vector(const MjcfElement& element, std::string_view attribute, const Vec3& otherwise = {});

}  // namespace kane
