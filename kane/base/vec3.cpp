#include "kane/base/vec3.hpp"

#include <algorithm>

namespace kane {

Vec3 principal_values(Mat3 a) {
  constexpr int kSweeps = 30;  // convergence is quadratic: five or six are enough
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p < 3; ++p) {
      const std::size_t q = (p + 1) % 3, r = (p + 2) % 3;
      if (a[p][q] == 0) continue;
      const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
      const double c = 1 / std::sqrt(t * t + 1), s = t * c;
      a[p][p] -= t * a[p][q];
      a[q][q] += t * a[p][q];
      a[p][q] = a[q][p] = 0;
      const double rp = a[r][p], rq = a[r][q];
      a[r][p] = a[p][r] = c * rp - s * rq;
      a[r][q] = a[q][r] = s * rp + c * rq;
    }
  }
  std::array<double, 3> values{a[0][0], a[1][1], a[2][2]};
  std::sort(values.begin(), values.end());
  return {values[0], values[1], values[2]};
}

}  // namespace kane
