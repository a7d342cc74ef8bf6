#include "kane/codegen/jit/select_ops.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "kane/program/code.hpp"
#include "kane/program/contract.hpp"
#include "kane/program/dead_code.hpp"
#include "kane/program/interleave.hpp"
#include "kane/program/merge_chains.hpp"

namespace kane {

namespace {

/// Calls farther ahead than so many are left to a later group, so that the search stays linear.
constexpr std::size_t kGroupLookAhead = 256;

/// Has no instruction on the target.
bool is_call(Code code, const Target& target) {
  switch (code) {
    case Code::Root:
    case Code::Sin:
    case Code::Cos:
    case Code::Tan:
    case Code::Asin:
    case Code::Acos:
    case Code::Atan:
    case Code::Atan2:
    case Code::Sinh:
    case Code::Cosh:
    case Code::Tanh:
    case Code::Exp:
    case Code::Log:
    case Code::Mod:
    case Code::Call: return true;
    case Code::Floor: return target.isa == Isa::Sse2;  // came with SSE4.1
    default: return false;
  }
}

/// The values of a program that matter, and those that one stage leaves to a later one.
struct Needs {
  std::vector<bool> needed;
  std::vector<bool> saved;
};

template <class Visit>
void for_each_operand(const Program& program, const Instruction& i, Visit&& visit) {
  if (i.code == Code::Call) {
    const auto arity = static_cast<std::uint32_t>(program.functions[i.a].arity);
    for (std::uint32_t k = 0; k < arity; ++k) visit(program.call_arguments[i.b + k]);
    return;
  }
  const int operands = info(i.code).operands;
  visit(i.a);
  if (operands > 1) visit(i.b);
  if (operands > 2) visit(i.c);
}

Needs find_needs(const Program& program) {
  Needs needs{std::vector<bool>(program.value_count()), std::vector<bool>(program.value_count())};
  for (const ProgramOutput& output : program.outputs) needs.needed[output.value] = true;
  const ValueId first = program.first_temporary();
  for (std::size_t s = kStageCount; s-- > 0;) {
    const std::uint32_t begin = program.stage_begin(static_cast<Stage>(s));
    for (std::uint32_t i = program.stage_end[s]; i-- > begin;) {
      if (!needs.needed[first + i]) continue;
      for_each_operand(program, program.instructions[i], [&](ValueId v) {
        needs.needed[v] = true;
        if (v >= first && v < first + begin) needs.saved[v] = true;
      });
    }
  }
  return needs;
}

/// The outputs of each value: slots[first[v] .. first[v + 1]).
struct OutputSlots {
  std::vector<std::uint32_t> first;
  std::vector<SlotId> slots;

  OutputSlots(const Program& program, SlotTable& table)
      : first(program.value_count() + 1), slots(program.outputs.size()) {
    for (const ProgramOutput& output : program.outputs) ++first[output.value + 1];
    for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const ProgramOutput& output : program.outputs) slots[next[output.value]++] = table.add(SlotKind::Output);
  }
  [[nodiscard]] std::span<const SlotId> of(ValueId v) const {
    return std::span(slots).subspan(first[v], first[v + 1] - first[v]);
  }
};

class OpSelector {
 public:
  OpSelector(const Program& program, const Target& target)
      : program_(program),
        target_(target),
        needs_(find_needs(program)),
        out_(start(program)),
        next_value_(static_cast<ValueId>(program.value_count())),
        sign_bit_(add_constant(-0.0)),
        magnitude_bits_(add_constant(std::bit_cast<double>(std::uint64_t{0x7fffffffffffffff}))),
        zero_(add_constant(0.0)),
        one_(add_constant(1.0)),
        outputs_(program, out_.slots),
        ready_(program.value_count()),
        masks_(program.value_count(), kNoValue),
        numbered_(program.value_count()) {
    std::fill_n(ready_.begin(), program.first_temporary(), true);
  }

  MicroProgram run() {
    for (std::size_t stage = 0; stage < kStageCount; ++stage) {
      select_stage(static_cast<Stage>(stage));
      out_.stage_end[stage] = static_cast<std::uint32_t>(out_.ops.size());
    }
    out_.value_count = next_value_;
    return std::move(out_);
  }

