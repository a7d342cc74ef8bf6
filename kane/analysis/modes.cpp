#include "kane/analysis/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/eigen.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

using Complex = std::complex<double>;

/// Size of eigenvalues that should be zero: a double one splits by the root of the rounding error.
double zero_size(ConstMatrixView a, const std::vector<Complex>& values) {
  double size = std::sqrt(norm2({a.data, a.rows * a.columns}));
  for (const auto& s : values) size = std::max(size, std::abs(s));
  return 1e-7 * size;
}

Mode make_mode(Complex s, std::span<const Complex> vector, double tolerance) {
  Mode mode;
  mode.eigenvalue = s;
  mode.oscillates = std::abs(s.imag()) > tolerance;
  mode.natural_frequency = std::abs(s);
  mode.frequency = mode.oscillates ? std::abs(s.imag()) / (2 * std::numbers::pi) : 0;
  mode.damping = std::abs(s) > tolerance ? -s.real() / std::abs(s) : 0;
  mode.time_constant =
      std::abs(s.real()) > tolerance ? 1 / std::abs(s.real()) : std::numeric_limits<double>::infinity();
  const auto largest = std::max_element(vector.begin(), vector.end(),
                                        [](Complex x, Complex y) { return std::abs(x) < std::abs(y) * (1 - 1e-9); });
  for (const auto& v : vector) mode.shape.push_back(v / *largest);
  return mode;
}

/// |v_i w_i| of the right and left eigenvectors v, w of an eigenvalue that is alone: the diagonal of its projector
/// v w^T / (w^T v), up to a factor. Empty if w was not found.
std::vector<double> multiply_vectors(const GeneralEigen& right, std::size_t k, const GeneralEigen& left) {
  if (!left.converged) return {};
  const std::size_t n = right.values.size();
  const auto nearest = std::min_element(left.values.begin(), left.values.end(), [&](Complex x, Complex y) {
    return std::abs(x - right.values[k]) < std::abs(y - right.values[k]);
  });
  const Complex* const v = right.vectors.data() + k * n;
  const Complex* const w = left.vectors.data() + static_cast<std::size_t>(nearest - left.values.begin()) * n;
  std::vector<double> products(n);
  for (std::size_t i = 0; i < n; ++i) products[i] = std::abs(v[i] * w[i]);
  return products;
}

GeneralEigen calc_left_eigen(ConstMatrixView a) {
  Matrix transposed(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) transposed(j, i) = a(i, j);
  return calc_eigen(transposed.view());
}

/// One list per eigenvalue; those of a group share one.
std::vector<std::vector<double>> calc_participation(ConstMatrixView a, const GeneralEigen& eigen) {
  const std::size_t n = eigen.values.size();
  const std::vector<std::size_t> groups = find_eigenvalue_groups(eigen);
  const GeneralEigen left = calc_left_eigen(a);
  std::optional<EigenProjector> made;  // few matrices need one
  const auto projector = [&]() -> const EigenProjector& { return made ? *made : made.emplace(a); };
  std::vector<std::vector<double>> all(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto first = static_cast<std::size_t>(std::find(groups.begin(), groups.end(), groups[k]) - groups.begin());
    if (first < k) {
      all[k] = all[first];
      continue;
    }
    std::vector<Complex> members;
    for (std::size_t i = k; i < n; ++i)
      if (groups[i] == groups[k]) members.push_back(eigen.values[i]);
    if (members.size() == 1) all[k] = multiply_vectors(eigen, k, left);
    if (all[k].empty())
      for (const Complex& p : projector().calc_diagonal(members)) all[k].push_back(std::abs(p));
    double sum = 0;
    for (const double p : all[k]) sum += p;
    for (double& p : all[k]) p /= sum;
  }
  return all;
}

}  // namespace

ModeReport calc_modes(ConstMatrixView a, bool with_participation) {
  const std::size_t n = a.rows;
  for (std::size_t i = 0; i < n; ++i)
    require(all_finite({a.row(i), n}), "the linear equations have entries that are not finite at this state");
  const GeneralEigen eigen = calc_eigen(a);
  require(eigen.converged, "the eigenvalues of the linear equations could not be found");
  ModeReport r;
  r.eigenvalues = eigen.values;
  r.tolerance = n == 0 ? 0 : zero_size(a, eigen.values);
  std::vector<std::vector<double>> participation(n);
  if (with_participation) participation = calc_participation(a, eigen);
  for (std::size_t k = 0; k < n; ++k) {
    const Complex s = eigen.values[k];
    if (s.real() > r.tolerance)
      ++r.growing;
    else if (std::abs(s) <= r.tolerance)
      ++r.zero;
    else if (std::abs(s.real()) <= r.tolerance)
      ++r.oscillating;
    if (s.imag() < 0) continue;  // represented by its conjugate
    r.modes.push_back(make_mode(s, {eigen.vectors.data() + k * n, n}, r.tolerance));
    r.modes.back().participation = participation[k];
  }
  std::stable_sort(r.modes.begin(), r.modes.end(),
                   [](const Mode& x, const Mode& y) { return x.natural_frequency < y.natural_frequency; });
  r.stability = r.growing > 0                     ? Stability::Unstable
                : r.zero > 0 || r.oscillating > 0 ? Stability::Marginal
                                                  : Stability::Asymptotic;
  return r;
}

std::string describe_stability(const ModeReport& r) {
  const std::size_t n = r.eigenvalues.size();
  if (n == 0) return "nothing can move";
  double fastest = -std::numeric_limits<double>::infinity();
  for (const auto& s : r.eigenvalues) fastest = std::max(fastest, s.real());
  switch (r.stability) {
    case Stability::Unstable:
      return fmt::format("unstable: {} of {} {}, the fastest growth doubles in {:.4g} s", r.growing,
                         counted(n, "eigenvalue"), r.growing == 1 ? "grows" : "grow", std::log(2.0) / fastest);
    case Stability::Asymptotic:
      if (n == 1)
        return fmt::format("asymptotically stable: the eigenvalue decays, with a time constant of {:.4g} s",
                           -1 / fastest);
      return fmt::format(
          "asymptotically stable: all {} eigenvalues decay, the slowest with a time constant of {:.4g} s", n,
          -1 / fastest);
    case Stability::Marginal: break;
  }
  std::string why;
  if (r.oscillating > 0) why += fmt::format("{} on the imaginary axis", r.oscillating);
  if (r.zero > 0) why += fmt::format("{}{} zero", why.empty() ? "" : ", ", r.zero);
  return fmt::format("marginal: no eigenvalue grows, but of {} there {} {}; the linear equations alone cannot decide",
                     n, r.oscillating + r.zero == 1 ? "is" : "are", why);
}

}  // namespace kane
