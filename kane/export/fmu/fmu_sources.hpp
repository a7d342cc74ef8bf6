#pragma once
// The C code of an FMU: the equations, the tables of the model, and the runtime around them.

#include <string>
#include <vector>

#include "kane/codegen/emit/emit_source.hpp"
#include "kane/export/fmu/model_description.hpp"

namespace kane {

/// All files; those that end in .c are to be compiled, together.
[[nodiscard]] std::vector<SourceFile> emit_fmu_sources(const FmuModel& model, const DescriptionOptions& options);

}  // namespace kane
