#pragma once
// Options of a simulation, the same for plain and for switched motion (contacts, friction, modes, events).

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/motion/method.hpp"
#include "kane/simulate/switching/switching_options.hpp"

namespace kane {

class ModeEquations;

struct SimulatorOptions {
  Method method = Method::Automatic;  ///< switched motion: Automatic, Rk4, Dopri5 or Dop853
  double tolerance = 1e-9;            ///< for the whole run; see local_tolerance()
  double absolute_tolerance = 0;      ///< for the local error; 0: a thousandth of the relative one
  double step = 1e-3;                 ///< step of fixed-step methods
  double first_step = 0;              ///< first step of adaptive methods; 0: chosen automatically
  /// Longest step. Switched motion without its own limit takes at most a fiftieth of a run in one step, so that events
  /// are not stepped over (and 0.2 s when stepped outside of run()).
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 0;                   ///< 0: no limit
  double constraint_tolerance = 1e-13;  ///< |phi| above this is projected away after a step
  bool project = true;                  ///< off: constraints drift (for comparisons)
  /// Gauss methods: q and p = M u where the system allows it, so that they are symplectic.
  bool canonical = true;
  /// Accepted steps between two checks of the energy; 0: never. (Switched motion: at the beginning and the end only.)
  int energy_interval = 16;
  /// Off: neither energy nor jumps of forces are watched. Their kernels take a sixth of the time that a simulator takes to
  /// make, and an evaluation at one state needs neither.
  bool watch = true;
  double energy_warning = 1e-6;       ///< relative drift of a conservative system
  double constraint_warning = 1e-10;  ///< residual of a constraint
  std::vector<InputSource> inputs{};

  // ---- switched motion only ---------------------------------------------------------------------------------------------
  SwitchingOptions switching{};
  long max_events = 1'000'000;       ///< since start()
  std::size_t kept_events = 20'000;  ///< events that a report describes; the others are only counted
  /// How the motion under bilateral constraints is found; contacts and frictions are always embedded.
  ConstraintMethod constraints = ConstraintMethod::Embedded;
  std::vector<std::shared_ptr<const ModeEquations>> modes{};  ///< for ConstraintMethod::Modes

  /// Throws ModelError naming the option that is wrong.
  void check() const;
};

}  // namespace kane
