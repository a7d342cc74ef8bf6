#pragma once
// The data of a Kernel; see kernel.hpp.

#include <array>

#include "kane/codegen/jit/code_memory.hpp"
#include "kane/codegen/jit/layout.hpp"
#include "kane/codegen/kernel.hpp"

namespace kane {

using StageFunction = void (*)(double* workspace);

struct KernelData {
  std::shared_ptr<const Program> program;
  std::vector<ExternalFunction> functions;
  int lanes = 1;
  std::optional<Isa> isa;
  std::string why_interpreted;
  CodeMemory code;
  PerStage<StageFunction> stages{};
  Layout layout;                                ///< layout of the workspace; without isa only inputs and outputs
  std::vector<double> constants;                ///< initial contents of the workspace ...
  std::vector<std::uint32_t> constant_offsets;  ///< ... and where
};

}  // namespace kane
