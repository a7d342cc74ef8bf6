#include "kane/codegen/jit/base_registers.hpp"

#include <algorithm>
#include <cstdlib>

namespace kane {

namespace x86 = asmjit::x86;

namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;
/// Moving a base takes 7 bytes. It pays with so many uses that would need 3 bytes more without it,
constexpr int kUsesThatPay = 3;
/// and with so many that would need 1 or 2 bytes more.
constexpr int kEvexUsesThatPay = 5;
/// A displacement of 127 doubles reaches everything so many windows away.
constexpr std::uint32_t kEvexWindows = 3;

}  // namespace

BaseRegisters::BaseRegisters(x86::Assembler& a, const MachineProgram& machine, std::uint32_t begin, std::uint32_t end,
                             const Layout& layout, const Target& target)
    : a_(a),
      layout_(layout),
      window_bytes_(target.isa == Isa::Avx512 && !target.scalar() ? 256U * 64U : 256U),
      scalar_evex_(target.isa == Isa::Avx512 && target.scalar()) {
  const std::vector<Use> uses = find_uses(machine, begin, end);
  // Registers below r8 save another byte in most instructions. rbx survives calls; r12 would need a byte more.
  bases_.push_back({has_calls_ ? x86::rbx : x86::rdi, 0, kNowhere});
  for (const x86::Gp& r : {x86::rsi, x86::rdx, x86::rcx, x86::rax, has_calls_ ? x86::rdi : x86::rbx, x86::rbp, x86::r8,
                           x86::r9, x86::r10, x86::r11, x86::r13, x86::r14, x86::r15})
    bases_.push_back({r, kNowhere, kNowhere});
  plan(uses);
  windows_.assign(bases_.size(), kNowhere);
  windows_[0] = 0;
}

/// The windows of all slot operands in order, and where each is used again before a call spoils the registers.
std::vector<BaseRegisters::Use> BaseRegisters::find_uses(const MachineProgram& machine, std::uint32_t begin,
                                                         std::uint32_t end) {
  std::vector<Use> uses;
  uses.reserve(end - begin);
  for (std::uint32_t i = begin; i < end; ++i) {
    const MachineOp& op = machine.ops[i];
    if (op.code == MicroCode::CallGroup) {
      has_calls_ = true;
      calls_.push_back(static_cast<std::uint32_t>(uses.size()));
    }
    for (const Operand& operand : {op.a, op.b, op.c})
      if (operand.is_slot()) uses.push_back({layout_.offsets[operand.slot()] / window_bytes_, kNowhere});
  }
  std::vector<std::uint32_t> last(layout_.size / window_bytes_ + 1, kNowhere);
  auto call = calls_.rbegin();
  for (auto i = static_cast<std::uint32_t>(uses.size()); i-- > 0;) {
    for (; call != calls_.rend() && *call > i; ++call) std::fill(last.begin(), last.end(), kNowhere);
    uses[i].next = std::exchange(last[uses[i].window], i);
  }
  return uses;
}

void BaseRegisters::plan(const std::vector<Use>& uses) {
  accesses_.reserve(uses.size());
  auto call = calls_.begin();
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    for (; call != calls_.end() && *call <= i; ++call)
      for (std::size_t b = 1; b < bases_.size(); ++b) bases_[b].window = bases_[b].next_use = kNowhere;
    const Access access = choose(uses, i);
    accesses_.push_back(access);
    Base& base = bases_[access.base];
    if (access.move) base.window = uses[i].window;
    if (base.window == uses[i].window) base.next_use = uses[i].next;
    for (const x86::Gp& kept : {x86::rbx, x86::rbp, x86::r13, x86::r14, x86::r15})
      if (access.move && base.reg.id() == kept.id() && std::find(pushed_.begin(), pushed_.end(), kept) == pushed_.end())
        pushed_.push_back(kept);
  }
  if (has_calls_) pushed_.push_back(x86::rbx);
}

BaseRegisters::Access BaseRegisters::choose(const std::vector<Use>& uses, std::uint32_t index) const {
  const std::uint32_t window = uses[index].window;
  std::uint8_t furthest = 1, near = 0;
  bool is_near = false;
  for (std::uint8_t b = 0; b < bases_.size(); ++b) {
    const Base& base = bases_[b];
    if (base.window == window) return {b, false, false};
    if (base.window == kNowhere) {
      if (bases_[furthest].window != kNowhere) furthest = b;
      continue;
    }
    const std::uint32_t distance = base.window > window ? base.window - window : window - base.window;
    if (scalar_evex_ && distance <= kEvexWindows) near = b, is_near = true;
    if (b > 0 && bases_[furthest].window != kNowhere && base.next_use > bases_[furthest].next_use) furthest = b;
  }
  int count = 0;
  for (std::uint32_t i = index; i < bases_[furthest].next_use && count < kEvexUsesThatPay; i = uses[i].next) ++count;
  if (count >= (is_near ? kEvexUsesThatPay : kUsesThatPay)) return {furthest, true, false};
  return {near, false, is_near};
}

std::int32_t BaseRegisters::center(std::uint32_t window) const {
  return static_cast<std::int32_t>(window * window_bytes_ + window_bytes_ / 2);
}

void BaseRegisters::emit_prologue() const {
  for (const x86::Gp& r : pushed_) a_.push(r);
  if (has_calls_ && pushed_.size() % 2 == 0) a_.sub(x86::rsp, 8);  // calls require 16-byte alignment
  if (has_calls_)
    a_.lea(x86::rbx, x86::ptr(x86::rdi, center(0)));
  else
    a_.add(x86::rdi, center(0));
}

void BaseRegisters::emit_epilogue() const {
  if (has_calls_ && pushed_.size() % 2 == 0) a_.add(x86::rsp, 8);
  for (auto r = pushed_.rbegin(); r != pushed_.rend(); ++r) a_.pop(*r);
  a_.ret();
}

BaseRegisters::Place BaseRegisters::next_place(SlotId slot) {
  const auto [b, move, evex] = accesses_[next_access_++];
  const std::uint32_t offset = layout_.offsets[slot];
  if (move) {
    windows_[b] = offset / window_bytes_;
    a_.lea(bases_[b].reg, x86::ptr(bases_[0].reg, center(windows_[b]) - center(0)));
  }
  return {x86::ptr(bases_[b].reg, static_cast<std::int32_t>(offset) - center(windows_[b])), evex};
}

x86::Mem BaseRegisters::stable(SlotId slot, std::uint32_t extra) const {
  return x86::ptr(bases_[0].reg, static_cast<std::int32_t>(layout_.offsets[slot] + extra) - center(0));
}

}  // namespace kane