 private:
  static MicroProgram start(const Program& program) {
    MicroProgram out;
    out.ops.reserve(program.instructions.size() + program.outputs.size());
    out.operands.reserve(3 * program.instructions.size());
    out.constants = program.constants;
    out.homes.assign(program.value_count(), kNoSlot);
    for (ValueId v = 0; v < program.first_temporary(); ++v)
      out.homes[v] = out.slots.add(v < program.first_constant() ? SlotKind::Input : SlotKind::Constant);
    return out;
  }

  ValueId add_constant(double value) {
    out_.constants.push_back(value);
    out_.homes.push_back(out_.slots.add(SlotKind::Constant));
    return next_value_++;
  }

  ValueId emit(MicroCode code, std::initializer_list<ValueId> operands, ValueId result) {
    const auto first = static_cast<std::uint32_t>(out_.operands.size());
    out_.operands.insert(out_.operands.end(), operands);
    out_.ops.push_back({code, first, static_cast<std::uint32_t>(operands.size()), result});
    return result;
  }
  ValueId emit(MicroCode code, std::initializer_list<ValueId> operands) { return emit(code, operands, next_value_++); }

  void select_stage(Stage stage) {
    const std::uint32_t begin = program_.stage_begin(stage), end = program_.stage_end[stage];
    const ValueId first = program_.first_temporary();
    std::fill(masks_.begin(), masks_.end(), kNoValue);
    copy_inputs(stage);
    calls_.clear();
    for (std::uint32_t i = begin; i < end; ++i)
      if (needs_.needed[first + i] && is_call(program_.instructions[i].code, target_)) calls_.push_back(i);
    next_call_ = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (!needs_.needed[first + i] || ready_[first + i]) continue;
      if (is_call(program_.instructions[i].code, target_)) {
        select_group();
      } else {
        select(program_.instructions[i], first + i);
        finish(first + i);
      }
    }
  }

  /// Outputs that are inputs or constants themselves.
  void copy_inputs(Stage stage) {
    const std::uint32_t first = program_.first_input(stage);
    for (ValueId v = first; v < first + program_.input_count[stage]; ++v) store(v);
    if (stage != Stage::Parameters) return;
    for (ValueId v = program_.first_constant(); v < program_.first_temporary(); ++v) store(v);
  }
  void store(ValueId v) {
    for (const SlotId slot : outputs_.of(v)) emit(MicroCode::Store, {v}, slot);
  }

  /// From here on v is known: it goes to its outputs, and to memory if a later stage needs it.
  void finish(ValueId v) {
    ready_[v] = true;
    const std::span<const SlotId> slots = outputs_.of(v);
    if (!slots.empty() || needs_.saved[v]) number(v);
    store(v);
    if (!needs_.saved[v]) return;
    out_.homes[v] = slots.empty() ? out_.slots.add(SlotKind::Saved) : slots.front();
    if (slots.empty()) emit(MicroCode::Store, {v}, out_.homes[v]);
  }

  /// The value as a number: a comparison stays a mask until it is wanted as one.
  ValueId number(ValueId v) {
    if (masks_[v] == kNoValue || numbered_[v]) return v;
    numbered_[v] = true;
    return emit(MicroCode::And, {masks_[v], one_}, v);
  }
  /// The value as a condition.
  ValueId mask(ValueId v) { return masks_[v] != kNoValue ? masks_[v] : emit(MicroCode::NotEqual, {v, zero_}); }

