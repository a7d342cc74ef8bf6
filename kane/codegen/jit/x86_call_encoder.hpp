#pragma once
// Function calls of x86-64 kernels (System V calling convention). All values are in memory before a group of calls,
// and their results are in memory after it.

#include <asmjit/x86.h>

#include "kane/codegen/jit/base_registers.hpp"
#include "kane/codegen/jit/runtime.hpp"

namespace kane {

class X86CallEncoder {
 public:
  X86CallEncoder(asmjit::x86::Assembler& a, const BaseRegisters& bases, const Target& target, const Runtime& runtime)
      : a_(a), bases_(bases), target_(target), runtime_(runtime) {}

  void encode(const MachineGroup& group);

 private:
  void encode_batch(const SinCosBatch& batch);
  void gather_angles(unsigned reg, const SinCosBatch& batch, int first);
  void load_pair(unsigned reg, const SinCosBatch& batch, int first);
  void encode_scalar(const MachineCall& call);
  void encode_lanes(const MachineCall& call);
  void encode_external(const MachineCall& call);
  void load_scalar(unsigned reg, const asmjit::x86::Mem& memory);
  void store_scalar(const asmjit::x86::Mem& memory, unsigned reg);
  void call(std::uint64_t address);

  asmjit::x86::Assembler& a_;
  const BaseRegisters& bases_;
  const Target& target_;
  const Runtime& runtime_;
};

}  // namespace kane
