#pragma once
// A model as source code to carry away: what goes into it, what is left out (and said so), and where it starts.
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
  Language language = Language::C;      ///< of the code
  std::string name{};                   ///< of files and functions; "": that of the model
  std::optional<double> until{};        ///< when the driver ends, s; default: as the model says, else 10 s
  std::optional<double> step{};         ///< longest step of the driver, s; default: chosen by `tolerance`
  std::optional<double> output_step{};  ///< between the lines that the driver prints, s; default: 1000 intervals
  double tolerance = 1e-6;              ///< halving a chosen step changes the states by no more than this, relative

  /// Throws ModelError if an option makes no sense.
  void check() const;
};

/// The language of this name ("c", "python", ...). Throws ModelError with the names there are.
[[nodiscard]] Language language_from(std::string_view name);

/// Source code and what there is to say about it.
struct ExportPlan {
  std::string title;                ///< the model's name
  Language language = Language::C;  ///< of the code
  ExportModel model;                ///< its state satisfies the constraints
  std::vector<SourceFile> files;    ///< the README last
  std::vector<std::string>
      notes;                  ///< what the model has and the code does not, and other warnings; without a full stop
  AssemblyReport assembly;    ///< how the start was moved onto the constraints
  std::size_t redundant = 0;  ///< active constraints that repeat others at the start and are left out
};

/// Parts of the model that straight-line equations of motion do not contain: contacts, limits, dry friction, events, modes,
/// sampled inputs. One clause each. Nothing is said of inputs that the start gives a value to.
[[nodiscard]] std::vector<std::string> find_left_out(const Mechanism& mechanism, const StartState& start = {});

/// Contacts, limits and dry friction alone: equations without a solver of inequalities do not contain them.
[[nodiscard]] std::vector<std::string> find_switched_parts(const Mechanism& mechanism);

/// Moves the start onto the constraints, forms the equations and the files. Throws ModelError if the start cannot be
/// assembled, an option makes no sense, or the motion is not determined.
[[nodiscard]] ExportPlan plan_export(const Model& model, const StartState& start = {},
                                     const ExportOptions& options = {});

/// A folder that is not empty.
enum class ExistingFiles : std::uint8_t {
  Refuse,   ///< is left alone
  Replace,  ///< files of the same names are replaced
};

/// Writes the files into a folder, which is made if it does not exist. A folder that is not empty is refused, or only files
/// of the same names are replaced. Returns the paths, in the order of the plan. Throws ModelError before anything is written if the folder or a
/// file may not be touched.
std::vector<std::string> write_export(const ExportPlan& plan, const std::string& folder,
                                      ExistingFiles existing = ExistingFiles::Refuse);

}  // namespace kane
