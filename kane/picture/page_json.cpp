#include "kane/picture/page_json.hpp"

namespace kane {

std::string base64(const void* data, std::size_t size) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t left = std::min<std::size_t>(3, size - i);
    unsigned v = 0;
    for (std::size_t k = 0; k < 3; ++k) v = v << 8U | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= left ? kDigits[v >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

nlohmann::ordered_json part_json(const ScenePart& part) {
  std::vector<float> vertices;
  for (const auto& v : part.mesh.vertices) {
    for (const Vec3& vector : {v.at, v.normal})
      for (std::size_t k = 0; k < 3; ++k) vertices.push_back(static_cast<float>(vector[k]));
  }
  return {{"name", part.name},
          {"body", part.body ? nlohmann::ordered_json(*part.body) : nlohmann::ordered_json(-1)},
          {"color", part.color},
          {"vertices", base64(vertices)},
          {"triangles", base64(part.mesh.triangles)}};
}

std::string embeddable(const nlohmann::ordered_json& data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.insert(at + 1, "\\");
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace kane
