#pragma once
// The text of a URDF file, checked before urdfdom sees it: urdfdom reports no places, and its XML parser was not made for
// hostile input. Errors are reported here with file, line and column; the remaining text is well-formed XML made of
// elements that urdfdom understands.
//
// Relevant numbers are also read here, as exact decimals.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/number.hpp"

namespace kane {

struct UrdfLimits {
  std::size_t max_bytes = 16U << 20U;
  std::size_t max_links = 4000;
};

/// <origin xyz="..." rpy="...">
struct UrdfOrigin {
  std::array<Rational, 3> xyz{};
  std::array<Rational, 3> rpy{};
};

struct UrdfGeometry {
  UrdfOrigin origin;
  std::string color;  ///< "#rrggbb", of a visual with a material
};

/// In the order of the file. Geometries are those of the cleaned text: visuals and collisions in their order.
struct UrdfLinkText {
  std::string name;
  Where where;
  UrdfOrigin inertial_origin;
  std::vector<UrdfGeometry> visuals, collisions;
};

struct UrdfJointText {
  std::string name;
  Where where;
  UrdfOrigin origin;
  bool has_limits = false;  ///< lower and upper are given
  bool has_effort = false, has_velocity = false;
};

struct UrdfFile {
  std::string name;
  std::vector<UrdfLinkText> links;
  std::vector<UrdfJointText> joints;
  std::string root;       ///< the link that is not a child
  std::string clean_xml;  ///< for urdfdom
  std::vector<std::string> notes;
};

/// Throws ModelError with the place of the error. With `repair_inertia`, inertias that no body can have are replaced by the
/// nearest possible ones, with a note.
[[nodiscard]] UrdfFile check_urdf_text(std::string_view text, const std::string& file_name,
                                       const UrdfLimits& limits = {}, bool repair_inertia = false);

}  // namespace kane
