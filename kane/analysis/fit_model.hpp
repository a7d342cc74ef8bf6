#pragma once
// Fitting a model, with data and goals given by names and expressions (fit.hpp does the work).
//
//     FitProblem problem;
//     problem.parameters = {{"b", 0, 1}};
//     problem.data = read_series("measured.csv");
//     FitReport report = fit_model(model, {}, problem);

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kane/analysis/fit.hpp"
#include "kane/analysis/situation.hpp"

namespace kane {

struct FitProblem {
  struct Goal {
    std::string expression;
    double value = 0;
    std::optional<double> t{};  ///< missing: the end of the run
  };

  std::vector<FitParameter> parameters{};
  /// Measurements: columns named as coordinates, speeds, outputs or components of points.
  std::optional<SeriesTable> data{};
  std::map<std::string, double> deviations{};  ///< standard deviations of columns; missing: spread of the column
  std::vector<Goal> goals{};
  std::vector<std::string> minimize{};  ///< expressions whose mean square over the run is minimized
  std::optional<double> until{}, tolerance{};
  int max_iterations = 100;
  std::function<void(int runs, double cost)> on_run{};
  std::vector<InputSource> inputs{};  ///< time series in addition to those of the model
};

struct ModelFit {
  std::string model;
  FitReport report;
  std::vector<std::string> signals;     ///< signals of FitReport::rms: columns of the data, then goals
  std::size_t measured = 0;             ///< number of them that are columns
  std::vector<std::string> missed;      ///< messages about goals that are not met
  std::vector<std::string> warnings{};  ///< sentences
};

/// Throws ModelError for unknown names, no data, and models with contacts, friction, events or sampled controllers.
[[nodiscard]] ModelFit fit_model(const Model& model, const StartState& start, const FitProblem& problem);

}  // namespace kane
