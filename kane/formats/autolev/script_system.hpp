#pragma once
// The equations of motion of a script as a system that can be compiled, run and exported.

#include <string>
#include <vector>

#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/equations.hpp"
#include "kane/model/model.hpp"

namespace kane::autolev {

/// A column that OUTPUT asks for.
struct ScriptColumn {
  std::string name, unit;
  double factor = 1;   ///< value in the script's units times this is the value in `unit`
  std::string output;  ///< name of the output, or "t"
};

/// The values that steer a run, as AUTOLEV knows them.
struct RunValues {
  double begin = 0, end = 1, step = 0.1, print_every = 1, absolute = 1e-8, relative = 1e-7;
};

/// Everything in a graph of its own. Names are those of the script; the time is t, a speed q' is called q_dot.
struct ScriptSystem {
  std::string name;
  EquationsOfMotion equations;
  std::vector<std::pair<std::string, double>> constants;  ///< and other symbols that only have a value
  std::vector<std::string> missing;                       ///< those among them that INPUT gives no value
  std::vector<double> q, u;                               ///< at the start
  std::vector<std::vector<ScriptColumn>> files;           ///< one for each OUTPUT
  std::vector<Expr> udot;                                 ///< solved for, in the same graph
  RunValues run;
};

/// What the tables have if the script has no OUTPUT.
enum class WithoutOutput : std::uint8_t { Nothing, AllStates };

/// Throws ModelError if the script has no equations of motion.
[[nodiscard]] ScriptSystem make_system(Session& session, const std::string& name,
                                       WithoutOutput without_output = WithoutOutput::Nothing);

/// A model of it, for all commands. Values that are missing are zero; they are named in the model's notes.
[[nodiscard]] Model make_model(const ScriptSystem& system, const ModelOptions& options = {});

/// Runs the script's motion and writes each file that OUTPUT asks for: FILE.1, FILE.2, ... Throws ModelError if a value is
/// missing; returns what stopped the run, if anything did, as a sentence.
struct ScriptRun {
  std::vector<WrittenFile> files;
  std::size_t samples = 0;
  double end = 0;
  std::string failure;
  std::string missing;  ///< names without a value, for which nothing could be worked out
};
[[nodiscard]] ScriptRun simulate_script(const ScriptSystem& system, const std::string& file_stem);

/// CODE ALGEBRAIC and NONLINEAR: the values of all columns at the inputs, or along the sweep. No files if there are no
/// columns or values are missing.
[[nodiscard]] ScriptRun evaluate_script(Session& session, const CodeRequest& request);

}  // namespace kane::autolev
