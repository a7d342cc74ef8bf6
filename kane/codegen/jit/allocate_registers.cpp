#include "kane/codegen/jit/allocate_registers.hpp"

#include <algorithm>
#include <span>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/codegen/jit/register_file.hpp"

namespace kane {

namespace {

/// A value in memory that is used again within so many operations is worth a register, if one is free.
constexpr Position kWorthLoading = 8;

/// Bit k of a set stands for operand k.
struct Shape {
  unsigned memory = 0;  ///< operands that may be slots (one at a time)
  unsigned tied = 0;    ///< operands whose register the result may take, one of which it must take; 0: any register
  bool commutes = false;
};

constexpr std::size_t kNoOperand = 3;  // none of the operands 0, 1, 2

bool is_fused(MicroCode code) { return code >= MicroCode::Fma && code <= MicroCode::Fnms; }

bool is_bitwise(MicroCode code) {
  return code == MicroCode::And || code == MicroCode::AndNot || code == MicroCode::Or || code == MicroCode::Xor ||
         code == MicroCode::Blend;
}

bool commutes(MicroCode code) {
  switch (code) {
    case MicroCode::Add:
    case MicroCode::Mul:
    case MicroCode::And:
    case MicroCode::Or:
    case MicroCode::Xor:
    case MicroCode::Equal:
    case MicroCode::NotEqual: return true;
    default: return false;
  }
}

Shape shape_of_x86(MicroCode code, const Target& target) {
  Shape shape;
  shape.commutes = commutes(code);
  if (is_fused(code)) {
    shape.memory = shape.tied = 0b111;
  } else if (code == MicroCode::Blend) {
    shape.memory = target.isa == Isa::Avx512 ? 0b100 : 0b010;
    shape.tied = target.isa == Isa::Avx512 ? 0b001 : 0;
  } else if (code == MicroCode::Sqrt || code == MicroCode::Floor) {
    shape.tied = target.two_operands() ? 0b001 : 0;
  } else {
    shape.memory = shape.commutes ? 0b011 : 0b010;
    if (target.two_operands()) shape.tied = shape.commutes ? 0b011 : 0b001;
  }
  // Bitwise instructions read 16 bytes even when only 8 are meant.
  if (target.scalar() && is_bitwise(code)) shape.memory = 0;
  return shape;
}

Shape shape_of_neon(MicroCode code, const Target& target) {
  Shape shape;
  if (is_fused(code) && !target.scalar()) shape.tied = 0b100;
  if (code == MicroCode::Blend) shape.tied = 0b001;
  return shape;
}

class RegisterAllocator {
 public:
  RegisterAllocator(const MicroProgram& program, const Target& target)
      : program_(program),
        target_(target),
        registers_(target, program.value_count, out_),
        next_(program.operands.size(), kNever) {
    out_.slots = program.slots;
    out_.ops.reserve(program.ops.size() + program.ops.size() / 2);
    for (ValueId v = 0; v < program.homes.size(); ++v) {
      const SlotId slot = program.homes[v];
      if (slot == kNoSlot) continue;
      const SlotKind kind = program.slots.kinds[slot];
      if (kind == SlotKind::Input || kind == SlotKind::Constant) registers_[v].slot = slot;
    }
    for (unsigned code = 0; code < shapes_.size(); ++code)
      shapes_[code] = target.isa == Isa::Neon ? shape_of_neon(static_cast<MicroCode>(code), target)
                                              : shape_of_x86(static_cast<MicroCode>(code), target);
  }

