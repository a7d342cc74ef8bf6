#pragma once
// Which elements and attributes MJCF has, and what Kane does with them.

#include <string>
#include <string_view>
#include <vector>

namespace kane {

enum class MjcfUse : std::uint8_t {
  Read,     ///< its attributes are checked and its children read
  Ignored,  ///< has no part in the dynamics
  Refused,  ///< would change the dynamics, but Kane cannot represent it
};

struct MjcfElementInfo {
  std::string_view parent;  ///< section, or "body" for what stands in the tree
  std::string_view name;
  MjcfUse use;
  /// Known attributes, blank separated. One that begins with '-' changes nothing that Kane computes.
  std::string_view attributes;
};

/// Null for an unknown element.
[[nodiscard]] const MjcfElementInfo* find_mjcf_element(std::string_view parent, std::string_view name);
/// Names of the children of an element.
[[nodiscard]] std::vector<std::string> mjcf_children(std::string_view parent);
/// Names of the attributes of an element, without marks.
[[nodiscard]] std::vector<std::string> mjcf_attributes(const MjcfElementInfo& element);

}  // namespace kane
