#pragma once
// The frequency response of a model from one input to one output, about a state.
//
//     FrequencyReport bode = find_frequency_response(model, {}, {.input = "F", .output = "x", .equilibrium = true});

#include <complex>
#include <string>
#include <vector>

#include "kane/analysis/frequency_response.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// Options of a frequency response.
struct FrequencyOptions {
  /// The input that oscillates; empty: the only one. If it has a law, the loop is opened there: the law is left out.
  std::string input{};
  /// A coordinate, speed, output, component of a point or expression (signals.hpp).
  std::string output{};
  double low = 0.1;          ///< rad/s
  double high = 1000;        ///< rad/s
  std::size_t count = 200;   ///< frequencies, equally spaced on a logarithmic scale
  bool equilibrium = false;  ///< find the equilibrium first, from the given state
  bool open_loop = false;    ///< leave out the laws of the other inputs too

  /// Throws ModelError if the limits make no sense or there is no output.
  void check() const;
};

/// The response, and the linear system behind it.
struct FrequencyReport {
  PointSummary summary;                     ///< summary of the state
  std::string input;                        ///< the input chosen
  std::string output;                       ///< the output requested
  std::vector<FrequencyPoint> points;       ///< response by frequency
  ModeReport modes;                         ///< its eigenvalues are the poles
  std::vector<std::complex<double>> zeros;  ///< zeros of the transfer function
  Margins margins;                          ///< margins of the loop closed by -1
  Reach controllable;                       ///< controllability by all inputs
  Reach observable;                         ///< observability from the output
  double drift = 0;                         ///< the largest rate of a state, with its sign: zero at an equilibrium
  std::string failure;                      ///< why there is no response; then only the summary is filled in
};

/// Calculates the response. Throws ModelError for unknown names and where linear equations do not exist.
[[nodiscard]] FrequencyReport find_frequency_response(const Model& model, const StartState& state,
                                                      const FrequencyOptions& options);

}  // namespace kane
