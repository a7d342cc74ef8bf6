#pragma once
// A model as an FMU: a ZIP archive with a description, a library for this machine, and the C code of it if wanted.
//
//     FmuPlan plan = plan_fmu(read_model("arm.yaml"), {}, {.version = FmiVersion::Three});
//     write_fmu(plan, "arm.fmu");

#include <string>
#include <vector>

#include "kane/export/export_plan.hpp"
#include "kane/export/fmu/model_description.hpp"
#include "kane/fmi/archive.hpp"

namespace kane {

struct FmuOptions {
  FmiVersion version = FmiVersion::Two;
  bool model_exchange = true, co_simulation = true;  ///< at least one
  bool sources = false;                              ///< the C code goes into the archive
  bool binary = true;                                ///< a library for this machine does
  FmuModelOptions model{};
};

struct FmuPlan {
  FmuModel model;
  FmuOptions options;
  std::vector<ArchiveFile> files;  ///< files of the archive
  std::string compiler;            ///< that made the library; "": there is none
};

/// Throws ModelError as form_fmu_model() does, and if no C compiler is found or it fails.
[[nodiscard]] FmuPlan plan_fmu(const Model& model, const StartState& start = {}, const FmuOptions& options = {});

/// Writes the archive. An existing file is refused or replaced.
void write_fmu(const FmuPlan& plan, const std::string& file, ExistingFiles existing = ExistingFiles::Refuse);

/// The C compiler for libraries: the variable CC, else cc, gcc or clang; "" if there is none.
[[nodiscard]] std::string find_c_compiler();

}  // namespace kane
