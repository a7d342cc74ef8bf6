#pragma once
// A kernel with registers and memory slots assigned, ready to be encoded.

#include <array>
#include <cstdint>
#include <vector>

#include "kane/codegen/jit/micro_program.hpp"

namespace kane {

/// A vector register or a memory slot.
class Operand {
 public:
  Operand() = default;
  static Operand in_register(unsigned number) { return Operand(number); }
  static Operand in_slot(SlotId slot) { return Operand(kSlotBit | slot); }

  [[nodiscard]] bool is_slot() const { return (bits_ & kSlotBit) != 0; }
  [[nodiscard]] unsigned reg() const { return bits_; }
  [[nodiscard]] SlotId slot() const { return bits_ & ~kSlotBit; }

 private:
  static constexpr std::uint32_t kSlotBit = 0x80000000;
  explicit Operand(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// The operand that the result replaces on x86 (d), and the use of all three: 132: d = d*c + b, 213: d = b*d + c,
/// 231: d = b*c + d.
enum class FmaForm : std::uint8_t { F132, F213, F231 };

/// Operands of arithmetic are those of the MicroOp, exchanged where they commute so that only the last one can be a
/// slot. With two-operand instructions a is the result register. Fused on x86: a is the result register, b and c as
/// FmaForm says. Load: a is the slot. Store: a is the slot, b the register. CallGroup: `group`.
struct MachineOp {
  MicroCode code;
  FmaForm form = FmaForm::F231;
  std::uint8_t result = 0;
  Operand a{}, b{}, c{};
  std::uint32_t group = 0;
};

/// Sine and cosine of `count` angles, in `vectors` vectors of `width` angles. For each vector the slots from `results`
/// on hold first the sines, then the cosines. In a SIMD kernel an angle, with all its lanes, is a vector.
struct SinCosBatch {
  static constexpr int kMostVectors = 4;

  int width;
  int vectors;
  int count;
  std::array<SlotId, 4 * kMostVectors> angles;
  SlotId results;
};

/// `arguments`: those of an external function, copied side by side to `area` before the call.
struct MachineCall {
  Code function;
  std::uint32_t integer;
  SlotId a, b;
  std::vector<SlotId> arguments;
  SlotId area;
  SlotId result;
};

struct MachineGroup {
  std::vector<SinCosBatch> batches;
  std::vector<MachineCall> calls;
};

struct MachineProgram {
  std::vector<MachineOp> ops;
  PerStage<std::uint32_t> stage_end{};
  std::vector<MachineGroup> groups;
  SlotTable slots;

  [[nodiscard]] std::uint32_t stage_begin(std::size_t stage) const { return stage == 0 ? 0 : stage_end[stage - 1]; }
};

}  // namespace kane
