#pragma once
// Vectors and matrices of numbers in space.

#include <array>
#include <cmath>
#include <cstddef>

namespace kane {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  [[nodiscard]] double operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  [[nodiscard]] double& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(const Vec3& a) { return (1 / norm(a)) * a; }
/// Some vector of length one across the unit vector n.
inline Vec3 across(const Vec3& n) {
  const Vec3 axis = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return unit(cross(n, axis));
}

/// By rows; the identity unless set.
struct Mat3 {
  std::array<Vec3, 3> rows{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

  [[nodiscard]] const Vec3& operator[](std::size_t i) const { return rows[i]; }
  [[nodiscard]] Vec3& operator[](std::size_t i) { return rows[i]; }
  [[nodiscard]] Vec3 column(std::size_t i) const { return {rows[0][i], rows[1][i], rows[2][i]}; }
};
inline Vec3 operator*(const Mat3& m, const Vec3& a) {
  return {dot(m.rows[0], a), dot(m.rows[1], a), dot(m.rows[2], a)};
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = dot(a[i], b.column(j));
  return r;
}
inline Mat3 transposed(const Mat3& a) { return {{a.column(0), a.column(1), a.column(2)}}; }

/// Eigenvalues of a symmetric matrix in ascending order (cyclic Jacobi rotations), such as principal moments of inertia.
[[nodiscard]] Vec3 principal_values(Mat3 a);

}  // namespace kane
