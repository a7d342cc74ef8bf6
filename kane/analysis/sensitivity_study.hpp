#pragma once
// The derivatives of a run with respect to parameters and initial values, as a table and a summary.
//
//     SensitivityStudy study(model, {}, {.parameters = {"k", "q1"}, .outputs = {"tip_x"}});
//     SensitivityReport report = study.run([&](std::span<const double> row) { ... });

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/analysis/difference_runs.hpp"
#include "kane/analysis/joint_ranges.hpp"
#include "kane/analysis/sensitivity.hpp"
#include "kane/analysis/situation.hpp"

namespace kane {

struct SensitivityStudyOptions {
  /// Parameters, and coordinates or speeds (their initial values).
  std::vector<std::string> parameters{};
  /// Names or expressions to differentiate; empty: coordinates and outputs.
  std::vector<std::string> outputs{};
  std::optional<double> until{}, output_step{}, tolerance{};
  /// Time series in addition to those of the model.
  std::vector<InputSource> inputs{};
};

struct SensitivityReport {
  std::string model;
  std::vector<std::string> outputs, parameters;
  std::vector<double> values;  ///< values of the parameters
  Matrix last, largest;        ///< outputs x parameters: derivatives at the end, and their largest sizes
  double t_end = 0;
  std::size_t samples = 0;
  long steps = 0;
  std::string failure;  ///< when and why it stopped; empty if it did not
  /// The run leads through events, and derivatives are differences of runs (difference_runs.hpp).
  bool differences = false;
  double disagreement = 0;    ///< of differences with two step sizes, relative to the largest derivative
  std::size_t continued = 0;  ///< samples so near an event that their derivatives were continued from others
};

class SensitivityStudy {
 public:
  /// Throws ModelError for unknown names, and for sampled controllers. Models with contacts, friction or events are differentiated
  /// by differences of runs.
  SensitivityStudy(const Model& model, const StartState& start, SensitivityStudyOptions options);

  /// t, the outputs, then "d(output)/d(parameter)" for each output and each parameter.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] const EquationsOfMotion& equations() const { return at_.equations(); }
  [[nodiscard]] SensitivityReport run(const std::function<void(std::span<const double>)>& on_row = {});

 private:
  void check_stops(const SensitivitySample& sample) const;
  void prepare_variations(const StartState& start);

  std::vector<JointRange> ranges_;  ///< of rigid stops; their coordinates follow the outputs among the signals
  SensitivityStudyOptions options_;
  Situation at_;
  std::vector<std::string> columns_;
  std::unique_ptr<SensitivityRun> run_;
  std::unique_ptr<DifferenceRuns> differences_;  ///< instead, if parts of the model switch
};

/// The model with the inputs of these series driven.
[[nodiscard]] Model drive_series(const Model& model, const std::vector<InputSource>& series);
/// The start before assembly at other values of the parameters; empty if no initial value is written with parameters.
[[nodiscard]] std::function<State(const Values&)> initial_by_parameters(const Model& model, const StartState& start);
/// The sources of a model, then others.
[[nodiscard]] std::vector<InputSource> all_sources(const Model& model, const std::vector<InputSource>& others);

}  // namespace kane
