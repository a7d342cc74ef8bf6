#include "kane/codegen/jit/layout.hpp"

#include <algorithm>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr std::uint32_t kLine = 64;
constexpr std::uint64_t kLargestWorkspace = std::uint64_t{1} << 30;
/// Where the state stage, which runs most, first uses each slot.
std::vector<std::uint32_t> find_first_uses(const MachineProgram& machine) {
  std::vector<std::uint32_t> first(machine.slots.kinds.size(), 0xffffffff);
  const auto last = kStageCount - 1;
  for (std::uint32_t i = machine.stage_end[last]; i-- > machine.stage_begin(last);) {
    const MachineOp& op = machine.ops[i];
    for (const Operand& operand : {op.a, op.b, op.c})
      if (operand.is_slot()) first[operand.slot()] = i;
  }
  return first;
}

class Placer {
 public:
  Placer(std::size_t slots, const Target& target) : stride_(8 * static_cast<std::uint64_t>(target.lanes)) {
    layout_.offsets.resize(slots);
  }

  void place(SlotId slot) {
    layout_.offsets[slot] = static_cast<std::uint32_t>(next_);
    next_ += stride_;
    if (next_ > kLargestWorkspace)
      throw LimitError("the program is too large to compile: its workspace would exceed 1 GiB");
  }
  std::uint32_t align() {
    next_ = (next_ + kLine - 1) / kLine * kLine;
    return static_cast<std::uint32_t>(next_);
  }
  Layout finish() {
    layout_.size = align();
    return std::move(layout_);
  }
  Layout layout_;

 private:
  std::uint64_t stride_;
  std::uint64_t next_ = 0;
};

}  // namespace

Layout lay_out(const MachineProgram& machine, const Program& program, const Target& target) {
  const std::vector<SlotKind>& kinds = machine.slots.kinds;
  const std::vector<std::uint32_t> first_uses = find_first_uses(machine);
  std::vector<SlotId> free;
  for (SlotId s = 0; s < kinds.size(); ++s)
    if (kinds[s] == SlotKind::Constant || kinds[s] == SlotKind::Saved || kinds[s] == SlotKind::Spill) free.push_back(s);
  std::stable_sort(free.begin(), free.end(), [&](SlotId a, SlotId b) { return first_uses[a] < first_uses[b]; });

  Placer placer(kinds.size(), target);
  for (const SlotId slot : free) placer.place(slot);
  placer.align();
  for (SlotId s = 0; s < kinds.size(); ++s)
    if (kinds[s] == SlotKind::CallArea) placer.place(s);
  for (std::size_t stage = kStageCount; stage-- > 0;) {
    placer.layout_.inputs[stage] = placer.align();
    const std::uint32_t first = program.first_input(static_cast<Stage>(stage));
    for (std::uint32_t i = 0; i < program.input_count[stage]; ++i) placer.place(first + i);
  }
  placer.layout_.outputs = placer.align();
  for (SlotId s = 0; s < kinds.size(); ++s)
    if (kinds[s] == SlotKind::Output) placer.place(s);
  return placer.finish();
}

}  // namespace kane
