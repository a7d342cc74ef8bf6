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

/// The response that is asked for.
struct FrequencyOptions {
  /// The input that oscillates; empty: the only one. An input that has a law is cut open: its law is left out.
  std::string input{};
  /// A coordinate, speed, output, component of a point or expression (signals.hpp).
  std::string output{};
  double low = 0.1;          ///< rad/s
  double high = 1000;        ///< rad/s
  std::size_t count = 200;   ///< frequencies, equally spaced on a logarithmic scale
  bool equilibrium = false;  ///< find the equilibrium first, from the state given
  bool open_loop = false;    ///< leave the laws of the other inputs out too

  /// Throws ModelError for limits that make no sense and if there is no output.
  void check() const;
};

/// The response, and the linear system behind it.
struct FrequencyReport {
  PointSummary summary;                     ///< of the state
  std::string input;                        ///< as chosen
  std::string output;                       ///< as asked for
  std::vector<FrequencyPoint> points;       ///< by frequency
  ModeReport modes;                         ///< its eigenvalues are the poles
  std::vector<std::complex<double>> zeros;  ///< of the transfer function
  Margins margins;                          ///< of the loop closed by -1
  Reach controllable;                       ///< by all inputs
  Reach observable;                         ///< from the output
  double drift = 0;                         ///< the largest rate of a state, with its sign: zero at an equilibrium
  std::string failure;                      ///< why there is no response; only the summary is filled in then
};

/// Throws ModelError for unknown names and where linear equations do not exist.
[[nodiscard]] FrequencyReport find_frequency_response(const Model& model, const StartState& state,
                                                      const FrequencyOptions& options);

}  // namespace kane
