#include "kane/solve/gauss.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

namespace {

struct Tableau {
  std::array<double, 3> c;
  std::array<std::array<double, 3>, 3> a;
  std::array<double, 3> b;
};

constexpr double kSqrt3 = 1.7320508075688772935, kSqrt15 = 3.8729833462074168852;

constexpr std::array<Tableau, 3> kTableaus = {{
    {{0.5}, {{{0.5}}}, {1.0}},
    {{0.5 - kSqrt3 / 6, 0.5 + kSqrt3 / 6}, {{{0.25, 0.25 - kSqrt3 / 6}, {0.25 + kSqrt3 / 6, 0.25}}}, {0.5, 0.5}},
    {{0.5 - kSqrt15 / 10, 0.5, 0.5 + kSqrt15 / 10},
     {{{5.0 / 36, 2.0 / 9 - kSqrt15 / 15, 5.0 / 36 - kSqrt15 / 30},
       {5.0 / 36 + kSqrt15 / 24, 2.0 / 9, 5.0 / 36 - kSqrt15 / 24},
       {5.0 / 36 + kSqrt15 / 30, 2.0 / 9 + kSqrt15 / 15, 5.0 / 36}}},
     {5.0 / 18, 4.0 / 9, 5.0 / 18}},
}};

const Tableau& tableau(std::size_t stages) { return kTableaus[stages - 1]; }

/// Below this (relative) a change that has stopped shrinking is rounding.
constexpr double kRoundingLevel = 1e-10;

}  // namespace

GaussIntegrator::GaussIntegrator(std::size_t size, Rhs rhs, GaussOptions options)
    : FixedStepIntegrator(size, std::move(rhs), options.step),
      options_(std::move(options)),
      s_(at(options_.stages)),
      weight_(padded_),
      compensation_(padded_),
      carried_(padded_),
      jacobian_(size, size),
      newton_(options_.iteration == StageIteration::FixedPoint ? 0 : s_ * size) {
  require(options_.stages >= 1 && options_.stages <= 3, "Gauss methods have 1, 2 or 3 stages, not {}", options_.stages);
  for (auto* block : {&f_, &z_, &z_old_, &delta_}) block->resize(s_ * padded_);
}

std::string_view GaussIntegrator::name() const {
  constexpr std::array<std::string_view, 3> kNames = {"midpoint", "gauss4", "gauss6"};
  return kNames[s_ - 1];
}

void GaussIntegrator::forget() {
  has_history_ = false;
  factored_h_ = 0;
  newton_from_now_ = options_.iteration == StageIteration::Newton;
  std::fill(compensation_.begin(), compensation_.end(), 0.0);
}

void GaussIntegrator::projected() { std::fill(compensation_.begin(), compensation_.end(), 0.0); }

// First guess of Z: integral of the polynomial through the slopes of the last step, continued into this one:
// Z_i = h_last sum_j f_j int_1^(1 + c_i h / h_last) l_j(x) dx with the Lagrange polynomials l_j through the nodes c_j.
void GaussIntegrator::predict() {
  if (!has_history_) {
    std::fill(z_.begin(), z_.end(), 0.0);
    return;
  }
  const Tableau& table = tableau(s_);
  const double h = t_next_ - t_;
  for (std::size_t i = 0; i < s_; ++i) {
    double* const __restrict z = z_.data() + i * padded_;
    std::fill_n(z, padded_, 0.0);
    // Three-point Gauss quadrature is exact for these polynomials.
    for (std::size_t g = 0; g < 3; ++g) {
      const double x = 1 + table.c[i] * kTableaus[2].c[g] * h / h_last_;
      for (std::size_t j = 0; j < s_; ++j) {
        double l = table.c[i] * kTableaus[2].b[g] * h;
        for (std::size_t k = 0; k < s_; ++k) {
          if (k != j) l *= (x - table.c[k]) / (table.c[j] - table.c[k]);
        }
        add_scaled(z, l, f_.data() + j * padded_, padded_);
      }
    }
  }
}

/// Sizes against which changes of y are measured: of y, of its change over the step, and a little of the largest.
void GaussIntegrator::weigh(double h) {
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double size = std::abs(y_[i]);
    for (std::size_t j = 0; j < s_; ++j) size = std::max(size, std::abs(h * f_[j * padded_ + i]));
    weight_[i] = size;
    largest = std::max(largest, size);
  }
  for (std::size_t i = 0; i < n_; ++i) weight_[i] = std::max({weight_[i], 1e-8 * largest, 1e-290});
}

StepStatus GaussIntegrator::evaluate_stages(double h) {
  const Tableau& table = tableau(s_);
  for (std::size_t j = 0; j < s_; ++j) {
    const double* const z = z_.data() + j * padded_;
    for (std::size_t i = 0; i < padded_; ++i) y_next_[i] = y_[i] + z[i];
    if (evaluate(t_ + table.c[j] * h, y_next_.data(), f_.data() + j * padded_) != RhsStatus::Ok) return rhs_failure();
  }
  return StepStatus::Ok;
}

