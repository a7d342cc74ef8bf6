#include "kane/mechanics/algebra.hpp"

namespace kane {

bool is_zero(const Expr33& a) { return is_zero(a[0]) && is_zero(a[1]) && is_zero(a[2]); }

Expr3 add(const Expr3& a, const Expr3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Expr3 subtract(const Expr3& a, const Expr3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Expr3 negate(const Expr3& a) { return {-a[0], -a[1], -a[2]}; }
Expr3 scale(const Expr& s, const Expr3& a) { return {s * a[0], s * a[1], s * a[2]}; }

Expr dot(const Expr3& a, const Expr3& b) {
  Expr sum;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!a[i].is_zero() && !b[i].is_zero()) sum += a[i] * b[i];
  }
  return sum;
}

Expr3 cross(const Expr3& a, const Expr3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Expr3 multiply(const Expr33& a, const Expr3& b) { return {dot(a[0], b), dot(a[1], b), dot(a[2], b)}; }

Expr33 multiply(const Expr33& a, const Expr33& b) {
  const Expr33 bt = transpose(b);
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = dot(a[i], bt[j]);
  }
  return r;
}

Expr33 add(const Expr33& a, const Expr33& b) { return {add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])}; }
Expr33 scale(const Expr& s, const Expr33& a) { return {scale(s, a[0]), scale(s, a[1]), scale(s, a[2])}; }

Expr33 transpose(const Expr33& a) {
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = a[j][i];
  }
  return r;
}

Expr33 diagonal(const Expr& x, const Expr& y, const Expr& z) {
  Expr33 r;
  r[0][0] = x;
  r[1][1] = y;
  r[2][2] = z;
  return r;
}

Expr33 identity33() { return diagonal(1, 1, 1); }

Expr33 parallel_axis(const Expr& m, const Expr3& a) {
  Expr33 r;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t k = (i + 1) % 3;
      const std::size_t l = (i + 2) % 3;
      r[i][j] = i == j ? m * (a[k] * a[k] + a[l] * a[l]) : -(m * a[i] * a[j]);
    }
  }
  return r;
}

Expr3 gyroscopic(const Expr33& I, const Expr3& w) {
  Expr3 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    Expr sum = (I[k][k] - I[j][j]) * (w[j] * w[k]);
    if (!I[j][k].is_zero()) sum += I[j][k] * (w[j] * w[j] - w[k] * w[k]);
    if (!I[i][k].is_zero()) sum += I[i][k] * (w[i] * w[j]);
    if (!I[i][j].is_zero()) sum -= I[i][j] * (w[i] * w[k]);
    r[i] = sum;
  }
  return r;
}

}  // namespace kane
