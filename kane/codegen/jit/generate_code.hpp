#pragma once
// All steps of the JIT in order: operations, registers, addresses, bytes. Works for any target on any machine.

#include "kane/codegen/jit/machine_code.hpp"

namespace kane {

struct GeneratedCode {
  MachineCode code;
  Layout layout;
  std::vector<double> constants;                ///< initial contents of the workspace ...
  std::vector<std::uint32_t> constant_offsets;  ///< ... and where
};

[[nodiscard]] Target make_target(const Program& program, Isa isa, int lanes);
[[nodiscard]] GeneratedCode generate_code(const Program& program, const Target& target, const Runtime& runtime);

}  // namespace kane
