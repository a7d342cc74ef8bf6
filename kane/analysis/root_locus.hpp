#pragma once
// Eigenvalues over a parameter, a coordinate or a speed, or over a name that states are written with.
//
//     RootLocus locus = find_root_locus(model, {}, {.name = "k", .values = {1, 2, 3}, .equilibrium = true});

#include <complex>
#include <string>
#include <vector>

#include "kane/analysis/modes.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// A coordinate or speed and its value at each step: an expression of the parameters and the swept name.
struct SweptValue {
  std::string name;        ///< what is set
  std::string expression;  ///< its value
};

/// What is swept, and how states are found.
struct RootLocusOptions {
  std::string name{};            ///< what is swept
  std::vector<double> values{};  ///< in the order of the sweep
  std::vector<SweptValue> at{};  ///< held at each step; other coordinates and speeds are assembled
  /// Only these coordinates and speeds vary; empty: all that are independent.
  std::vector<std::string> only{};
  bool equilibrium = false;  ///< find the equilibrium at every value, from the one before
  bool steady = false;       ///< ... or the steady motion, with the values of `at` held
  bool open_loop = false;    ///< leave the laws of inputs out

  /// Throws ModelError if the sweep makes no sense.
  void check() const;
};

/// Eigenvalues by value.
struct RootLocus {
  PointSummary summary;                                        ///< of the state it begins at
  std::string name;                                            ///< what was swept
  std::vector<double> values;                                  ///< those reached
  std::vector<std::vector<std::complex<double>>> eigenvalues;  ///< by value, then by branch
  std::vector<ModeReport> modes;                               ///< by value
  std::string failure;                                         ///< why it ended before the last value
};

/// Throws ModelError for unknown names, and if a state cannot be assembled.
[[nodiscard]] RootLocus find_root_locus(const Model& model, const StartState& start, const RootLocusOptions& options);

}  // namespace kane
