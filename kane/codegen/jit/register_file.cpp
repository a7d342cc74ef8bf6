#include "kane/codegen/jit/register_file.hpp"

#include <bit>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

/// A value used farther ahead than this goes to a register with longer encodings, if there are such.
constexpr Position kLongLife = 24;
/// A value in memory that is used again within so many operations does not leave its register for nothing. AVX-512 vectors have
/// the registers to be patient, and each of their operands from memory is a whole cache line.
Position at_once(const Target& target) { return target.isa == Isa::Avx512 && !target.scalar() ? 48 : 12; }

}  // namespace

RegisterFile::RegisterFile(const Target& target, std::uint32_t value_count, MachineProgram& out)
    : target_(target),
      out_(out),
      at_once_(at_once(target)),
      all_(target.registers() == 32 ? 0xffffffffU : (1U << target.registers()) - 1U),
      values_(value_count),
      holder_(at(target.registers()), kNoValue) {}

unsigned RegisterFile::take(Position now, Position next_use, std::uint32_t pinned) {
  const std::uint32_t free = all_ & ~occupied_;
  if (free == 0) return evict(now, pinned);
  const bool long_life = target_.short_registers() < target_.registers() && next_use - now > kLongLife;
  return static_cast<unsigned>(long_life ? 31 - std::countl_zero(free) : std::countr_zero(free));
}

unsigned RegisterFile::evict(Position now, std::uint32_t pinned) {
  // Furthest next use among values that memory has, and among the others; positions are counted from 1 here.
  Position clean_use = 0, dirty_use = 0;
  unsigned clean = 0, dirty = 0;
  for (std::uint32_t rest = all_ & ~pinned; rest != 0; rest &= rest - 1) {
    const auto r = static_cast<unsigned>(std::countr_zero(rest));
    const ValueState& value = values_[holder_[r]];
    const Position use = value.next_use - now + 1;
    if (value.slot != kNoSlot) {
      if (use > clean_use) clean_use = use, clean = r;
    } else if (use > dirty_use) {
      dirty_use = use, dirty = r;
    }
  }
  ensure(clean_use != 0 || dirty_use != 0, "no register can be emptied");
  const bool leave_clean =
      target_.memory_operands() ? clean_use > at_once_ || dirty_use == 0 : 2 * std::uint64_t{clean_use} >= dirty_use;
  const unsigned chosen = clean_use != 0 && leave_clean ? clean : dirty;
  save(holder_[chosen]);
  values_[holder_[chosen]].reg = -1;
  holder_[chosen] = kNoValue;
  occupied_ &= ~(1U << chosen);
  return chosen;
}

void RegisterFile::bind(ValueId v, unsigned r) {
  occupied_ |= 1U << r;
  holder_[r] = v;
  values_[v].reg = static_cast<std::int8_t>(r);
}

unsigned RegisterFile::load(ValueId v, Position now, std::uint32_t pinned) {
  const unsigned r = take(now, values_[v].next_use, pinned);
  out_.ops.push_back(
      {.code = MicroCode::Load, .result = static_cast<std::uint8_t>(r), .a = Operand::in_slot(values_[v].slot)});
  bind(v, r);
  return r;
}

void RegisterFile::release(ValueId v) {
  ValueState& value = values_[v];
  if (value.reg >= 0) {
    occupied_ &= ~(1U << value.reg);
    holder_[at(value.reg)] = kNoValue;
    value.reg = -1;
  }
  if (value.slot_is_spill) {
    released_slots_.push_back(value.slot);
    value.slot = kNoSlot;
    value.slot_is_spill = false;
  }
}

void RegisterFile::reuse_slots() {
  free_slots_.insert(free_slots_.end(), released_slots_.begin(), released_slots_.end());
  released_slots_.clear();
}

SlotId RegisterFile::take_spill_slot() {
  if (free_slots_.empty()) return out_.slots.add(SlotKind::Spill);
  const SlotId slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void RegisterFile::save(ValueId v) {
  ValueState& value = values_[v];
  if (value.slot != kNoSlot) return;
  value.slot = take_spill_slot();
  value.slot_is_spill = true;
  out_.ops.push_back({.code = MicroCode::Store,
                      .a = Operand::in_slot(value.slot),
                      .b = Operand::in_register(static_cast<unsigned>(value.reg))});
}

void RegisterFile::save_all() {
  for (const ValueId v : holder_)
    if (v != kNoValue) save(v);
}

void RegisterFile::forget_registers() {
  for (ValueId& v : holder_) {
    if (v != kNoValue) values_[v].reg = -1;
    v = kNoValue;
  }
  occupied_ = 0;
}

}  // namespace kane
