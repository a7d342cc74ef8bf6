#include "kane/codegen/jit/generate_code.hpp"

#include "kane/codegen/jit/allocate_registers.hpp"
#include "kane/codegen/jit/select_ops.hpp"

namespace kane {

namespace {

/// About 32 KiB of code.
constexpr std::size_t kInstructionsInCache = 4000;

}  // namespace

Target make_target(const Program& program, Isa isa, int lanes) {
  return {isa, lanes, program.instructions.size() > kInstructionsInCache};
}

GeneratedCode generate_code(const Program& program, const Target& target, const Runtime& runtime) {
  MicroProgram micro = select_ops(program, target);
  const MachineProgram machine = allocate_registers(micro, target);
  GeneratedCode out;
  out.layout = lay_out(machine, program, target);
  out.code = target.isa == Isa::Neon ? encode_a64(machine, out.layout, target, runtime)
                                     : encode_x86(machine, out.layout, target, runtime);
  out.constants = std::move(micro.constants);
  for (SlotId s = 0; s < machine.slots.kinds.size(); ++s)
    if (machine.slots.kinds[s] == SlotKind::Constant) out.constant_offsets.push_back(out.layout.offsets[s]);
  return out;
}

}  // namespace kane
