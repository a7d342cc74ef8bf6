#pragma once
// Export of a model as source code: its contents, the parts left out (with a note for each), and its start.
//
//     ExportPlan plan = plan_export(read_model("arm.yaml"), {}, {.language = Language::Cpp});
//     write_export(plan, "arm_cpp");
//
// The code contains the explicit equations of motion with the active constraints enforced, a driver that integrates them
// with a fixed step, and a README.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/codegen/emit/emit_export.hpp"
#include "kane/model/model.hpp"

namespace kane {

/// How a model becomes source code.
struct ExportOptions {
  Language language = Language::C;  ///< language of the code
  std::string name{};               ///< name of files and functions; "": that of the model
  std::optional<double> until{};    ///< end time of the driver, s; default: the model's, else 10 s
  std::optional<double> step{};     ///< longest step of the driver, s; default: chosen by `tolerance`
  std::optional<double>
      output_step{};        ///< interval between the lines that the driver prints, s; default: 1000 intervals
  double tolerance = 1e-6;  ///< relative change of the states that halving a chosen step may cause

  /// Throws ModelError if an option makes no sense.
  void check() const;
};

/// The language of this name ("c", "python", ...). Throws ModelError with the known names.
[[nodiscard]] Language language_from(std::string_view name);

/// Source code, and notes about it.
struct ExportPlan {
  std::string title;                ///< the model's name
  Language language = Language::C;  ///< language of the code
  ExportModel model;                ///< the exported model; its state satisfies the constraints
  std::vector<SourceFile> files;    ///< files of the export, the README last
  std::vector<std::string> notes;   ///< parts of the model that the code lacks, and other warnings; without a full stop
  AssemblyReport assembly;          ///< how the start was moved onto the constraints
  std::size_t redundant = 0;        ///< active constraints that repeat others at the start and are left out
};

/// Parts of the model that straight-line equations of motion do not contain: contacts, limits, dry friction, events, modes,
/// sampled inputs. One clause each. Inputs with a value in the start are not mentioned.
[[nodiscard]] std::vector<std::string> find_left_out(const Mechanism& mechanism, const StartState& start = {});

/// Only the contacts, limits and dry friction, which equations without a solver for inequalities cannot contain.
[[nodiscard]] std::vector<std::string> find_switched_parts(const Mechanism& mechanism);

/// Moves the start onto the constraints, forms the equations and the files. Throws ModelError if the start cannot be
/// assembled, an option makes no sense, or the motion is not determined.
[[nodiscard]] ExportPlan plan_export(const Model& model, const StartState& start = {},
                                     const ExportOptions& options = {});

/// What to do with a folder that is not empty.
enum class ExistingFiles : std::uint8_t {
  Refuse,   ///< throw ModelError
  Replace,  ///< replace files of the same names
};

/// Writes the files into a folder, which is created if it does not exist. Returns the paths, in the order of the plan.
/// Throws ModelError before anything is written if the folder is not empty (unless files may be replaced), or if the
/// folder or a file cannot be written.
std::vector<std::string> write_export(const ExportPlan& plan, const std::string& folder,
                                      ExistingFiles existing = ExistingFiles::Refuse);

}  // namespace kane
