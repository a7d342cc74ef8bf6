#pragma once
// Shared by all commands on a model: reading it, overriding values with --set, and the state file.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/state_file.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/mechanism.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/assembly.hpp"
#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

/// Options of every command on a model.
struct ModelSource {
  std::string model;
  std::vector<std::string> settings;  ///< name=value
  std::vector<std::string> guesses;   ///< name=value
  std::string formulation = "automatic";
  bool ignore_limits = false;
  ReadOptions reading;

  /// Adds MODEL, --set, --guess, --formulation, --floating-base and --ignore-limits.
  void add_to(CLI::App& command);
  /// The options that differ from their defaults, without the model itself.
  [[nodiscard]] std::vector<std::string> arguments() const;
  /// Reads the model ("-": Kane YAML from standard input) and applies --set and --guess.
  [[nodiscard]] Mechanism read() const;
  /// The same, derived and compiled; the model's notes (Model::notes) go to standard error.
  /// `prepare` may add to the mechanism before that.
  [[nodiscard]] Model load(ModelOptions options = {}, const std::function<void(Mechanism&)>& prepare = {}) const;
};

/// --state FILE: one state or a list of them.
struct StateSource {
  std::string file;

  void add_to(CLI::App& command, const std::string& help);
  /// Without a file: one state, with all values from the model.
  [[nodiscard]] StateFile read() const;
  [[nodiscard]] StartState read_one() const { return only_state(read()); }
};

/// --inputs FILE and --hold: time series of inputs.
struct InputSeriesSource {
  std::string file;
  bool hold = false;

  void add_to(CLI::App& command);
  [[nodiscard]] std::vector<InputSource> read() const;
};

/// Inputs that a state or series drives, so that the model is derived with them left open at once.
[[nodiscard]] ModelOptions driven_by(const StartState& start, const std::vector<InputSource>& series = {});

/// name=value pairs onto parameters, inputs and initial values. Values are expressions of numbers, with a unit if wanted.
void apply_settings(Mechanism& mechanism, const std::vector<std::string>& settings);

}  // namespace kane
