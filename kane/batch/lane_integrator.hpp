#pragma once
// Explicit Runge-Kutta methods that advance several runs at once, one in each lane of vector registers: the classical one of
// order 4 with a fixed step, and that of Dormand and Prince (kane/solve/dopri5.cpp) in which every lane has its own step size.
// The controller is that of kane/solve/explicit_adaptive.cpp. What a lane computes does not depend on the other lanes.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kane/batch/lane_loops.hpp"
#include "kane/batch/measures.hpp"
#include "kane/model/model.hpp"
#include "kane/simulate/motion/simulator_options.hpp"

namespace kane {

inline constexpr std::size_t kMostLanes = 8;

struct LaneProblemOptions {
  int lanes = 1;
  bool fixed = false;  ///< rk4, else dopri5
  double step = 1e-3;  ///< rk4
  double relative = 1e-6, absolute = 1e-9;
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 0;  ///< 0: no limit
};

/// Empty where a model cannot run in lanes. `lanes` 0: as many as this processor has. Throws ModelError for a number it does not
/// have.
[[nodiscard]] std::optional<LaneProblemOptions> lane_problem_options(const Model& model,
                                                                     const SimulatorOptions& options, int lanes);

/// Numbers aligned to vector registers.
class LaneArray {
 public:
  explicit LaneArray(std::size_t size);
  [[nodiscard]] double* data() const { return data_; }
  double& operator[](std::size_t i) { return data_[i]; }

 private:
  std::vector<double> storage_;
  double* data_;
};

/// ydot = f(t, y) in lanes, with the signals of measures.
class LaneProblem {
 public:
  LaneProblem(const Model& model, const MeasureSet& measures, const LaneProblemOptions& options);

  [[nodiscard]] const LaneProblemOptions& options() const { return options_; }
  [[nodiscard]] bool fixed_step() const { return options_.fixed; }
  [[nodiscard]] bool has_quaternions() const { return !quaternions_.empty(); }
  [[nodiscard]] std::size_t size() const { return nq_ + nu_; }
  /// Sets the values of one lane; they are in force after update().
  void set_parameters(std::size_t lane, std::span<const double> parameters, std::span<const double> inputs);
  void update();
  /// Times by lane.
  void calc_rates(const double* t, const double* y, double* ydot);
  [[nodiscard]] const double* calc_signals(const double* t, const double* y);
  /// Makes the Euler parameters of all lanes unit vectors again; true if one had to be changed.
  bool normalize(double* y) const;
  /// Closed loops: moves all lanes to the nearest states that satisfy the constraints; true if one had to be moved.
  bool project(const double* t, double* y);
  [[nodiscard]] bool has_loops() const { return !rows_.empty(); }
  /// Whether the last project() failed in this lane: constraints that stay open, or depend on each other.
  [[nodiscard]] bool is_broken(std::size_t lane) const { return broken_[lane]; }

 private:
  const double* calc_constraints(const double* t, const double* y);
  void solve_loops(const double* t, const double* y, double* udot);
  void factor_rows(std::size_t rows, std::size_t columns);
  bool project_coordinates(const double* t, double* y);
  bool project_speeds(const double* t, double* y);

  LaneProblemOptions options_;
  std::size_t nq_, nu_, lanes_;
  bool explicit_, uses_time_, uses_rates_;
  std::vector<int> quaternions_;
  std::vector<CompiledSystem::MassPlace> places_;
  std::vector<std::size_t> rows_;           ///< active constraints
  std::vector<std::size_t> places_of_phi_;  ///< those with phi: their places in the kernel of the configuration
  Kernel motion_, signals_;
  Workspace work_, signal_work_;
  std::optional<Kernel> constraints_, configuration_;
  std::optional<Workspace> constraint_work_, configuration_work_;
  const LaneLoops& loops_;
  LaneArray mass_, rates_, jacobian_, sides_;
  std::array<bool, kMostLanes> broken_{};
};

class LaneIntegrator {
 public:
  /// The problem must outlive it.
  explicit LaneIntegrator(LaneProblem& problem);

  struct LaneState {
    double t = 0, t_before = 0;  ///< ends of the last step
    double end = 0;
    double h = 0;  ///< next step; 0: to be chosen
    double log_old_error = 0;
    double begin = 0;  ///< times of a fixed step are counted from here
    long steps = 0, count = 0;
    bool active = false, accepted = false, failed = false, limited = false, rejected = false, fresh = false;
  };

  [[nodiscard]] const LaneState& lane(std::size_t l) const { return state_[l]; }
  /// The bounds of some coordinates: a lane fails when one of them gets there. Before the first start().
  void watch(std::vector<std::size_t> coordinates);
  /// Those of a lane: least, largest of each watched coordinate.
  void set_bounds(std::size_t l, std::span<const double> bounds);
  /// A run in this lane, from its next begin() on.
  void start(std::size_t l, const State& state, double end);
  /// Nothing more to do in this lane.
  void idle(std::size_t l) { state_[l] = {}; }
  /// After lanes were started, before the next step.
  void begin();
  /// One attempt at a step in every lane.
  void step();
  /// Signals at a time in the last step of each lane: that of its begin or end, or in between.
  [[nodiscard]] const double* calc_signals(const double* t);

 private:
  void choose_first_steps();
  void plan_step(std::size_t l);
  void attempt_rk4();
  void attempt_dopri5();
  void judge(std::size_t l, double square);
  void accept();
  void prepare_dense();
  [[nodiscard]] bool leaves_bounds(std::size_t l);

  LaneProblem& problem_;
  const LaneLoops& loops_;
  std::size_t n_, lanes_;
  std::array<LaneState, kMostLanes> state_{};
  std::array<LaneArray, 7> k_;
  LaneArray y_, next_, stage_, before_, slope_before_, slope_after_, dense_;
  LaneArray h_, t_stage_, t_now_, t_next_, squares_;
  bool has_dense_ = false;
  std::vector<std::size_t> watched_;
  std::vector<double> bounds_;  ///< least and largest of each watched coordinate, lane by lane
};

}  // namespace kane
