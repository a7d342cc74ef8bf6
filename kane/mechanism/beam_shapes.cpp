#include "kane/mechanism/beam_shapes.hpp"

#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/number.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {
namespace {

constexpr long double kPiLong = 3.141592653589793238462643383279502884L;

Expr real(Graph& graph, long double value) { return graph.number(rational_from_double(static_cast<double>(value))); }

// Frequency equations, divided by cosh b:
//   cantilever cos b = -1/cosh b;  clamped and free cos b = 1/cosh b;  pinned sin b = 0;
//   clamped-pinned tan b = tanh b, written sin b = cos b tanh b.
// Newton's method from where 1/cosh b is nothing; the first roots need a few steps more.
long double root(BeamShapes shapes, int mode) {
  if (shapes == BeamShapes::Pinned) return mode * kPiLong;
  const long double start = shapes == BeamShapes::Cantilever      ? (mode - 0.5L) * kPiLong
                            : shapes == BeamShapes::ClampedPinned ? (mode + 0.25L) * kPiLong
                                                                  : (mode + 0.5L) * kPiLong;
  const auto f = [&](long double b) {
    if (shapes == BeamShapes::ClampedPinned) return std::sin(b) - std::cos(b) * std::tanh(b);
    return std::cos(b) + (shapes == BeamShapes::Cantilever ? 1 : -1) / std::cosh(b);
  };
  // Bisection: f changes its sign once within a quarter of a period on either side.
  long double low = start - 0.45L, high = start + 0.45L;
  const bool rising = f(low) < 0;
  constexpr int kHalvings = 80;
  for (int i = 0; i < kHalvings; ++i) {
    const long double middle = (low + high) / 2;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// A, B, C, D of beam_shapes.hpp.
struct Coefficients {
  long double decay_left, decay_right, cosine, sine;
};

// phi = cosh bx -+ cos bx - s (sinh bx -+ sin bx), the upper signs for clamped ends at x = 0. With
// cosh bx - s sinh bx = (1 + s)/2 e^(-bx) + (1 - s)/2 e^b e^(-b(1-x)).
Coefficients coefficients(BeamShapes shapes, long double b) {
  if (shapes == BeamShapes::Pinned) return {0, 0, 0, std::sqrt(2.0L)};
  const int end = shapes == BeamShapes::Cantilever ? 1 : -1;  // s = (cosh b +- cos b)/(sinh b +- sin b)
  const long double s = (std::cosh(b) + end * std::cos(b)) / (std::sinh(b) + end * std::sin(b));
  // 1 - s = (sinh b - cosh b + end (sin b - cos b))/(sinh b + end sin b), without cancellation.
  const long double one_less_s =
      (-std::exp(-b) + end * (std::sin(b) - std::cos(b))) / (std::sinh(b) + end * std::sin(b));
  const long double side = shapes == BeamShapes::Free ? 1 : -1;
  Coefficients c{(1 + s) / 2, one_less_s * std::exp(b) / 2, side, -side * s};
  if (shapes == BeamShapes::ClampedPinned) {
    // int phi^2 dx = 1 + (terms of the end): normalised by its value, found from phi at the ends.
    // For phi'''' = b^4 phi: 4 int phi^2 = [x phi^2 + ...]; at a pinned end phi = phi'' = 0, so
    // 4 int phi^2 = -2 phi' phi'''/b^4 at x = 1.
    const long double e = std::exp(-b);
    const long double slope = b * (-c.decay_left * e + c.decay_right - c.cosine * std::sin(b) + c.sine * std::cos(b));
    const long double third =
        b * b * b * (-c.decay_left * e + c.decay_right + c.cosine * std::sin(b) - c.sine * std::cos(b));
    const long double norm = std::sqrt(-slope * third / (2 * b * b * b * b));
    c = {c.decay_left / norm, c.decay_right / norm, c.cosine / norm, c.sine / norm};
  }
  return c;
}

/// Orthonormal polynomials x^p P_k(2x - 1), k = 0 to count - 1, with the polynomials P of Jacobi for the weight x^(2p):
/// they span x^p, x^(p+1), ... and stay well conditioned where powers do not. By their recurrence (a = 0, b = 2p), which
/// is as accurate as its terms:
///     2 (n+1)(n+b+1)(2n+b) P_n+1 = (2n+b+1) [(2n+b+2)(2n+b) t - b^2] P_n - 2 n (n+b)(2n+b+2) P_n-1,
///     int_0^1 x^b P_n^2 dx = 1/(2n+b+1).
std::vector<Expr> orthonormal_polynomials(Graph& graph, int p, int count) {
  const Expr x = beam_place(graph), t = 2 * x - 1;
  const int b = 2 * p;
  std::vector<Expr> P{graph.number(1)};
  for (int n = 0; n + 1 < count; ++n) {
    if (n == 0) {
      P.push_back(graph.number(b + 2, 2) * t - graph.number(b, 2));
      continue;
    }
    const int c = 2 * n + b;
    const Expr next = graph.number(c + 1) * (graph.number((c + 2) * c) * t - graph.number(b * b)) * P.back() -
                      graph.number(2 * n * (n + b) * (c + 2)) * P[P.size() - 2];
    P.push_back(next / graph.number(2 * (n + 1) * (n + b + 1) * c));
  }
  std::vector<Expr> all;
  for (int n = 0; n < count; ++n) all.push_back(real(graph, std::sqrt(2.0L * n + b + 1)) * pow(x, p) * P[at(n)]);
  return all;
}

}  // namespace

Expr beam_place(Graph& graph) { return graph.symbol("s/length"); }

double beam_eigenvalue(BeamShapes shapes, int mode) { return static_cast<double>(root(shapes, mode)); }

std::vector<Expr> beam_bending_shapes(Graph& graph, BeamShapes shapes, int count) {
  if (shapes == BeamShapes::Polynomial) return orthonormal_polynomials(graph, 2, count);
  const Expr x = beam_place(graph);
  std::vector<Expr> all;
  for (int i = 1; i <= count; ++i) {
    const long double root_value = root(shapes, i);
    const Coefficients c = coefficients(shapes, root_value);
    const Expr b = real(graph, root_value);
    Expr sum = real(graph, c.sine) * sin(b * x);
    if (c.cosine != 0) sum += real(graph, c.cosine) * cos(b * x);
    if (c.decay_left != 0) sum += real(graph, c.decay_left) * exp(-b * x);
    if (c.decay_right != 0) sum += real(graph, c.decay_right) * exp(b * (x - 1));
    all.push_back(sum);
  }
  return all;
}

std::vector<Expr> beam_bar_shapes(Graph& graph, BeamShapes shapes, int count) {
  if (shapes == BeamShapes::Polynomial) return orthonormal_polynomials(graph, 1, count);
  const Expr x = beam_place(graph);
  std::vector<Expr> all;
  for (int i = 1; i <= count; ++i) {
    const Expr root_two = real(graph, std::sqrt(2.0L));
    const auto wave = [&](long double halves) { return real(graph, halves * kPiLong / 2) * x; };
    switch (shapes) {
      case BeamShapes::Free: all.push_back(root_two * cos(wave(2 * i))); break;
      case BeamShapes::Clamped:
      case BeamShapes::ClampedPinned: all.push_back(root_two * sin(wave(2 * i))); break;
      default: all.push_back(root_two * sin(wave(2 * i - 1)));
    }
  }
  return all;
}

void name_beam_coordinates(Graph& graph, const std::string& body, FlexibleBeam& beam,
                           const std::vector<std::string>& names) {
  beam.coordinates.clear();
  beam.speeds.clear();
  const std::size_t n = beam.mode_count();
  require(names.empty() || names.size() == n, "the beam '{}' has {} modes but {} names of coordinates", body, n,
          names.size());
  const std::string own = body + "_q";
  for (std::size_t i = 0; i < n; ++i) {
    const std::string q = names.empty() ? own + std::to_string(i + 1) : names[i];
    const bool plain = q.size() > own.size() && q.compare(0, own.size(), own) == 0;
    beam.coordinates.push_back(graph.symbol(q));
    beam.speeds.push_back(graph.symbol(plain ? body + "_u" + q.substr(own.size()) : speed_name(q)));
  }
}

std::string_view to_string(BeamShapes shapes) {
  switch (shapes) {
    case BeamShapes::Cantilever: return "cantilever";
    case BeamShapes::Pinned: return "pinned";
    case BeamShapes::Clamped: return "clamped";
    case BeamShapes::ClampedPinned: return "clamped-pinned";
    case BeamShapes::Free: return "free";
    case BeamShapes::Polynomial: return "polynomial";
    default: return "given";
  }
}

std::string_view to_string(BeamMotion motion) {
  switch (motion) {
    case BeamMotion::BendY: return "y";
    case BeamMotion::BendZ: return "z";
    case BeamMotion::Twist: return "twist";
    case BeamMotion::Stretch: return "stretch";
    case BeamMotion::ShearY: return "shear_y";
    case BeamMotion::ShearZ: return "shear_z";
    default: return "part";
  }
}

}  // namespace kane