  void select(const Instruction& i, ValueId v) {
    if (i.code == Code::Select) {
      number(i.b);
      number(i.c);
      blend(mask(i.a), i.b, i.c, v);
      return;
    }
    for_each_operand(program_, i, [&](ValueId operand) { number(operand); });
    switch (i.code) {
      case Code::Neg: emit(MicroCode::Xor, {i.a, sign_bit_}, v); break;
      case Code::Add: emit(MicroCode::Add, {i.a, i.b}, v); break;
      case Code::Sub: emit(MicroCode::Sub, {i.a, i.b}, v); break;
      case Code::Mul: emit(MicroCode::Mul, {i.a, i.b}, v); break;
      case Code::Div: emit(MicroCode::Div, {i.a, i.b}, v); break;
      case Code::Sqrt: emit(MicroCode::Sqrt, {i.a}, v); break;
      case Code::Floor: emit(MicroCode::Floor, {i.a}, v); break;
      case Code::Abs: emit(MicroCode::And, {i.a, magnitude_bits_}, v); break;
      case Code::Sign: select_sign(i.a, v); break;
      case Code::Min: select_min_max(MicroCode::Min, i.a, i.b, v); break;
      case Code::Max: select_min_max(MicroCode::Max, i.a, i.b, v); break;
      case Code::Less: masks_[v] = emit(MicroCode::Less, {i.a, i.b}); break;
      case Code::LessEqual: masks_[v] = emit(MicroCode::LessEqual, {i.a, i.b}); break;
      case Code::Equal: masks_[v] = emit(MicroCode::Equal, {i.a, i.b}); break;
      default: select_fused(i, v); break;
    }
  }

  /// mask ? a : b
  void blend(ValueId mask, ValueId a, ValueId b, ValueId v) {
    if (target_.isa != Isa::Sse2) {
      emit(MicroCode::Blend, {mask, a, b}, v);
      return;
    }
    const ValueId chosen = emit(MicroCode::And, {mask, a});
    emit(MicroCode::Or, {chosen, emit(MicroCode::AndNot, {mask, b})}, v);
  }

  /// 1 with the sign of x where |x| > 0, else x (a zero or NaN).
  void select_sign(ValueId x, ValueId v) {
    const ValueId sign = emit(MicroCode::And, {x, sign_bit_});
    const ValueId unit = emit(MicroCode::Or, {sign, one_});
    const ValueId magnitude = emit(MicroCode::And, {x, magnitude_bits_});
    blend(emit(MicroCode::Less, {zero_, magnitude}), unit, x, v);
  }

  /// As calc_min and calc_max: a where a is NaN, which the instructions of x86 lose and those of ARM do not share.
  void select_min_max(MicroCode code, ValueId a, ValueId b, ValueId v) {
    const ValueId a_is_nan = emit(MicroCode::NotEqual, {a, a});
    if (target_.isa != Isa::Neon) {
      blend(a_is_nan, a, emit(code, {a, b}), v);
      return;
    }
    const ValueId before = code == MicroCode::Min ? emit(MicroCode::Less, {a, b}) : emit(MicroCode::Less, {b, a});
    blend(emit(MicroCode::Or, {before, a_is_nan}), a, b, v);
  }

  /// Without fused instructions (SSE2) rounded twice; with NEON vectors -c is formed first.
  void select_fused(const Instruction& i, ValueId v) {
    const ValueId a = i.a, b = i.b, c = i.c;
    if (!target_.fused()) {
      const ValueId product = emit(MicroCode::Mul, {a, b});
      switch (i.code) {
        case Code::Fma: emit(MicroCode::Add, {product, c}, v); break;
        case Code::Fms: emit(MicroCode::Sub, {product, c}, v); break;
        case Code::Fnma: emit(MicroCode::Sub, {c, product}, v); break;
        default: emit(MicroCode::Sub, {emit(MicroCode::Xor, {product, sign_bit_}), c}, v); break;
      }
      return;
    }
    const bool negate_c =
        target_.isa == Isa::Neon && !target_.scalar() && (i.code == Code::Fms || i.code == Code::Fnms);
    if (negate_c) {
      const ValueId minus_c = emit(MicroCode::Xor, {c, sign_bit_});
      emit(i.code == Code::Fms ? MicroCode::Fma : MicroCode::Fnma, {a, b, minus_c}, v);
      return;
    }
    const MicroCode code = i.code == Code::Fma    ? MicroCode::Fma
                           : i.code == Code::Fms  ? MicroCode::Fms
                           : i.code == Code::Fnma ? MicroCode::Fnma
                                                  : MicroCode::Fnms;
    emit(code, {a, b, c}, v);
  }