/// Z = h A f; returns the largest relative change.
double GaussIntegrator::update_fixed_point(double h) {
  const Tableau& table = tableau(s_);
  z_old_.swap(z_);
  double change = 0;
  for (std::size_t i = 0; i < s_; ++i) {
    double* const __restrict z = z_.data() + i * padded_;
    std::fill_n(z, padded_, 0.0);
    for (std::size_t j = 0; j < s_; ++j) add_scaled(z, h * table.a[i][j], f_.data() + j * padded_, padded_);
    for (std::size_t k = 0; k < n_; ++k) {
      change = std::max(change, std::abs(z[k] - z_old_[i * padded_ + k]) / weight_[k]);
    }
  }
  return change;
}

/// (1 - h A x J) dZ = h A f - Z; returns the largest relative change.
double GaussIntegrator::update_newton(double h) {
  const Tableau& table = tableau(s_);
  for (std::size_t i = 0; i < s_; ++i) {
    double* const d = delta_.data() + i * n_;
    for (std::size_t k = 0; k < n_; ++k) {
      d[k] = -z_[i * padded_ + k];
      for (std::size_t j = 0; j < s_; ++j) d[k] += h * table.a[i][j] * f_[j * padded_ + k];
    }
  }
  newton_.solve({delta_.data(), s_ * n_});
  double change = 0;
  for (std::size_t i = 0; i < s_; ++i) {
    for (std::size_t k = 0; k < n_; ++k) {
      z_[i * padded_ + k] += delta_[i * n_ + k];
      change = std::max(change, std::abs(delta_[i * n_ + k]) / weight_[k]);
    }
  }
  return change;
}

StepStatus GaussIntegrator::factor(double h) {
  const Tableau& table = tableau(s_);
  ++totals_.jacobians;
  if (options_.jacobian) {
    if (options_.jacobian(t_, state(), jacobian_.view()) != RhsStatus::Ok) return StepStatus::RhsFailed;
  } else {
    if (const StepStatus status = need_slope(); status != StepStatus::Ok) return status;
    std::copy(y_.begin(), y_.end(), y_next_.begin());
    const auto f = [this](std::span<const double> y, std::span<double> ydot) {
      return evaluate(t_, y.data(), ydot.data()) == RhsStatus::Ok;
    };
    if (!calc_differences(f, {y_next_.data(), n_}, {}, {slope_.data(), n_}, {delta_.data(), n_}, jacobian_.view())) {
      return rhs_failure();
    }
  }
  const MatrixView a = newton_.prepare(s_ * n_);
  for (std::size_t i = 0; i < s_; ++i) {
    for (std::size_t j = 0; j < s_; ++j) {
      for (std::size_t k = 0; k < n_; ++k) {
        for (std::size_t l = 0; l < n_; ++l) {
          a(i * n_ + k, j * n_ + l) = (i == j && k == l ? 1.0 : 0.0) - h * table.a[i][j] * jacobian_(k, l);
        }
      }
    }
  }
  factored_h_ = 0;
  if (!newton_.factor().ok()) return StepStatus::NewtonFailed;
  factored_h_ = h;
  return StepStatus::Ok;
}

// Iterates until Z does not change at all, or its changes have become rounding: small, and no smaller than before. f
// then belongs to Z up to rounding.
StepStatus GaussIntegrator::iterate(double h, bool newton) {
  double last = std::numeric_limits<double>::infinity();
  int growing = 0;
  for (int round = 0; round < options_.max_iterations; ++round) {
    if (const StepStatus status = evaluate_stages(h); status != StepStatus::Ok) return status;
    if (round == 0) weigh(h);
    const double change = newton ? update_newton(h) : update_fixed_point(h);
    if (change == 0) return StepStatus::Ok;
    if (change < kRoundingLevel && change >= last) return StepStatus::Ok;
    growing = change >= last ? growing + 1 : 0;
    if (growing > 3 || !std::isfinite(change)) return StepStatus::NewtonFailed;
    last = change;
  }
  return last < kRoundingLevel ? StepStatus::Ok : StepStatus::NewtonFailed;
}

// y + h sum b f with compensated summation: what is lost in rounding is carried into the next step.
void GaussIntegrator::finish(double h) {
  const Tableau& table = tableau(s_);
  for (std::size_t i = 0; i < padded_; ++i) {
    double increment = compensation_[i];
    for (std::size_t j = 0; j < s_; ++j) increment += h * table.b[j] * f_[j * padded_ + i];
    y_next_[i] = y_[i] + increment;
    carried_[i] = (y_[i] - y_next_[i]) + increment;
  }
  compensation_.swap(carried_);
}

StepStatus GaussIntegrator::advance(double h) {
  report_.order = 2 * options_.stages;
  bool newton = newton_from_now_;
  if (!newton) {
    predict();
    const StepStatus status = iterate(h, false);
    newton = status != StepStatus::Ok;
    if (newton && options_.iteration == StageIteration::FixedPoint) return status;
  }
  if (newton) {
    // A factorisation from an earlier step is good enough while it converges.
    StepStatus status = StepStatus::NewtonFailed;
    if (factored_h_ == h) {
      predict();
      status = iterate(h, true);
    }
    if (status != StepStatus::Ok) {
      has_history_ = false;
      predict();
      status = factor(h);
      if (status == StepStatus::Ok) status = iterate(h, true);
    }
    if (status != StepStatus::Ok) return status;
    newton_from_now_ = true;
  }
  finish(h);
  has_history_ = true;
  h_last_ = h;
  return StepStatus::Ok;
}

}  // namespace kane
