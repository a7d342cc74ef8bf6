#pragma once
// The common interface of all integrators of ydot = f(t, y) on plain arrays. A run is a loop of steps, so that the
// caller can inspect, interpolate, locate events and change the state between any two of them:
//
//     integrator->start(t0, y0);
//     while (integrator->time() < t_end) {
//       if (integrator->step(t_end).status != StepStatus::Ok) ...   // report says why, when and which component
//       ... integrator->interpolate(t, y) anywhere in the last step ...
//       ... integrator->resume(t_event, y_changed) after an impulse ...
//     }
//
// Nothing allocates after construction. Time may run backwards: steps go towards the given limit.

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kane/solve/matrix.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

enum class RhsStatus {
  Ok,
  Retry,  ///< cannot be evaluated here (singular mass matrix, outside a domain): a shorter step may avoid it
  Stop,   ///< give up at once
};

/// Writes ydot = f(t, y). Must not throw: errors are reported by the status.
using Rhs = std::function<RhsStatus(double t, std::span<const double> y, std::span<double> ydot)>;
/// Writes df/dy, n x n.
using RhsJacobian = std::function<RhsStatus(double t, std::span<const double> y, MatrixView dfdy)>;

enum class ProjectionStatus { Unchanged, Changed, Failed };
/// Brings y back to where it belongs (configuration constraints, unit quaternions) at the end of every step.
using StateProjection = std::function<ProjectionStatus(double t, std::span<double> y)>;

enum class StepStatus {
  Ok,
  StepUnderflow,     ///< the error cannot be kept below the tolerance with any step size
  NotFinite,         ///< f is infinite or not a number here; report.component says which entry
  RhsFailed,         ///< f could not be evaluated (it said Stop, or Retry down to the smallest step)
  NewtonFailed,      ///< the equations of an implicit step could not be solved
  ProjectionFailed,  ///< the projection failed down to the smallest step
  TooManySteps,
};

[[nodiscard]] std::string_view to_string(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::Ok;
  double t = 0;         ///< time reached; on failure, the time from which no step could be made
  double h = 0;         ///< length of the step made (or of the last one tried)
  double error = 0;     ///< estimated local error, relative to the tolerance (adaptive methods)
  int order = 0;        ///< order of the method in this step
  int rejected = 0;     ///< tries before this one
  int evaluations = 0;  ///< evaluations of f in this call
  int component = -1;   ///< the entry of y (or ydot) responsible: the largest error, or the first that is not finite
  bool stiff = false;   ///< an explicit method is limited by stability, not accuracy
};

/// Sums over all steps since start().
struct IntegratorTotals {
  long steps = 0;
  long rejected = 0;
  long evaluations = 0;
  long jacobians = 0;
};

class Integrator {
 public:
  Integrator(std::size_t size, Rhs rhs);
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] std::size_t size() const { return n_; }

  /// Begins a run: the step size is chosen afresh and the totals are reset.
  void start(double t, std::span<const double> y);
  /// Continues from (t, y), a state or time that is not the integrator's own: after an event, an impulse, or a change
  /// of the right-hand side. All history except the step size is discarded.
  void resume(double t, std::span<const double> y);
  /// One step, towards t_limit and never past it (a limit within rounding of the step is met exactly). At the limit
  /// nothing happens. The reference stays valid until the next call.
  const StepReport& step(double t_limit = std::numeric_limits<double>::infinity());

  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] std::span<const double> state() const { return {y_.data(), n_}; }
  /// Start of the last step; equal to time() and state() after start() and resume().
  [[nodiscard]] double previous_time() const { return t_previous_; }
  [[nodiscard]] std::span<const double> previous_state() const { return {y_previous_.data(), n_}; }
  /// y anywhere in the last step, with the order the method promises. May evaluate f (hence the status).
  [[nodiscard]] StepStatus interpolate(double t, std::span<double> y);

  [[nodiscard]] const StepReport& report() const { return report_; }
  [[nodiscard]] const IntegratorTotals& totals() const { return totals_; }
  virtual void set_projection(StateProjection projection) { projection_ = std::move(projection); }
  /// Writes or reads everything that decides how the integrator goes on: two of a kind with the same options, one written
  /// and the other read, make the same steps to the last bit. CVODE and ARKODE keep a past that cannot be copied; they begin
  /// anew here, in both cases.
  virtual void exchange(MemoryArchive& a);

 protected:
  virtual void do_start() = 0;
  virtual void do_resume() = 0;
  /// From (t_, y_) to (t_next_, y_next_), t_next_ between t_ and t_limit, projected if there is a projection.
  virtual StepStatus do_step(double t_limit) = 0;
  /// After a step was accepted: t_previous_, y_previous_, t_ and y_ are its ends.
  virtual void do_accept() {}
  virtual StepStatus do_interpolate(double t, std::span<double> y) = 0;

  /// f with bookkeeping. If careful_, anything not finite in ydot gives Retry and sets report_.component. Checking
  /// every ydot costs as much as the rest of a step of a small system, so methods that would notice it in their results
  /// anyway are careful only when something is wrong, and then repeat the step to find out what.
  [[nodiscard]] RhsStatus evaluate(double t, const double* y, double* ydot);
  /// True if all of ydot is finite; otherwise report_.component is set to the first entry that is not, plus `offset`.
  [[nodiscard]] bool check_finite(std::span<const double> ydot, std::size_t offset = 0);
  /// Projects (t_next_, y_next_).
  [[nodiscard]] ProjectionStatus project_next();
  /// The meaning of a failing evaluation when no shorter step can be tried.
  [[nodiscard]] StepStatus rhs_failure() const;

  std::size_t n_;
  std::size_t padded_;  ///< n rounded up: arrays of this length have no loop remainders
  Rhs rhs_;
  StateProjection projection_;
  double t_ = 0, t_previous_ = 0, t_next_ = 0;
  std::vector<double> y_, y_previous_, y_next_;
  StepReport report_;
  IntegratorTotals totals_;
  bool careful_ = true;
  bool not_finite_ = false;  ///< the last failing evaluation was not finite (otherwise it returned a status)
};

/// Absolute and relative tolerance per component; a single number holds for all.
struct Tolerance {
  std::vector<double> relative = {1e-6};
  std::vector<double> absolute = {1e-9};
};

struct AdaptiveOptions {
  Tolerance tolerance;
  double first_step = 0;  ///< 0: chosen
  double min_step = 0;    ///< 0: a few units in the last place of t
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 0;  ///< accepted and rejected since start(); 0: no limit
};

/// One weight per component: `n` numbers from a list of n or of one. Throws ModelError for other sizes, or numbers that
/// are negative or not finite.
[[nodiscard]] std::vector<double> expand_tolerance(const std::vector<double>& values, std::size_t n,
                                                   std::string_view what);

}  // namespace kane
