#pragma once
// A sweep: a model, a study, and the measures kept of each run. Constant once it is made; threads run its cases with a CaseRunner each.
//
//     Sweep sweep(model, study, {{"peak", "max(tip_x)"}}, {.until = 2});
//     CaseRunner runner(sweep);
//     CaseResult result = runner.run(k);

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/batch/measures.hpp"
#include "kane/batch/study.hpp"
#include "kane/model/simulation.hpp"

namespace kane {

struct SweepOptions {
  StartState start{};  ///< what all cases have in common
  SimulationOptions simulation{};
  std::optional<double> until{};  ///< missing: the model's; the start itself: nothing moves, only the start is measured
  std::optional<double> sample{};     ///< time between samples, s; missing: the model's, else a thousandth of the run
  std::vector<MeasureText> series{};  ///< signals whose samples are kept
  std::optional<double>
      series_step{};       ///< time between those samples, s; missing: `sample`, else a hundredth of the run
  double case_limit = 60;  ///< s of computing for one case; 0: none
  int lanes =
      0;  ///< runs that one thread advances together: 1, or those of a vector register (2, 4, 8); 0: as many as possible
};

/// The quantity that a variable of a study changes.
struct SweepTarget {
  enum class Kind : std::uint8_t { Parameter, Coordinate, Speed, Input, Formulation, Method, Active, Tolerance, Step };
  Kind kind = Kind::Parameter;
  std::string name;
};

struct CaseResult {
  std::uint64_t k = 0;
  bool ok = false;
  double seconds = 0;            ///< computing time, s
  std::vector<double> values;    ///< values of the variables
  std::vector<double> measures;  ///< not-a-number if it failed
  std::string reason{};          ///< why it failed
  std::vector<double> series{};  ///< samples of the series: a time and a value of each, one after the other
};

class Sweep {
 public:
  /// Throws ModelError for names that the model does not have, and for what cannot be varied.
  Sweep(const Model& model, Study study, std::vector<MeasureText> measures, SweepOptions options);

  [[nodiscard]] const Study& study() const { return study_; }
  [[nodiscard]] const SweepOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<MeasureText>& measure_texts() const { return texts_; }
  [[nodiscard]] const std::vector<std::string>& measure_names() const { return measures_.front()->names(); }
  [[nodiscard]] const std::vector<std::string>& series_names() const { return measures_.front()->series_names(); }
  /// Time between the kept samples of series in a run from `begin` to `end`.
  [[nodiscard]] double series_step(double begin, double end) const;
  [[nodiscard]] const std::vector<SweepTarget>& targets() const { return targets_; }
  /// One model for each formulation that is tried; the first if none are.
  [[nodiscard]] std::size_t model_count() const { return models_.size(); }
  [[nodiscard]] const Model& model(std::size_t i = 0) const { return models_[i]; }
  [[nodiscard]] const MeasureSet& measures(std::size_t i = 0) const { return *measures_[i]; }
  /// A model whose stops of joints are all that may switch, without them: for runs that stay away from them. Null: there is none.
  [[nodiscard]] const Model* free_model(std::size_t i = 0) const {
    return free_models_[i] ? &*free_models_[i] : nullptr;
  }
  [[nodiscard]] const MeasureSet& free_measures(std::size_t i = 0) const { return *free_measures_[i]; }
  /// Whether variables and options are such that runs may advance in lanes, if the model allows it.
  [[nodiscard]] bool suits_lanes() const;
  /// The model of a case; and its start and options, set from the values of its variables.
  [[nodiscard]] std::size_t model_of(std::span<const double> values) const;
  void set_case(std::span<const double> values, StartState& start, SimulationOptions& options) const;
  /// Everything that decides the results of the cases, except the model.
  [[nodiscard]] std::string describe() const;

 private:
  void find_targets(const Model& model);
  void add_free_models();
  void check_start() const;
  void check_end(double begin) const;
  [[nodiscard]] SweepTarget find_target(const StudyVariable& v, const Model& model) const;

  Study study_;
  std::vector<MeasureText> texts_;
  SweepOptions options_;
  std::vector<SweepTarget> targets_;
  std::vector<Model> models_;
  std::vector<std::unique_ptr<const MeasureSet>> measures_;
  std::vector<std::optional<Model>> free_models_;
  std::vector<std::unique_ptr<const MeasureSet>> free_measures_;
};

class LaneRunner;

/// Runs cases one after the other, or several at once where the model allows it. One for each thread.
class CaseRunner {
 public:
  explicit CaseRunner(const Sweep& sweep);
  ~CaseRunner();
  CaseRunner(const CaseRunner&) = delete;
  CaseRunner& operator=(const CaseRunner&) = delete;

  /// Cases that it advances at once; 1: one by one.
  [[nodiscard]] std::size_t width() const;
  /// Runs one case with its own simulator.
  [[nodiscard]] CaseResult run(std::uint64_t k);
  /// The same with values that need not be those of a case.
  [[nodiscard]] CaseResult run(std::uint64_t k, std::vector<double> values);
  /// The cases first .. first + count - 1, in any order.
  void run(std::uint64_t first, std::uint64_t count, std::vector<CaseResult>& results);

 private:
  void simulate(CaseResult& result);

  const Sweep& sweep_;
  std::vector<std::unique_ptr<MeasureTrack>> tracks_;
  std::vector<std::unique_ptr<LaneRunner>> lanes_;  ///< one per model; null: one by one
};

}  // namespace kane
