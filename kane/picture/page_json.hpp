#pragma once
// Shared by the pages of this module and of others: numbers as text that a page's script reads, meshes, and JSON that may
// be embedded in a page. For source files only: this header includes the JSON library.

#include <bit>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kane/picture/scene.hpp"

namespace kane {

[[nodiscard]] std::string base64(const void* data, std::size_t size);

/// Numbers as the page's script reads them: little-endian, like every machine that Kane compiles for.
template <class T>
[[nodiscard]] std::string base64(const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  return base64(values.data(), values.size() * sizeof(T));
}

/// Name, body (-1: the ground), colour, vertices (position and normal) and triangles.
[[nodiscard]] nlohmann::ordered_json part_json(const ScenePart& part);

/// JSON can be put into a page as it is, except for text that would end the script element.
[[nodiscard]] std::string embeddable(const nlohmann::ordered_json& data);

}  // namespace kane
