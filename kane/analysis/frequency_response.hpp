#pragma once
// Frequency response, zeros, margins, controllability and observability of a linear model.
//
//     H(i w) = C (i w 1 - A)^-1 B + D

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "kane/analysis/linear_model.hpp"

namespace kane {

struct FrequencyPoint {
  double omega = 0;               ///< rad/s
  std::complex<double> response;  ///< not finite at an undamped resonance
  double magnitude = 0;           ///< |H|
  double decibel = 0;             ///< 20 log10 |H|
  double phase = 0;               ///< degrees, continuous along the list
};

/// From one input to one output. Frequencies in rad/s.
[[nodiscard]] std::vector<FrequencyPoint> calc_frequency_response(const LinearModel& model, std::size_t output,
                                                                  std::size_t input, std::span<const double> omega);

/// `count` frequencies from `low` to `high`, equally spaced on a logarithmic scale. Throws ModelError for bad limits.
[[nodiscard]] std::vector<double> log_spaced(double low, double high, std::size_t count);

/// Finite zeros of the transfer function from one input to one output: z with det [A - z 1, B; C, D] = 0.
[[nodiscard]] std::vector<std::complex<double>> calc_zeros(const LinearModel& model, std::size_t output,
                                                           std::size_t input);

/// Margins of the closed loop that feeds the output back to the input with the sign -1, from points of the response.
struct Margins {
  std::optional<double> gain;  ///< factor by which the gain may grow, where the phase is -180 degrees
  std::optional<double> gain_omega;
  std::optional<double> phase;  ///< degrees left until -180 where |H| = 1
  std::optional<double> phase_omega;
};
[[nodiscard]] Margins calc_margins(std::span<const FrequencyPoint> points);

/// Controllable states: the dimension of the smallest subspace that contains B and is mapped into itself by A, found by
/// orthogonalising B, A B, A A B, ... step by step (each basis vector is multiplied, never a power of A formed).
struct Reach {
  std::size_t rank = 0;
  std::size_t states = 0;
  /// For each mode (in the order of ModeReport::modes): |w B| of its left eigenvector w A = s w, between 0 (not controllable) and
  /// the largest of all modes. Empty if there is no complete set of eigenvectors.
  std::vector<double> modes;
  [[nodiscard]] bool complete() const { return rank == states; }
};
[[nodiscard]] Reach calc_controllability(ConstMatrixView a, ConstMatrixView b);
/// The same for A^T and C^T: observable states.
[[nodiscard]] Reach calc_observability(ConstMatrixView a, ConstMatrixView c);

}  // namespace kane
