#include "kane/contact/mesh_file.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostBytes = 64u << 20u;

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "the mesh '{}' cannot be read", path);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  require(size <= kMostBytes, "the mesh '{}' has {} bytes; at most {} are read", path, size, kMostBytes);
  file.seekg(0);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  require(file.good(), "the mesh '{}' cannot be read", path);
  return bytes;
}

bool ends_with(const std::string& path, std::string_view ending) {
  if (path.size() < ending.size()) return false;
  for (std::size_t i = 0; i < ending.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(path[path.size() - ending.size() + i])) != ending[i]) return false;
  return true;
}

/// Lines that begin with `word`, followed by three numbers.
std::vector<Vec3> read_lines(const std::string& text, const std::string& word, const std::string& path) {
  std::vector<Vec3> points;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first != word) continue;
    Vec3 p;
    require(static_cast<bool>(words >> p.x >> p.y >> p.z), "expected three numbers in line {} of the mesh '{}'", number,
            path);
    points.push_back(p);
  }
  return points;
}

/// 80 bytes, uint32 count, then per triangle: normal, three corners (float32), two bytes.
std::vector<Vec3> read_binary_stl(const std::string& bytes, std::uint32_t count) {
  std::vector<Vec3> points;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 9> corner{};
    std::memcpy(corner.data(), bytes.data() + 84 + 50 * static_cast<std::size_t>(i) + 12, sizeof corner);
    for (std::size_t k = 0; k < 3; ++k) points.push_back({corner[3 * k], corner[3 * k + 1], corner[3 * k + 2]});
  }
  return points;
}

std::vector<Vec3> without_doubles(const std::vector<Vec3>& points) {
  std::set<std::array<double, 3>> seen;
  std::vector<Vec3> distinct;
  for (const Vec3& p : points)
    if (seen.insert({p.x, p.y, p.z}).second) distinct.push_back(p);
  return distinct;
}

/// The corners of all triangles of an STL file, one triangle after another.
std::vector<Vec3> read_stl_corners(const std::string& bytes, const std::string& path) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, sizeof count);
  const bool binary = bytes.size() >= 84 && bytes.size() == 84 + 50 * static_cast<std::size_t>(count);
  std::vector<Vec3> corners = binary ? read_binary_stl(bytes, count) : read_lines(bytes, "vertex", path);
  require(!corners.empty(), "the mesh '{}' has no triangles or is truncated", path);
  return corners;
}

/// Corners of a face: "f 1 2 3", "f 1/4/2 2/5/2 3/6/2", and negative numbers that count from the end.
std::vector<std::size_t> read_face(std::istringstream& words, std::size_t points, int line, const std::string& path) {
  std::vector<std::size_t> corners;
  std::string word;
  while (words >> word) {
    char* end = nullptr;
    const long long index = std::strtoll(word.c_str(), &end, 10);
    const auto known = static_cast<long long>(points);
    require(end != word.c_str() && (*end == '\0' || *end == '/') && index != 0 && index <= known && index >= -known,
            "line {} of the mesh '{}' names a corner that does not exist", line, path);
    corners.push_back(static_cast<std::size_t>(index > 0 ? index - 1 : known + index));
  }
  require(corners.size() >= 3, "a face in line {} of the mesh '{}' has fewer than three corners", line, path);
  return corners;
}

std::vector<MeshTriangle> read_obj_triangles(const std::string& text, const std::string& path) {
  const std::vector<Vec3> points = read_lines(text, "v", path);
  std::vector<MeshTriangle> triangles;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first != "f") continue;
    const std::vector<std::size_t> face = read_face(words, points.size(), number, path);
    for (std::size_t i = 2; i < face.size(); ++i)
      triangles.push_back({{points[face[0]], points[face[i - 1]], points[face[i]]}});
  }
  require(!triangles.empty(), "the mesh '{}' has no faces", path);
  return triangles;
}

bool is_obj(const std::string& path) {
  const bool obj = ends_with(path, ".obj");
  require(obj || ends_with(path, ".stl"), "the mesh '{}' is neither an .stl nor an .obj file", path);
  return obj;
}

}  // namespace

std::vector<MeshTriangle> read_mesh_triangles(const std::string& path) {
  const bool obj = is_obj(path);
  const std::string bytes = read_bytes(path);
  if (obj) return read_obj_triangles(bytes, path);
  const std::vector<Vec3> corners = read_stl_corners(bytes, path);
  require(corners.size() % 3 == 0, "a triangle of the mesh '{}' is incomplete", path);
  std::vector<MeshTriangle> triangles;
  for (std::size_t i = 0; i < corners.size(); i += 3)
    triangles.push_back({{corners[i], corners[i + 1], corners[i + 2]}});
  return triangles;
}

bool has_mesh_triangles(const std::string& path) {
  if (!is_obj(path)) return true;
  std::istringstream lines(read_bytes(path));
  std::string line, first;
  while (std::getline(lines, line))
    if (std::istringstream(line) >> first && first == "f") return true;
  return false;
}

std::vector<Vec3> read_mesh_points(const std::string& path) {
  const bool obj = is_obj(path);
  const std::string bytes = read_bytes(path);
  if (!obj) return without_doubles(read_stl_corners(bytes, path));
  auto points = without_doubles(read_lines(bytes, "v", path));
  require(!points.empty(), "the mesh '{}' has no points", path);
  return points;
}

}  // namespace kane
