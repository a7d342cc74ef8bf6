#pragma once
// The input of code generation: a Program in operations that machines have, still in static single assignment form
// and without registers. Opcodes without an instruction have been taken apart (sign, min, select ...) or collected
// in groups of function calls; outputs and values that later stages need have become stores.

#include <array>
#include <cstdint>
#include <vector>

#include "kane/codegen/jit/target.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// Comparisons give a mask: all bits set where true. AndNot is ~a & b; Min is a < b ? a : b, Max likewise;
/// Blend is a ? b : c for a mask a. Load, Store and Move appear with registers, Store also before.
enum class MicroCode : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Min,
  Max,
  And,
  AndNot,
  Or,
  Xor,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  Sqrt,
  Floor,
  Blend,
  Fma,
  Fms,
  Fnma,
  Fnms,
  CallGroup,
  Load,
  Store,
  Move,
};

/// A place in the workspace that holds one value (of every lane).
using SlotId = std::uint32_t;
inline constexpr SlotId kNoSlot = 0xffffffff;
inline constexpr ValueId kNoValue = 0xffffffff;

/// Operands are MicroProgram::operands[first .. first + count).
struct MicroOp {
  MicroCode code;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t result;  ///< the value; for Store the slot, for CallGroup the index of the group
};

/// An angle and the values its sine and cosine get (kNoValue where not needed).
struct SinCosPair {
  ValueId angle;
  ValueId sin = kNoValue;
  ValueId cos = kNoValue;
};

/// A call of a function of one or two values, of Root (index `integer`), or of the external function `integer`,
/// whose arguments are values call_arguments[first_argument ...).
struct FunctionCall {
  Code function;
  std::uint32_t integer = 0;
  ValueId a = kNoValue;
  ValueId b = kNoValue;
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  ValueId result;
};

/// Function calls made together, so that registers are saved once. All arguments are known before the first call.
struct CallGroup {
  std::uint32_t first_pair, pair_end;
  std::uint32_t first_call, call_end;
};

/// Where the contents of a slot come from. Slots of one kind, except the last two, are numbered without gaps, in
/// the order of this list; those of inputs, outputs and call areas must also lie side by side in memory.
enum class SlotKind : std::uint8_t { Input, Constant, Output, CallArea, Saved, Spill };

struct SlotTable {
  std::vector<SlotKind> kinds;

  SlotId add(SlotKind kind) {
    kinds.push_back(kind);
    return static_cast<SlotId>(kinds.size() - 1);
  }
};

struct MicroProgram {
  std::vector<MicroOp> ops;
  PerStage<std::uint32_t> stage_end{};
  std::vector<ValueId> operands;
  std::vector<SinCosPair> pairs;
  std::vector<FunctionCall> calls;
  std::vector<ValueId> call_arguments;
  std::vector<CallGroup> groups;
  std::uint32_t value_count = 0;
  /// Slot of every input and constant, and of what an earlier stage saves for a later one; else kNoSlot.
  std::vector<SlotId> homes;
  /// Values of the slots of kind Constant: those of the program, then masks and numbers of our own.
  std::vector<double> constants;
  SlotTable slots;

  [[nodiscard]] std::uint32_t stage_begin(std::size_t stage) const { return stage == 0 ? 0 : stage_end[stage - 1]; }
};

}  // namespace kane
