#pragma once
// The linear equations of a model about a state, in numbers and (on request) in symbols, with their modes.
//
//     LinearizationReport at = linearize_model(model, {.q = {{"q1", 0.3}}}, {.equilibrium = true});
//     at.a, at.modes.eigenvalues, at.summary.warnings ...

#include <string>
#include <vector>

#include "kane/analysis/frequency_response.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// Options of a linearization: the system, and the state it is made about.
struct LinearizeModelOptions {
  /// Find the equilibrium (with `steady`: the steady motion) first, from the given state.
  bool equilibrium = false;
  /// The state is a steady motion: derivatives of the speeds are zero, while coordinates that the motion does not depend on
  /// may change.
  bool steady = false;
  /// Leave out the laws of inputs.
  bool open_loop = false;
  /// Only these coordinates and speeds vary; empty: all independent ones.
  std::vector<std::string> only{};
  /// Coordinates to be dependent where constraints leave a choice; empty: chosen automatically.
  std::vector<std::string> dependent{};
  /// Give M, C, K and F in symbols too.
  bool symbols = false;
};

/// An entry of M, C, K or F that is not zero, written with the parameters.
struct SymbolicEntry {
  std::string matrix;  ///< letter of the matrix
  std::string row;     ///< a speed
  std::string column;  ///< a speed, coordinate or input
  std::string text;    ///< textbook form
};

/// x' = A x + B r and the same as M du' + C du + K dq = F dr.
struct LinearizationReport {
  PointSummary summary;                          ///< summary of the state
  std::vector<std::string> states;               ///< names of the components of x
  std::vector<std::string> coordinates;          ///< the independent ones, first among the states
  std::vector<std::string> speeds;               ///< the independent ones, last among the states
  std::vector<std::string> inputs;               ///< names of the components of r
  Matrix a;                                      ///< A
  Matrix b;                                      ///< B
  Matrix m;                                      ///< M
  Matrix c;                                      ///< C
  Matrix k;                                      ///< K
  Matrix f;                                      ///< F
  ModeReport modes;                              ///< modes of A
  Reach controllable;                            ///< controllability by the inputs
  OperatingPoint::Rate largest_rate;             ///< zero at an equilibrium
  std::vector<SymbolicEntry> symbols;            ///< if requested
  std::vector<std::string> derivation_warnings;  ///< where the equations in symbols do not hold
  std::string failure;  ///< why there are no linear equations; then only the summary is filled in
};

/// Linearizes a model. Throws ModelError for unknown names and where linear equations do not exist.
[[nodiscard]] LinearizationReport linearize_model(const Model& model, const StartState& state = {},
                                                  const LinearizeModelOptions& options = {});

}  // namespace kane
