#pragma once
// The contents of an FMU before they become text: the variables with their value references, their dependencies, the
// programs that compute them, and the events.
//
// States are all coordinates and speeds. Where loops are closed, as many of them as there are constraints are dependent:
// their start values are guesses (initial = approx), and the FMU finds them when it is initialized. While it runs, all of
// them are integrated, and the FMU takes them back onto the constraints.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kane/model/model.hpp"
#include "kane/program/program.hpp"

namespace kane {

enum class FmuKind : std::uint8_t { Time, State, Rate, Input, Parameter, Output, Calculated, Indicator };

struct FmuVariable {
  FmuKind kind = FmuKind::Time;
  std::size_t index = 0;  ///< among those of its kind; a rate has that of its state
  std::string name;
  std::string unit{};      ///< SI, as Kane writes it; "": not known
  double start = 0;        ///< start value of a state, input or parameter
  bool dependent = false;  ///< a state that is found from the others
};

enum class DependencyKind : std::uint8_t {
  Constant,   ///< a fixed number times it
  Tunable,    ///< parameters times it
  Dependent,  ///< otherwise
};

struct FmuDependency {
  std::size_t variable;  ///< place in FmuModel::variables
  DependencyKind kind = DependencyKind::Dependent;
};

/// A variable and all that it depends on, ascending.
struct FmuUnknown {
  std::size_t variable;
  std::vector<FmuDependency> dependencies{};
};

struct FmuEvent {
  std::string name;
  int direction = 0;                ///< 1: rising, -1: falling, 0: both
  std::vector<std::size_t> resets;  ///< states; their new values are results of `motion`
  bool stop = false;
  std::vector<int> imposed{}, released{};  ///< rows
  int from = -1, to = -1;                  ///< modes; -1: any, and none
};

struct FmuContact {
  std::string name;
  int row;
  bool compliant;
};

struct FmuFriction {
  std::string name;
  int first, second;  ///< rows; the second is -1 for friction along a line
  int contact;        ///< that presses; -1: it has a force of its own
};

struct FmuModel {
  std::string name, identifier, description;
  std::vector<FmuVariable> variables;  ///< by value reference
  /// While it runs: outputs (states are outputs too), rates, indicators. When it is initialized: all that is calculated.
  std::vector<FmuUnknown> outputs, rates, indicators, initial;
  std::vector<FmuEvent> events;

  /// Rates, outputs, calculated parameters, guards, new values; of (parameters; inputs, t; states).
  Program motion;
  /// phi, d phi/d q, A u + b, A; of the same.
  Program closure;
  /// Derivatives of rates, outputs, calculated parameters, phi and A u + b; states are followed by the direction: states,
  /// inputs, t, parameters.
  Program tangent;
  /// Contacts, friction, modes: what the equations are made of, of the same; `motion` and `tangent` then have the accelerations
  /// and multipliers as further states, and rows are all constraints.
  bool switched = false;
  Program terms;
  std::vector<FmuContact> contacts;
  std::vector<FmuFriction> frictions;
  std::vector<std::vector<int>> modes;  ///< kinds of holding of each row: 1 in motion, 2 in configuration
  int start_mode = -1;
  std::vector<int> held, phi_rows;  ///< rows that hold at the start, likewise; row of each phi, -1: always holds
  std::vector<std::string> rows;    ///< names of the constraints: those of phi, then those of A u + b
  std::size_t phi = 0, motion_rows = 0, coordinates = 0, speeds = 0;

  double start = 0, stop = 10, step = 0.01, tolerance = 1e-9;
  std::vector<std::string> notes;  ///< for the user, without a full stop

  [[nodiscard]] std::size_t count(FmuKind kind) const;
  /// Place of the first variable of a kind; they stand together.
  [[nodiscard]] std::size_t first(FmuKind kind) const;
};

struct FmuModelOptions {
  std::string name{};                 ///< model identifier; "": the name of the model
  std::vector<std::string> inputs{};  ///< to be left open although the model has laws for them
  bool leave_out = false;             ///< contacts and the like are left out instead of refused
  std::optional<double> until{};      ///< of the default experiment, s
  std::optional<double> step{};       ///< communication step of the default experiment, s
};

/// Throws ModelError if the start cannot be assembled, the motion is not determined, or the model has parts that an FMU
/// cannot contain.
[[nodiscard]] FmuModel form_fmu_model(const Model& model, const StartState& start, const FmuModelOptions& options);

}  // namespace kane
