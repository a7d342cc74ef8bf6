#pragma once
// Whether a list of names has a name.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

[[nodiscard]] inline bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace kane