  MachineProgram run() {
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      find_next_uses(stage);
      for (now_ = program_.stage_begin(stage); now_ < program_.stage_end[stage]; ++now_) {
        allocate(program_.ops[now_]);
        registers_.reuse_slots();
      }
      registers_.forget_registers();
      out_.stage_end[stage] = static_cast<std::uint32_t>(out_.ops.size());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::span<const ValueId> operands(const MicroOp& op) const {
    return std::span(program_.operands).subspan(op.first, op.count);
  }

  /// next_[k]: where the value of operand k is used after this operand; of a value, where it is used first.
  void find_next_uses(std::size_t stage) {
    for (Position p = program_.stage_end[stage]; p-- > program_.stage_begin(stage);) {
      const MicroOp& op = program_.ops[p];
      for (std::uint32_t k = op.first + op.count; k-- > op.first;) {
        Position& use = registers_[program_.operands[k]].next_use;
        next_[k] = use;
        use = p;
      }
    }
  }

  void allocate(const MicroOp& op) {
    if (op.code == MicroCode::Store)
      allocate_store(op);
    else if (op.code == MicroCode::CallGroup)
      allocate_group(op);
    else
      allocate_arithmetic(op);
  }

  /// The operands of this operation have been used.
  void consume(const MicroOp& op) {
    for (std::uint32_t k = op.first; k < op.first + op.count; ++k) registers_[program_.operands[k]].next_use = next_[k];
    for (const ValueId v : operands(op))
      if (registers_[v].next_use == kNever) registers_.release(v);
  }

  void allocate_store(const MicroOp& op) {
    const ValueId v = operands(op)[0];
    ValueState& value = registers_[v];
    const unsigned r = value.reg >= 0 ? static_cast<unsigned>(value.reg) : registers_.load(v, now_, 0);
    out_.ops.push_back({.code = MicroCode::Store, .a = Operand::in_slot(op.result), .b = Operand::in_register(r)});
    if (value.slot_is_spill) {
      registers_.give_spill_slot(value.slot);
      value.slot = kNoSlot;
      value.slot_is_spill = false;
    }
    if (value.slot == kNoSlot) value.slot = op.result;
    consume(op);
  }

  void allocate_arithmetic(const MicroOp& op) {
    const Shape& shape = shapes_[op.code];
    const std::span<const ValueId> vs = operands(op);
    std::uint32_t pinned = 0;
    for (const ValueId v : vs)
      if (registers_[v].reg >= 0) pinned |= 1U << registers_[v].reg;

    const std::size_t tied = shape.tied != 0 ? choose_tied(op, shape) : kNoOperand;
    const bool copied = tied != kNoOperand && !dies_in_register(op, tied);
    const std::size_t memory = choose_memory_operand(op, shape, tied, copied);
    for (std::size_t k = 0; k < vs.size(); ++k) {
      const ValueId v = vs[k];
      if (k == memory || (k == tied && copied) || registers_[v].reg >= 0) continue;
      if (copied && v == vs[tied]) continue;  // the copy serves
      pinned |= 1U << registers_.load(v, now_, pinned);
    }

    MachineOp out{.code = op.code};
    unsigned result = 0;
    if (copied) {
      const ValueState& source = registers_[vs[tied]];
      result = registers_.take(now_, registers_[op.result].next_use, pinned);
      copy_to(result, source);
    } else if (tied != kNoOperand) {
      result = static_cast<unsigned>(registers_[vs[tied]].reg);
    }
    std::array<Operand, 3> places;
    for (std::size_t k = 0; k < vs.size(); ++k) {
      const ValueState& value = registers_[vs[k]];
      const bool is_copy = copied && vs[k] == vs[tied] && (k == tied || value.reg < 0);
      places[k] = k == memory ? Operand::in_slot(value.slot)
                  : is_copy   ? Operand::in_register(result)
                              : Operand::in_register(static_cast<unsigned>(value.reg));
    }
    consume(op);
    if (tied == kNoOperand) result = registers_.take(now_, registers_[op.result].next_use, 0);
    arrange(out, places, shape, tied, memory);
    out.result = static_cast<std::uint8_t>(result);
    out_.ops.push_back(out);
    registers_.bind(op.result, result);
  }

  void copy_to(unsigned r, const ValueState& source) {
    const bool loaded = source.reg < 0;
    out_.ops.push_back(
        {.code = loaded ? MicroCode::Load : MicroCode::Move,
         .result = static_cast<std::uint8_t>(r),
         .a = loaded ? Operand::in_slot(source.slot) : Operand::in_register(static_cast<unsigned>(source.reg))});
  }

  /// Operand k has its last use here. (Of a value used twice, next_ of the later operand counts.)
  [[nodiscard]] bool dies(const MicroOp& op, std::size_t k) const {
    Position next = next_[op.first + k];
    const std::span<const ValueId> vs = operands(op);
    for (std::size_t j = k + 1; j < vs.size(); ++j)
      if (vs[j] == vs[k]) next = next_[op.first + j];
    return next == kNever;
  }
  [[nodiscard]] bool dies_in_register(const MicroOp& op, std::size_t k) const {
    return registers_[operands(op)[k]].reg >= 0 && dies(op, k);
  }

  /// The operand whose register the result takes: best one that is not needed any more, else one that must be
  /// fetched from memory anyway, else one that is copied.
  [[nodiscard]] std::size_t choose_tied(const MicroOp& op, const Shape& shape) const {
    const std::span<const ValueId> vs = operands(op);
    std::size_t in_memory = kNoOperand, any = kNoOperand;
    for (std::size_t k = vs.size(); k-- > 0;) {
      if ((shape.tied >> k & 1U) == 0) continue;
      if (dies_in_register(op, k)) return k;
      any = k;
      if (registers_[vs[k]].reg < 0) in_memory = k;
    }
    return in_memory != kNoOperand ? in_memory : any;
  }

  /// Among the operands that are only in memory, the one to be used from there: the one with the furthest next use.
  [[nodiscard]] std::size_t choose_memory_operand(const MicroOp& op, const Shape& shape, std::size_t tied,
                                                  bool copied) const {
    const std::span<const ValueId> vs = operands(op);
    std::size_t chosen = kNoOperand;
    Position furthest = 0;
    for (std::size_t k = 0; k < vs.size(); ++k) {
      const ValueId v = vs[k];
      if ((shape.memory >> k & 1U) == 0 || registers_[v].reg >= 0 || k == tied) continue;
      if (copied && v == vs[tied]) continue;
      if (std::count(vs.begin(), vs.end(), v) > 1) continue;
      const Position next = next_[op.first + k];
      if (registers_.has_free() && next - now_ <= kWorthLoading) continue;
      if (next >= furthest) furthest = next, chosen = k;
    }
    return chosen;
  }

  /// Order of the operands in the instruction.
  void arrange(MachineOp& out, const std::array<Operand, 3>& places, const Shape& shape, std::size_t tied,
               std::size_t memory) const {
    out.a = places[0];
    out.b = places[1];
    out.c = places[2];
    if (is_fused(out.code) && target_.isa != Isa::Neon) {
      arrange_fused(out, places, tied, memory);
    } else if (shape.commutes && (tied == 1 || memory == 0)) {
      std::swap(out.a, out.b);
    }
  }

  static void arrange_fused(MachineOp& out, const std::array<Operand, 3>& places, std::size_t tied,
                            std::size_t memory) {
    out.a = places[tied];
    if (tied == 2) {
      out.form = FmaForm::F231;
      out.b = places[memory == 0 ? 1 : 0];
      out.c = places[memory == 0 ? 0 : 1];
      return;
    }
    const std::size_t factor = 1 - tied;  // the other one
    out.form = memory == factor ? FmaForm::F132 : FmaForm::F213;
    out.b = places[memory == factor ? 2 : factor];
    out.c = places[memory == factor ? factor : 2];
  }

  void allocate_group(const MicroOp& op) {
    const CallGroup& group = program_.groups[op.result];
    registers_.save_all();
    MachineGroup out;
    add_batches(group, out);
    for (std::uint32_t k = group.first_call; k < group.call_end; ++k)
      out.calls.push_back(place_call(program_.calls[k]));
    consume(op);
    registers_.forget_registers();
    out_.ops.push_back({.code = MicroCode::CallGroup, .group = static_cast<std::uint32_t>(out_.groups.size())});
    out_.groups.push_back(std::move(out));
  }

  SlotId add_area(std::size_t count) {
    const auto first = static_cast<SlotId>(out_.slots.kinds.size());
    for (std::size_t i = 0; i < count; ++i) out_.slots.add(SlotKind::CallArea);
    return first;
  }

  void add_batches(const CallGroup& group, MachineGroup& out) {
    // Not vectors of 8 in a scalar kernel: for some time after them scalar instructions have one port less.
    const auto width = static_cast<std::uint32_t>(target_.scalar() ? std::min(4, vector_lanes(target_.isa)) : 1);
    for (std::uint32_t first = group.first_pair; first < group.pair_end;) {
      const std::uint32_t needed = (group.pair_end - first + width - 1) / width;
      const std::uint32_t vectors = needed == 1 || target_.isa == Isa::Neon ? 1 : needed < 4 ? 2 : 4;
      const std::uint32_t count = std::min(vectors * width, group.pair_end - first);
      SinCosBatch batch{static_cast<int>(width),
                        static_cast<int>(vectors),
                        static_cast<int>(count),
                        {},
                        add_area(2 * std::size_t{vectors * width})};
      for (std::uint32_t k = 0; k < count; ++k) {
        const SinCosPair& pair = program_.pairs[first + k];
        const SlotId result = batch.results + k / width * 2 * width + k % width;
        batch.angles[k] = registers_[pair.angle].slot;
        if (pair.sin != kNoValue) registers_[pair.sin].slot = result;
        if (pair.cos != kNoValue) registers_[pair.cos].slot = result + width;
      }
      out.batches.push_back(batch);
      first += count;
    }
  }

  MachineCall place_call(const FunctionCall& call) {
    MachineCall out{call.function, call.integer, kNoSlot, kNoSlot, {}, kNoSlot, registers_.take_spill_slot()};
    if (call.a != kNoValue) out.a = registers_[call.a].slot;
    if (call.b != kNoValue) out.b = registers_[call.b].slot;
    if (call.function == Code::Call) {
      for (std::uint32_t k = 0; k < call.argument_count; ++k)
        out.arguments.push_back(registers_[program_.call_arguments[call.first_argument + k]].slot);
      out.area = add_area(call.argument_count);
    }
    ValueState& result = registers_[call.result];
    result.slot = out.result;
    result.slot_is_spill = true;
    return out;
  }

  const MicroProgram& program_;
  const Target target_;
  MachineProgram out_;
  RegisterFile registers_;
  std::vector<Position> next_;  ///< by index into MicroProgram::operands
  EnumArray<MicroCode, Shape, at(MicroCode::Move) + 1> shapes_;
  Position now_ = 0;
};

}  // namespace

MachineProgram allocate_registers(const MicroProgram& program, const Target& target) {
  return RegisterAllocator(program, target).run();
}

}  // namespace kane
