#pragma once
// The plan of a run and its report: the same for plain and for switched motion.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kane/simulate/motion/run_failure.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/simulate/system/energy_monitor.hpp"
#include "kane/simulate/system/part_times.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

/// When a run shows samples: at its start, then every `output_step`; or at `intervals` + 1 instants if that is 0.
struct RunPlan {
  double until = 1;
  double output_step = 0;
  long intervals = 1000;
};

/// An event of switched motion: everything that happened at one instant.
struct SwitchRecord {
  double t = 0;
  std::vector<std::string> causes;   ///< events of the model, contacts and frictions whose functions fell through zero
  std::vector<std::string> changes;  ///< "floor closes", "floor.friction sticks", "constraint stuck imposed"
  std::vector<std::pair<std::string, double>> impulses;  ///< by row
  std::vector<double> u_before, u_after;
  double kinetic_before = 0, kinetic_after = 0;
  std::string mode;  ///< afterwards
};

/// "floor: floor closes, floor.friction slides".
[[nodiscard]] std::string describe(const SwitchRecord& record);

enum class RunStatus : std::uint8_t { Done, Stopped, Failed };

struct RunReport {
  RunStatus status = RunStatus::Done;
  double t_begin = 0, t_end = 0;
  long samples = 0;
  IntegratorTotals totals;
  std::string method;      ///< method of the last step
  bool canonical = false;  ///< integrated in canonical variables
  EnergyReport energy;
  ConstraintResiduals constraints;  ///< the largest after steps; of switched motion, those at the end
  long choices = 0;                 ///< times the independent speeds were chosen
  long change_points = 0;           ///< places passed where constraints become dependent on each other
  RunTimes times;
  std::optional<RunFailure> failure;
  std::vector<std::string> warnings;

  // ---- switched motion: empty otherwise -----------------------------------------------------------------------------------
  std::vector<SwitchRecord> events;  ///< the first SimulatorOptions::kept_events
  long event_count = 0;
  double energy_lost = 0;  ///< kinetic energy lost in impacts
  /// Time stepping with many contacts (stepping/contact_stepper.hpp); no steps if events were followed all the time.
  struct Stepping {
    long steps = 0;             ///< steps of fixed length
    double step = 0;            ///< that length, s
    long takeovers = 0;         ///< times it took over from events
    long sweeps = 0;            ///< over the contacts, in all steps
    long unconverged = 0;       ///< islands that were not solved to the tolerance,
    double residual = 0;        ///< and the largest speed by which they missed it
    std::size_t places = 0;     ///< the most contacts of one step
    double penetration = 0;     ///< deepest overlap of two shapes, relative to the smaller one
    double energy_removed = 0;  ///< that the smooth motion had gained by its error, J
  } stepping{};
};

/// Gets each sample; false ends the run.
using SampleCallback = std::function<bool(const State& sample)>;
/// Called after every step; false ends the run.
using StepCallback = std::function<bool(double t)>;

}  // namespace kane
