#include "kane/analysis/frequency_response.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/analysis/modes.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

using Complex = std::complex<double>;
using Index = Eigen::Index;

Eigen::MatrixXd to_eigen(ConstMatrixView a) {
  Eigen::MatrixXd m(static_cast<Index>(a.rows), static_cast<Index>(a.columns));
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) m(static_cast<Index>(i), static_cast<Index>(j)) = a(i, j);
  return m;
}

void check_channel(const LinearModel& m, std::size_t output, std::size_t input) {
  ensure(output < m.outputs.size() && input < m.inputs.size(), "no output {} or input {}", output, input);
}

/// States scaled by powers of two so that rows and columns of A have similar size: ranks must not depend on units.
Eigen::VectorXd balance(Eigen::MatrixXd& a) {
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(a.rows());
  for (int sweep = 0; sweep < 20; ++sweep) {
    bool changed = false;
    for (Index i = 0; i < a.rows(); ++i) {
      const double column = a.col(i).norm() - std::abs(a(i, i)), row = a.row(i).norm() - std::abs(a(i, i));
      if (column <= 0 || row <= 0) continue;
      const double f = std::exp2(std::round(std::log2(std::sqrt(row / column))));
      if (f == 1) continue;
      a.col(i) *= f, a.row(i) /= f, scale(i) *= f;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

std::size_t calc_rank(Eigen::MatrixXd a, Eigen::MatrixXd b) {
  constexpr double kTolerance = 1e-9;
  const Eigen::VectorXd scale = balance(a);
  b = scale.cwiseInverse().asDiagonal() * b;
  if (const double size = a.norm(); size > 0) a /= size;
  std::vector<Eigen::VectorXd> basis;
  std::vector<Eigen::VectorXd> next;
  for (Index j = 0; j < b.cols(); ++j)
    if (b.col(j).norm() > 0) next.emplace_back(b.col(j).normalized());
  for (std::size_t k = 0; k < next.size() && basis.size() < static_cast<std::size_t>(a.rows()); ++k) {
    Eigen::VectorXd v = next[k];
    const double before = v.norm();
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& e : basis) v -= e.dot(v) * e;
    if (before == 0 || v.norm() <= kTolerance * std::max(before, kTolerance)) continue;
    basis.emplace_back(v.normalized());
    next.emplace_back(a * basis.back());
  }
  return basis.size();
}

Reach calc_reach(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Reach r{calc_rank(a, b), static_cast<std::size_t>(a.rows()), {}};
  // Left eigenvectors of A are right ones of its transpose.
  Matrix transposed(r.states, r.states);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.rows(); ++j) transposed(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = a(j, i);
  double largest = 0;
  for (const Mode& mode : calc_modes(transposed.view(), false).modes) {
    double sum = 0, size = 0;
    for (const auto& w : mode.shape) size += std::norm(w);
    for (Index j = 0; j < b.cols(); ++j) {
      Complex product = 0;
      for (Index k = 0; k < b.rows(); ++k) product += mode.shape[at(k)] * b(k, j);
      sum += std::norm(product);
    }
    r.modes.push_back(std::sqrt(sum / size));
    largest = std::max(largest, r.modes.back());
  }
  if (largest > 0)
    for (double& x : r.modes) x /= largest;
  return r;
}

double wrap_near(double phase, double previous) { return phase - 360 * std::round((phase - previous) / 360); }

/// How many of these lie on the imaginary axis between two frequencies, up to rounding.
template <class Roots>
int count_on_axis(const Roots& roots, double from, double to) {
  return static_cast<int>(std::count_if(roots.begin(), roots.end(), [&](const Complex& s) {
    return std::abs(s.real()) < 1e-7 * std::abs(s) && s.imag() > from && s.imag() <= to;
  }));
}

}  // namespace

std::vector<FrequencyPoint> calc_frequency_response(const LinearModel& m, std::size_t output, std::size_t input,
                                                    std::span<const double> omega) {
  check_channel(m, output, input);
  const Eigen::MatrixXcd a = to_eigen(m.a).cast<Complex>();
  const Eigen::VectorXcd b = to_eigen(m.b).col(static_cast<Index>(input)).cast<Complex>();
  const Eigen::RowVectorXcd c = to_eigen(m.c).row(static_cast<Index>(output)).cast<Complex>();
  const auto identity = Eigen::MatrixXcd::Identity(a.rows(), a.rows());
  const Eigen::VectorXcd poles = a.rows() > 0 ? to_eigen(m.a).eigenvalues() : Eigen::VectorXcd();
  const std::vector<Complex> zeros = calc_zeros(m, output, input);
  std::vector<FrequencyPoint> points;
  for (const double w : omega) {
    const Eigen::MatrixXcd pencil = Complex(0, w) * identity - a;
    FrequencyPoint p;
    p.omega = w;
    p.response = m.d(output, input);
    if (a.rows() > 0) p.response += (c * pencil.partialPivLu().solve(b)).value();
    p.magnitude = std::abs(p.response);
    p.decibel = 20 * std::log10(p.magnitude);
    p.phase = std::arg(p.response) * 180 / std::numbers::pi;
    if (!points.empty() && std::isfinite(points.back().phase)) {
      // An undamped zero turns by half a turn forwards, an undamped pole backwards: the limit of little damping.
      const double before = points.back().omega;
      const int halves = count_on_axis(zeros, before, w) - count_on_axis(poles, before, w);
      p.phase = wrap_near(p.phase, points.back().phase + 180 * halves);
    }
    points.push_back(p);
  }
  return points;
}

std::vector<double> log_spaced(double low, double high, std::size_t count) {
  require(low > 0 && std::isfinite(high) && high > low,
          "the frequency range must be positive and increasing, not from {} to {}", low, high);
  require(count >= 2 && count <= 1'000'000, "the number of frequencies must be between 2 and 1000000, not {}", count);
  std::vector<double> omega;
  for (std::size_t k = 0; k < count; ++k)
    omega.push_back(low * std::pow(high / low, static_cast<double>(k) / static_cast<double>(count - 1)));
  return omega;
}

std::vector<Complex> calc_zeros(const LinearModel& m, std::size_t output, std::size_t input) {
  check_channel(m, output, input);
  const auto n = static_cast<Index>(m.states.size());
  Eigen::MatrixXd system(n + 1, n + 1), unit = Eigen::MatrixXd::Zero(n + 1, n + 1);
  system.topLeftCorner(n, n) = to_eigen(m.a);
  system.topRightCorner(n, 1) = to_eigen(m.b).col(static_cast<Index>(input));
  system.bottomLeftCorner(1, n) = to_eigen(m.c).row(static_cast<Index>(output));
  system(n, n) = m.d(output, input);
  unit.topLeftCorner(n, n).setIdentity();
  const Eigen::GeneralizedEigenSolver<Eigen::MatrixXd> solver(system, unit, false);
  std::vector<Complex> zeros;
  const double size = std::max(1.0, to_eigen(m.a).norm());
  // Zeros at infinity appear as quotients with a denominator of rounding errors.
  constexpr double kFinite = 1e5;
  for (Index k = 0; k <= n; ++k) {
    const Complex z = solver.alphas()(k) / solver.betas()(k);
    if (std::isfinite(z.real()) && std::isfinite(z.imag()) && std::abs(z) < kFinite * size) zeros.push_back(z);
  }
  std::sort(zeros.begin(), zeros.end(), [](Complex x, Complex y) {
    return std::abs(x.real() - y.real()) > 1e-9 ? x.real() < y.real() : x.imag() < y.imag();
  });
  return zeros;
}

Margins calc_margins(std::span<const FrequencyPoint> points) {
  Margins r;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const FrequencyPoint &p = points[k - 1], &q = points[k];
    const auto between = [&](double x) {  // on logarithmic scales
      return std::pair(p.omega * std::pow(q.omega / p.omega, x), x);
    };
    const double turns = std::floor((std::max(p.phase, q.phase) - 180) / 360);
    const double crossing = 180 + 360 * turns;  // the odd multiple of 180 degrees that may lie between
    // The half turn of an undamped pole or zero crosses where the response is infinite or nothing.
    const bool jumps = std::abs(q.phase - p.phase) > 180 - 1e-6;
    if (!jumps && (p.phase - crossing) * (q.phase - crossing) <= 0 && p.phase != q.phase) {
      const auto [w, x] = between((crossing - p.phase) / (q.phase - p.phase));
      const double gain = std::pow(10, -(p.decibel + x * (q.decibel - p.decibel)) / 20);
      if (!r.gain || std::abs(std::log(gain)) < std::abs(std::log(*r.gain))) r.gain = gain, r.gain_omega = w;
    }
    if (p.decibel * q.decibel <= 0 && p.decibel != q.decibel) {
      const auto [w, x] = between(-p.decibel / (q.decibel - p.decibel));
      double left = std::fmod(p.phase + x * (q.phase - p.phase) + 180, 360);
      if (left > 180) left -= 360;
      if (left < -180) left += 360;
      if (!r.phase || std::abs(left) < std::abs(*r.phase)) r.phase = left, r.phase_omega = w;
    }
  }
  return r;
}

Reach calc_controllability(ConstMatrixView a, ConstMatrixView b) { return calc_reach(to_eigen(a), to_eigen(b)); }

Reach calc_observability(ConstMatrixView a, ConstMatrixView c) {
  return calc_reach(to_eigen(a).transpose(), to_eigen(c).transpose());
}

}  // namespace kane
