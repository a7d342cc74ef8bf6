#include "kane/codegen/jit/x86_call_encoder.hpp"

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace x86 = asmjit::x86;

void X86CallEncoder::encode(const MachineGroup& group) {
  for (const SinCosBatch& batch : group.batches) encode_batch(batch);
  // Code for SSE2 is slow while upper halves of registers are in use: it waits for whatever was in the register before. The C
  // library may have such code, and so may callers of scalar kernels (SIMD kernels clean up when they end).
  const bool used = target_.isa != Isa::Sse2 && (!target_.scalar() || !group.batches.empty());
  if (used && (target_.scalar() || !group.calls.empty())) a_.vzeroupper();
  for (const MachineCall& c : group.calls) {
    if (c.function == Code::Call)
      encode_external(c);
    else if (target_.scalar())
      encode_scalar(c);
    else
      encode_lanes(c);
  }
}

void X86CallEncoder::call(std::uint64_t address) {
  ensure(address != 0, "generated code would call a function that does not exist");
  a_.mov(x86::rax, address);
  a_.call(x86::rax);
}

void X86CallEncoder::load_scalar(unsigned reg, const x86::Mem& memory) {
  if (target_.isa == Isa::Sse2)
    a_.movsd(x86::xmm(reg), memory);
  else
    a_.vmovsd(x86::xmm(reg), memory);
}

void X86CallEncoder::store_scalar(const x86::Mem& memory, unsigned reg) {
  if (target_.isa == Isa::Sse2)
    a_.movsd(memory, x86::xmm(reg));
  else
    a_.vmovsd(memory, x86::xmm(reg));
}

void X86CallEncoder::encode_batch(const SinCosBatch& batch) {
  for (int v = 0; v < batch.vectors; ++v) {
    const auto reg = static_cast<unsigned>(v);
    if (target_.scalar()) {
      gather_angles(reg, batch, v * batch.width);
      continue;
    }
    const x86::Mem angles = bases_.stable(batch.angles[reg]);
    if (target_.isa == Isa::Sse2)
      a_.movapd(x86::xmm(reg), angles);
    else if (target_.isa == Isa::Avx2)
      a_.vmovapd(x86::ymm(reg), angles);
    else
      a_.vmovapd(x86::zmm(reg), angles);
  }
  a_.lea(x86::rdi, bases_.stable(batch.results));
  call(runtime_.sincos(target_.scalar() ? batch.width : target_.lanes, batch.vectors));
}

/// Angles `first` and the next to a register; beyond the last one zeros.
void X86CallEncoder::load_pair(unsigned reg, const SinCosBatch& batch, int first) {
  const std::size_t k = at(first);
  const x86::Xmm x = x86::xmm(reg);
  if (first >= batch.count) {
    a_.vxorpd(x, x, x);
    return;
  }
  load_scalar(reg, bases_.stable(batch.angles[k]));
  if (first + 1 >= batch.count) return;
  if (target_.isa == Isa::Sse2)
    a_.movhpd(x, bases_.stable(batch.angles[k + 1]));
  else
    a_.vmovhpd(x, x, bases_.stable(batch.angles[k + 1]));
}

/// Two by two, since angles that were stored one by one could not be loaded as one vector without a stall.
void X86CallEncoder::gather_angles(unsigned reg, const SinCosBatch& batch, int first) {
  load_pair(reg, batch, first);
  if (batch.width == 2) return;
  const unsigned other = SinCosBatch::kMostVectors + reg;
  load_pair(other, batch, first + 2);
  a_.vinsertf128(x86::ymm(reg), x86::ymm(reg), x86::xmm(other), 1);
}

void X86CallEncoder::encode_scalar(const MachineCall& c) {
  load_scalar(0, bases_.stable(c.a));
  if (c.b != kNoSlot) load_scalar(1, bases_.stable(c.b));
  if (c.function == Code::Root) a_.mov(x86::edi, c.integer);
  call(runtime_.functions[c.function]);
  store_scalar(bases_.stable(c.result), 0);
}

void X86CallEncoder::encode_lanes(const MachineCall& c) {
  if (c.function == Code::Root)
    a_.mov(x86::edi, c.integer);
  else
    a_.mov(x86::rdi, runtime_.functions[c.function]);
  a_.lea(x86::rsi, bases_.stable(c.a));
  if (c.b == kNoSlot) {
    a_.lea(x86::rdx, bases_.stable(c.result));
    a_.mov(x86::ecx, target_.lanes);
    call(c.function == Code::Root ? runtime_.root_lanes : runtime_.unary_lanes);
  } else {
    a_.lea(x86::rdx, bases_.stable(c.b));
    a_.lea(x86::rcx, bases_.stable(c.result));
    a_.mov(x86::r8d, target_.lanes);
    call(runtime_.binary_lanes);
  }
}

void X86CallEncoder::encode_external(const MachineCall& c) {
  for (std::size_t k = 0; k < c.arguments.size(); ++k) {
    for (int lane = 0; lane < target_.lanes; ++lane) {
      const auto extra = static_cast<std::uint32_t>(8 * lane);
      load_scalar(0, bases_.stable(c.arguments[k], extra));
      store_scalar(bases_.stable(c.area + static_cast<SlotId>(k), extra), 0);
    }
  }
  const ExternalFunction& f = runtime_.externals[c.integer];
  const auto address = reinterpret_cast<std::uintptr_t>(f.call);
  const auto context = reinterpret_cast<std::uintptr_t>(f.context);
  const bool has_area = !c.arguments.empty();
  const x86::Mem area = bases_.stable(has_area ? c.area : c.result);
  if (target_.scalar()) {
    a_.lea(x86::rdi, area);
    a_.mov(x86::rsi, context);
    call(address);
    store_scalar(bases_.stable(c.result), 0);
    return;
  }
  a_.mov(x86::rdi, address);
  a_.mov(x86::rsi, context);
  a_.lea(x86::rdx, area);
  a_.lea(x86::rcx, bases_.stable(c.result));
  a_.mov(x86::r8d, static_cast<int>(c.arguments.size()));
  a_.mov(x86::r9d, target_.lanes);
  call(runtime_.external_lanes);
}

}  // namespace kane
