#pragma once
// Derivatives of the measures of a run with respect to the variables of a study, from one run of the variational equations
// (kane/analysis/sensitivity.hpp), which gives signals s(t) and their derivatives ds/dp at the samples.
//
// A measure is a function F of whole signals: a maximum, an integral, a time of passing. Along a variable it changes by
//
//     dF/dp = lim (F[s + e ds/dp] - F[s - e ds/dp]) / (2 e)
//
// and as F is evaluated exactly as for a run, by MeasureTrack, with e so small that only its linear part shows, this is exact to
// about 1e-9 of F: what is integrated is integrated once, and no differences of runs are taken.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/batch/sweep.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

class SensitivityRun;

class MeasureGradient {
 public:
  /// Throws ModelError where there are none: parts that switch, sampled inputs, variables that are words, inputs or settings.
  /// `spans`: by how much each variable may change; steps are small parts of it.
  MeasureGradient(const Sweep& sweep, std::vector<double> spans);
  ~MeasureGradient();
  MeasureGradient(const MeasureGradient&) = delete;
  MeasureGradient& operator=(const MeasureGradient&) = delete;

  /// Derivatives of the measures (rows) by the variables (columns). Returns an empty text, or why there are none at these values.
  [[nodiscard]] std::string calc(std::span<const double> values, Matrix& derivatives);

 private:
  const Sweep& sweep_;
  const Model& model_;  ///< without stops, which are watched
  const MeasureSet& measures_;
  std::vector<double> spans_;
  StartState start_;
  std::unique_ptr<SensitivityRun> run_;
  std::vector<MeasureTrack> tracks_;  ///< two for each variable
};

}  // namespace kane
