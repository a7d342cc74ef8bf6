#pragma once
// Parameters (and initial values) that make runs agree with measurements, or meet goals, within bounds.
//
//     minimise |r(p)|^2,   r = w (signal(t_i; p) - measured_i),  w (signal(t; p) - goal),  w signal(t_i; p)
//
// by the Levenberg-Marquardt method (Nocedal and Wright, Numerical Optimization, section 10.3) with the exact
// derivatives of the run (sensitivity.hpp), each parameter scaled by its own unit. A parameter at a bound that the
// descent would cross is held there (projection). The uncertainty of each parameter follows from J = dr/dp:
// covariance sigma^2 (J^T J)^-1 with sigma^2 = |r|^2 / (m - n); directions with vanishing singular values are not
// identifiable.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kane/analysis/sensitivity.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {

struct FitParameter {
  std::string name;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// Measured values of one signal; NaNs are left out.
struct FitData {
  Signal signal;
  std::vector<double> t, value;
  double weight = 0;  ///< 0: one over the root mean square deviation of the values from their mean
};

/// signal = value at t or, for `squares`, a small time average of signal^2 over the run.
struct FitGoal {
  Signal signal;
  double value = 0;
  double t = 0;
  double weight = 1;
  bool squares = false;
};

struct FitOptions {
  std::vector<FitParameter> parameters{};
  std::vector<FitData> data{};
  std::vector<FitGoal> goals{};
  double until = 0;  ///< end of the runs for goals with `squares`
  double tolerance = 1e-9;
  int max_iterations = 100;
  /// Called after every run, with the number of runs and the least sum of squares so far.
  std::function<void(int runs, double cost)> on_run{};
  std::vector<InputSource> inputs{};
  /// As in SensitivityOptions.
  std::function<State(const Values& parameters)> initial{};
};

enum class FitStatus {
  Converged,
  TooManyIterations,
  Stuck,      ///< no shorter step improves the fit: the runs are not accurate enough, or fail nearby
  RunFailed,  ///< at the start
};

struct FittedParameter {
  std::string name;
  double start = 0, value = 0;
  double standard_error = 0;  ///< infinite if the parameter is not identifiable or at a bound
  bool at_bound = false;
  bool identifiable = true;
};

struct FitReport {
  FitStatus status = FitStatus::Converged;
  std::string message;  ///< message of a failed run
  std::vector<FittedParameter> parameters;
  int iterations = 0, runs = 0;
  int given_up = 0;  ///< runs abandoned because they needed many times the steps of better ones: the motion runs away
  std::size_t residuals = 0;
  double cost_start = 0, cost = 0;      ///< sums of weighted squares
  std::vector<double> rms;              ///< residual RMS of each data series, then each goal, in its own unit
  Matrix correlation;                   ///< between the identifiable parameters that are not at a bound
  std::vector<std::string> correlated;  ///< their names
  double condition = 1;                 ///< largest over smallest singular value of J (relative changes)
  /// Combinations that the data cannot determine: relative changes "m +0.71, b +0.71" that have no effect.
  std::vector<std::string> unidentifiable;
  [[nodiscard]] bool ok() const { return status == FitStatus::Converged; }
};

class Fit {
 public:
  /// Throws ModelError for unknown names, empty bounds, no data. Adds expressions to the graph of the equations.
  Fit(std::shared_ptr<const CompiledSystem> system, FitOptions options);

  [[nodiscard]] SensitivityRun& run() { return run_; }
  /// Starts from the values in `given` (parameters) and `state` (initial values).
  [[nodiscard]] FitReport solve(const Values& given, const State& state, const GivenValues& given_values);

 private:
  using Vector = std::vector<double>;
  struct Point {
    Vector p, r;
    Matrix j;
    double cost = 0;
    std::string failure;
  };
  void collect_times(double begin);
  [[nodiscard]] Point evaluate(const Vector& p);
  void count_run(const Point& point);
  void fill_residuals(const SensitivitySample& sample, std::size_t index, Point& point) const;
  [[nodiscard]] Vector calc_step(const Point& at, std::vector<bool> held, double mu) const;
  /// The minimiser for the parameters that are not held; the others change by `step`.
  void solve_free(const Point& at, const std::vector<bool>& held, double mu, Vector& step) const;
  [[nodiscard]] std::vector<bool> find_held(const Point& at) const;
  [[nodiscard]] double calc_optimality(const Point& at, const std::vector<bool>& held) const;
  void describe(const Point& at, FitReport& report) const;

  std::shared_ptr<const CompiledSystem> system_;
  FitOptions options_;
  SensitivityRun run_;
  // Origin of each residual.
  struct Row {
    std::size_t time, signal, source;
    double target, weight;
  };
  Vector times_, unit_;
  std::vector<Row> rows_;  ///< sorted by time
  Values given_;
  State state_;
  GivenValues given_values_;
  int runs_ = 0, given_up_ = 0;
  double least_ = 0;
  long step_limit_ = 0;
};

/// The columns of a table as data; their names must be signals, otherwise ModelError is thrown.
[[nodiscard]] std::vector<FitData> fit_data(const EquationsOfMotion& equations, const SeriesTable& table);

}  // namespace kane
