#pragma once
// Eigenvalues as functions of a parameter, a coordinate or a speed, or of a name used in the expressions of the state.
//
//     RootLocus locus = find_root_locus(model, {}, {.name = "k", .values = {1, 2, 3}, .equilibrium = true});

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "kane/analysis/modes.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// A coordinate or speed and its value at each step: an expression of the parameters and the swept name.
struct SweptValue {
  std::string name;        ///< coordinate or speed
  std::string expression;  ///< its value
};

/// Options of a root locus: the parameter swept, and how the state of each step is found.
struct RootLocusOptions {
  std::string name{};            ///< the name swept
  std::vector<double> values{};  ///< its values, in the order of the sweep
  std::vector<SweptValue> at{};  ///< held at each step; other coordinates and speeds are assembled
  /// Only these coordinates and speeds vary; empty: all independent ones.
  std::vector<std::string> only{};
  bool equilibrium = false;  ///< find the equilibrium at every value, from the one before
  bool steady = false;       ///< ... or the steady motion, with the values of `at` held
  bool open_loop = false;    ///< leave out the laws of inputs
  /// Called before each value. What it throws ends the sweep.
  std::function<void()> on_value{};

  /// Throws ModelError if the sweep makes no sense.
  void check() const;
};

/// Eigenvalues for each value of the sweep.
struct RootLocus {
  PointSummary summary;                                        ///< summary of the first state
  std::string name;                                            ///< the name swept
  std::vector<double> values;                                  ///< the values reached
  std::vector<std::vector<std::complex<double>>> eigenvalues;  ///< by value, then by branch
  std::vector<ModeReport> modes;                               ///< by value
  std::string failure;                                         ///< why it ended before the last value
};

/// Calculates the locus. Throws ModelError for unknown names, and if a state cannot be assembled.
[[nodiscard]] RootLocus find_root_locus(const Model& model, const StartState& start, const RootLocusOptions& options);

}  // namespace kane
