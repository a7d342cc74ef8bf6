#include "kane/codegen/address_plan.hpp"

#include <algorithm>
#include <cstdlib>

namespace kane {

namespace x86 = asmjit::x86;

namespace {

/// A window with fewer uses is not worth a base.
constexpr std::uint32_t kFewestUses = 3;
/// Farthest displacement of a double in one byte of EVEX.
constexpr std::int32_t kEvexReach = 127 * 8;

}  // namespace

AddressPlan::AddressPlan(const MachineProgram& machine, std::uint32_t begin, std::uint32_t end, const Layout& layout,
                         const Target& target)
    : layout_(layout),
      compressible_(target.isa == Isa::Avx512 && target.scalar()),
      window_bytes_(target.isa == Isa::Avx512 && !target.scalar() ? 256U * 64U : 256U) {
  std::vector<std::uint32_t> uses(layout.size / window_bytes_ + 1);
  for (std::uint32_t i = begin; i < end; ++i) {
    const MachineOp& op = machine.ops[i];
    has_calls_ = has_calls_ || op.code == MicroCode::CallGroup;
    for (const Operand& operand : {op.a, op.b, op.c})
      if (operand.is_slot()) ++uses[layout.offsets[operand.slot()] / window_bytes_];
  }
  choose_windows(uses);
}

std::int32_t AddressPlan::center(std::size_t window) const {
  return static_cast<std::int32_t>(window * window_bytes_ + window_bytes_ / 2);
}

void AddressPlan::choose_windows(const std::vector<std::uint32_t>& uses) {
  // Registers below r8 save another byte in most instructions. rbx survives calls.
  std::vector<x86::Gp> registers{has_calls_ ? x86::rbx : x86::rdi, x86::rsi, x86::rdx, x86::rcx, x86::rax};
  registers.push_back(has_calls_ ? x86::rdi : x86::rbx);
  for (const x86::Gp& r : {x86::rbp, x86::r8, x86::r9, x86::r10, x86::r11, x86::r13, x86::r14, x86::r15})
    registers.push_back(r);
  std::vector<std::size_t> windows;
  for (std::size_t w = 1; w < uses.size(); ++w)
    if (uses[w] >= kFewestUses) windows.push_back(w);
  std::stable_sort(windows.begin(), windows.end(), [&](std::size_t a, std::size_t b) { return uses[a] > uses[b]; });
  if (windows.size() > registers.size() - 1) windows.resize(registers.size() - 1);

  base_of_.assign(uses.size(), -1);
  base_of_[0] = 0;
  bases_.push_back({registers[0], center(0)});
  for (std::size_t i = 0; i < windows.size(); ++i) {
    base_of_[windows[i]] = static_cast<std::int8_t>(bases_.size());
    bases_.push_back({registers[i + 1], center(windows[i])});
  }
  for (const Base& base : bases_)
    for (const x86::Gp& kept : {x86::rbx, x86::rbp, x86::r13, x86::r14, x86::r15})
      if (base.reg.id() == kept.id()) pushed_.push_back(kept);
}

void AddressPlan::emit_prologue(x86::Assembler& a) const {
  for (const x86::Gp& r : pushed_) a.push(r);
  if (has_calls_ && pushed_.size() % 2 == 0) a.sub(x86::rsp, 8);  // calls want 16-byte alignment
  if (bases_[0].reg.id() == x86::rdi.id())
    a.add(x86::rdi, bases_[0].center);
  else
    a.lea(bases_[0].reg, x86::ptr(x86::rdi, bases_[0].center));
  emit_restore(a);
}

void AddressPlan::emit_epilogue(x86::Assembler& a) const {
  if (has_calls_ && pushed_.size() % 2 == 0) a.add(x86::rsp, 8);
  for (auto r = pushed_.rbegin(); r != pushed_.rend(); ++r) a.pop(*r);
  a.ret();
}

void AddressPlan::emit_restore(x86::Assembler& a) const {
  for (std::size_t i = 1; i < bases_.size(); ++i)
    a.lea(bases_[i].reg, x86::ptr(bases_[0].reg, bases_[i].center - bases_[0].center));
}

AddressPlan::Place AddressPlan::place(SlotId slot) const {
  const auto offset = static_cast<std::int32_t>(layout_.offsets[slot]);
  const std::size_t window = layout_.offsets[slot] / window_bytes_;
  if (base_of_[window] >= 0) {
    const Base& base = bases_[static_cast<std::size_t>(base_of_[window])];
    return {x86::ptr(base.reg, offset - base.center), false};
  }
  if (compressible_) {
    for (const Base& base : bases_)
      if (std::abs(offset - base.center) <= kEvexReach) return {x86::ptr(base.reg, offset - base.center), true};
  }
  return {x86::ptr(bases_[0].reg, offset - bases_[0].center), false};
}

x86::Mem AddressPlan::stable(SlotId slot, std::uint32_t extra) const {
  return x86::ptr(bases_[0].reg, static_cast<std::int32_t>(layout_.offsets[slot] + extra) - bases_[0].center);
}

}  // namespace kane
