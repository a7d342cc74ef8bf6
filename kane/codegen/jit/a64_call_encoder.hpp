#pragma once
// Function calls of AArch64 kernels (AAPCS64). All values are in memory before a group of calls, and their results
// are in memory after it.

#include "kane/codegen/jit/a64_addresses.hpp"
#include "kane/codegen/jit/runtime.hpp"

namespace kane {

class A64CallEncoder {
 public:
  A64CallEncoder(asmjit::a64::Assembler& a, A64Addresses& addresses, const Target& target, const Runtime& runtime)
      : a_(a), addresses_(addresses), target_(target), runtime_(runtime) {}

  void encode(const MachineGroup& group);

 private:
  void encode_batch(const SinCosBatch& batch);
  void encode_scalar(const MachineCall& call);
  void encode_lanes(const MachineCall& call);
  void encode_external(const MachineCall& call);
  void call(std::uint64_t address);

  asmjit::a64::Assembler& a_;
  A64Addresses& addresses_;
  const Target& target_;
  const Runtime& runtime_;
};

}  // namespace kane
