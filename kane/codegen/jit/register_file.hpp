#pragma once
// The registers of the target during assignment: which value is where, and which one has to leave.
//
// Leaving by furthest next use is optimal for straight-line code when all values cost the same to bring back
// (Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966). Here
// they do not: what has a place in memory already (inputs, constants, outputs, saved values) leaves without a store
// and on x86 comes back as a memory operand, which costs next to nothing. So of those the one with the furthest
// next use leaves first, unless it is needed at once, and only then values that need a store.

#include <cstdint>
#include <vector>

#include "kane/codegen/jit/machine_program.hpp"

namespace kane {

/// Position of an operation; kNever: the value is not used again.
using Position = std::uint32_t;
inline constexpr Position kNever = 0xffffffff;

struct ValueState {
  Position next_use = kNever;
  SlotId slot = kNoSlot;       ///< its place in memory
  std::int8_t reg = -1;        ///< the register it is in
  bool slot_is_spill = false;  ///< the slot can be given back
};

class RegisterFile {
 public:
  /// Writes loads and stores to `out`.
  RegisterFile(const Target& target, std::uint32_t value_count, MachineProgram& out);

  [[nodiscard]] ValueState& operator[](ValueId v) { return values_[v]; }
  [[nodiscard]] const ValueState& operator[](ValueId v) const { return values_[v]; }
  [[nodiscard]] bool has_free() const { return (occupied_ & all_) != all_; }

  /// A register for a value whose next use is known, emptied if necessary, but none of `pinned` (a bit set).
  unsigned take(Position now, Position next_use, std::uint32_t pinned);
  /// v is in register r from now on.
  void bind(ValueId v, unsigned r);
  /// Copies v from its slot to a register.
  unsigned load(ValueId v, Position now, std::uint32_t pinned);
  /// v is not used any more: its register is free, its slot after the next call of reuse_slots().
  void release(ValueId v);
  void reuse_slots();
  /// Puts v into a spill slot if memory does not have it.
  void save(ValueId v);
  void save_all();
  /// Registers hold nothing; what was only in them is lost.
  void forget_registers();
  SlotId take_spill_slot();
  void give_spill_slot(SlotId slot) { released_slots_.push_back(slot); }

 private:
  unsigned evict(Position now, std::uint32_t pinned);

  const Target target_;
  MachineProgram& out_;
  const Position at_once_;
  std::uint32_t all_;
  std::uint32_t occupied_ = 0;
  std::vector<ValueState> values_;
  std::vector<ValueId> holder_;  ///< by register
  std::vector<SlotId> free_slots_;
  std::vector<SlotId> released_slots_;
};

}  // namespace kane