  void select_group() {
    CallGroup group{};
    group.first_pair = static_cast<std::uint32_t>(out_.pairs.size());
    group.first_call = static_cast<std::uint32_t>(out_.calls.size());
    while (next_call_ < calls_.size() && ready_[program_.first_temporary() + calls_[next_call_]]) ++next_call_;
    members_.clear();
    const std::size_t end = std::min(calls_.size(), next_call_ + kGroupLookAhead);
    for (std::size_t k = next_call_; k < end; ++k)
      if (can_call(calls_[k])) members_.push_back(calls_[k]);
    for (const std::uint32_t i : members_)
      for_each_operand(program_, program_.instructions[i], [&](ValueId v) { number(v); });
    const auto first = static_cast<std::uint32_t>(out_.operands.size());
    for (const std::uint32_t i : members_) {
      add_member(group, i);
      for_each_operand(program_, program_.instructions[i], [&](ValueId v) { out_.operands.push_back(v); });
    }
    group.pair_end = static_cast<std::uint32_t>(out_.pairs.size());
    group.call_end = static_cast<std::uint32_t>(out_.calls.size());
    const auto count = static_cast<std::uint32_t>(out_.operands.size()) - first;
    out_.ops.push_back({MicroCode::CallGroup, first, count, static_cast<std::uint32_t>(out_.groups.size())});
    out_.groups.push_back(group);
    for (const std::uint32_t i : members_) finish(program_.first_temporary() + i);
  }

  [[nodiscard]] bool can_call(std::uint32_t i) const {
    bool possible = !ready_[program_.first_temporary() + i];
    for_each_operand(program_, program_.instructions[i], [&](ValueId v) { possible = possible && ready_[v]; });
    return possible;
  }

  void add_member(const CallGroup& group, std::uint32_t instruction) {
    const Instruction& i = program_.instructions[instruction];
    const ValueId v = program_.first_temporary() + instruction;
    if (i.code == Code::Sin || i.code == Code::Cos) {
      const auto wanted = i.code == Code::Sin ? &SinCosPair::sin : &SinCosPair::cos;
      const auto pair = std::find_if(out_.pairs.begin() + group.first_pair, out_.pairs.end(),
                                     [&](const SinCosPair& p) { return p.angle == i.a && p.*wanted == kNoValue; });
      SinCosPair& found = pair != out_.pairs.end() ? *pair : out_.pairs.emplace_back(SinCosPair{.angle = i.a});
      found.*wanted = v;
      return;
    }
    FunctionCall call{.function = i.code, .result = v};
    if (i.code == Code::Call) {
      call.integer = i.a;
      call.first_argument = static_cast<std::uint32_t>(out_.call_arguments.size());
      for_each_operand(program_, i, [&](ValueId argument) { out_.call_arguments.push_back(argument); });
      call.argument_count = static_cast<std::uint32_t>(out_.call_arguments.size()) - call.first_argument;
    } else {
      call.a = i.a;
      if (i.code == Code::Root) call.integer = i.b;
      if (info(i.code).operands == 2) call.b = i.b;
    }
    out_.calls.push_back(call);
  }

  const Program& program_;
  const Target target_;
  const Needs needs_;
  MicroProgram out_;
  ValueId next_value_;
  const ValueId sign_bit_, magnitude_bits_, zero_, one_;
  const OutputSlots outputs_;
  std::vector<bool> ready_;
  std::vector<ValueId> masks_;        ///< masks of the comparisons of this stage; kNoValue for the rest
  std::vector<bool> numbered_;        ///< the comparison has been made a number as well
  std::vector<std::uint32_t> calls_;  ///< instructions of this stage that are calls
  std::size_t next_call_ = 0;         ///< the first of them not yet made
  std::vector<std::uint32_t> members_;
};

}  // namespace

MicroProgram select_ops(const Program& program, const Target& target) {
  if (target.scalar() || target.isa != Isa::Avx512) return OpSelector(program, target).run();
  Program reordered = program;
  if (!program.strict) {
    fuse_shared_products(reordered);
    remove_dead_code(reordered);
    merge_chains(reordered);
  }
  interleave(reordered);
  return OpSelector(reordered, target).run();
}

}  // namespace kane
