#pragma once
// The state that a run starts from or that is evaluated, as the user gives it. Everything is optional;
// Model::start() completes it from the model.
//
//     StartState start;
//     start.q["q1"] = 0.3;
//     start.inputs["T"] = 2;

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kane/base/units.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/assembly.hpp"

namespace kane {

struct StartState {
  /// Missing: the model's initial t, else the start of its `simulate:` section, else 0.
  std::optional<double> t{};
  /// By name. Closed loops hold these before the model's initial values, and move the others.
  Values q{}, u{};
  /// Starting values of assembly for coordinates and speeds, by name. They are not held, even if the model gives them.
  Values guess{};
  Values parameters{};  ///< by name; missing ones keep their values, or follow the given ones
  /// By name. An input given here is constant, whatever law or series the model has for it.
  Values inputs{};
  /// Names of constraints or of groups of them; missing: those of the model, or of its initial mode.
  std::optional<std::vector<std::string>> active{};
  /// Dimensions of values that were given with a unit, by name; they must be those of the model.
  std::map<std::string, Dimension, std::less<>> dimensions{};
  /// Begins messages about this state.
  std::string label = "state";

  [[nodiscard]] bool empty() const {
    return !t && q.empty() && u.empty() && guess.empty() && parameters.empty() && inputs.empty() && !active;
  }
};

/// A StartState completed for one model: everything that a run or an evaluation needs.
struct Start {
  State state;                 ///< as written; not assembled
  Values parameters;           ///< those given; the others have the model's values
  std::vector<double> inputs;  ///< in force at the start, in the order of CompiledSystem::inputs()
  std::vector<bool> active;    ///< one flag for each constraint
  bool active_given = false;   ///< the user chose the active constraints
  GivenValues given;           ///< which coordinates and speeds the model or the user gives
};

}  // namespace kane
