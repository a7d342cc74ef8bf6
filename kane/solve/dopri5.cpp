#include <algorithm>
#include <cmath>

#include "kane/solve/dense_output.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr ExplicitTraits kDopri5Traits = {
    .order = 5, .error_exponent = 0.2, .memory = 0.04, .shrink = 0.2, .grow = 10, .stability = 3.25};

}  // namespace

DormandPrince54::DormandPrince54(std::size_t size, Rhs rhs, const AdaptiveOptions& options)
    : ExplicitAdaptive(size, std::move(rhs), options, kDopri5Traits),
      k_(5 * padded_),
      stage_(padded_),
      error_(padded_),
      dense_(padded_) {}

// The tableau of table II.5.2.
ExplicitAdaptive::Attempt DormandPrince54::attempt(double h) {
  const double* const y = y_.data();
  const double* const k1 = slope_.data();
  double* const Y = stage_.data();
  double* const k2 = k(2);
  double* const k3 = k(3);
  double* const k4 = k(4);
  double* const k5 = k(5);
  double* const k6 = k(6);
  double* const k7 = slope_next_.data();
  const std::size_t n = padded_;
  using T = StageTerm;
  RhsStatus status = RhsStatus::Ok;
  const auto failed = [&](double c, const double* at, double* into) {
    status = evaluate(c == 1 ? t_next_ : t_ + c * h, at, into);
    return status != RhsStatus::Ok;
  };

  sums_(Y, y, h, n, T{1.0 / 5, k1});
  if (failed(1.0 / 5, Y, k2)) return {status};
  sums_(Y, y, h, n, T{3.0 / 40, k1}, T{9.0 / 40, k2});
  if (failed(3.0 / 10, Y, k3)) return {status};
  sums_(Y, y, h, n, T{44.0 / 45, k1}, T{-56.0 / 15, k2}, T{32.0 / 9, k3});
  if (failed(4.0 / 5, Y, k4)) return {status};
  sums_(Y, y, h, n, T{19372.0 / 6561, k1}, T{-25360.0 / 2187, k2}, T{64448.0 / 6561, k3}, T{-212.0 / 729, k4});
  if (failed(8.0 / 9, Y, k5)) return {status};
  sums_(Y, y, h, n, T{9017.0 / 3168, k1}, T{-355.0 / 33, k2}, T{46732.0 / 5247, k3}, T{49.0 / 176, k4},
        T{-5103.0 / 18656, k5});
  if (failed(1, Y, k6)) return {status};
  sums_(y_next_.data(), y, h, n, T{35.0 / 384, k1}, T{500.0 / 1113, k3}, T{125.0 / 192, k4}, T{-2187.0 / 6784, k5},
        T{11.0 / 84, k6});
  if (failed(1, y_next_.data(), k7)) return {status};
  sums_(error_.data(), h, n, T{0.0, k2}, T{71.0 / 57600, k1}, T{-71.0 / 16695, k3}, T{71.0 / 1920, k4},
        T{-17253.0 / 339200, k5}, T{22.0 / 525, k6}, T{-1.0 / 40, k7});
  const double error = std::sqrt(scaled_square(error_.data()) / static_cast<double>(n_));
  if (!(error <= 1)) find_worst(error_.data());
  return {status, error};
}

double DormandPrince54::estimate_lambda() {
  double slopes = 0, states = 0;
  const double* const k6 = k(6);
  for (std::size_t i = 0; i < n_; ++i) {
    slopes += (slope_next_[i] - k6[i]) * (slope_next_[i] - k6[i]);
    states += (y_next_[i] - stage_[i]) * (y_next_[i] - stage_[i]);
  }
  return states > 0 ? std::sqrt(slopes / states) : 0;
}

// The continuous extension of section II.6 meets y and its slope at both ends (also after a projection); what is left of
// it is one coefficient, of s^2 (1-s)^2.
StepStatus DormandPrince54::prepare_dense() {
  using T = StageTerm;
  sums_(dense_.data(), t_ - t_previous_, padded_, T{-12715105075.0 / 11282082432.0, slope_previous_.data()},
        T{87487479700.0 / 32700410799.0, k(3)}, T{-10690763975.0 / 1880347072.0, k(4)},
        T{701980252875.0 / 199316789632.0, k(5)}, T{-1453857185.0 / 822651844.0, k(6)},
        T{69997945.0 / 29380423.0, slope_.data()});
  return StepStatus::Ok;
}

void DormandPrince54::evaluate_dense(double s, std::span<double> y) const {
  const double h = t_ - t_previous_;
  for (std::size_t i = 0; i < n_; ++i) {
    y[i] = interpolate_step(s, y_previous_[i], y_[i], h * slope_previous_[i], h * slope_[i], dense_[i]);
  }
}

}  // namespace kane
