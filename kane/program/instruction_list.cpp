#include "kane/program/instruction_list.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kane/program/code.hpp"

namespace kane {

InstructionList::InstructionList(const Draft& draft)
    : draft_(draft), input_count_(draft.input_count()), one_(draft.constant_count()) {
  for (std::uint32_t i = 0; i < draft.constant_count(); ++i)
    if (draft.constants()[i] == 1) one_ = i;
  table_.assign(std::bit_ceil(4 * draft.size() + 64), 0);
  const std::size_t about = draft.size() + draft.size() / 2;
  instructions_.reserve(about);
  stages_.reserve(about);
  depths_.reserve(about);
}

std::uint64_t InstructionList::hash_of(const Instruction& i) {
  std::uint64_t hash = (static_cast<std::uint64_t>(i.code) << 32U | i.a) * 0x9e3779b97f4a7c15U;
  hash = ((hash ^ (hash >> 29U)) + (std::uint64_t{i.b} << 32U | i.c)) * 0xbf58476d1ce4e5b9U;
  return hash ^ (hash >> 32U);
}

void InstructionList::grow_table() {
  table_.assign(2 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t i = 0; i < instructions_.size(); ++i) {
    std::size_t slot = hash_of(instructions_[i]) & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = i + 1;
  }
}

ValueId InstructionList::insert(const Instruction& instruction, Stage stage, int depth) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash_of(instruction) & mask;
  for (; table_[slot] != 0; slot = (slot + 1) & mask) {
    const Instruction& known = instructions_[table_[slot] - 1];
    if (known.code == instruction.code && known.a == instruction.a && known.b == instruction.b &&
        known.c == instruction.c)
      return input_count_ + table_[slot] - 1;
  }
  instructions_.push_back(instruction);
  stages_.push_back(stage);
  depths_.push_back(depth);
  table_[slot] = static_cast<std::uint32_t>(instructions_.size());
  if (2 * instructions_.size() > table_.size()) grow_table();
  return input_count_ + static_cast<ValueId>(instructions_.size()) - 1;
}

void InstructionList::add_operand(ValueId id, Stage& stage_so_far, int& depth_so_far) const {
  const Stage s = stage(id);
  if (s > stage_so_far) {
    stage_so_far = s;
    depth_so_far = depth(id);
  } else if (s == stage_so_far) {
    depth_so_far = std::max(depth_so_far, depth(id));
  }
}

ValueId InstructionList::emit(Code code, ValueId a, ValueId b, ValueId c) {
  const CodeInfo& row = info(code);
  if (row.commutes && a > b) std::swap(a, b);
  Stage stage = Stage::Parameters;
  int depth = 0;
  const ValueId operands[] = {a, b, c};
  for (int i = 0; i < row.operands; ++i) add_operand(operands[i], stage, depth);
  return insert({code, a, b, c}, stage, depth + row.latency);
}

ValueId InstructionList::emit_root(ValueId a, std::uint32_t index) {
  Stage stage = Stage::Parameters;
  int depth = 0;
  add_operand(a, stage, depth);
  return insert({Code::Root, a, index, 0}, stage, depth + info(Code::Root).latency);
}

ValueId InstructionList::emit_call(std::uint32_t function, std::span<const ValueId> arguments) {
  Stage stage = Stage::Parameters;
  int depth = 0;
  for (const ValueId id : arguments) add_operand(id, stage, depth);
  const auto first = static_cast<std::uint32_t>(call_arguments_.size());
  call_arguments_.insert(call_arguments_.end(), arguments.begin(), arguments.end());
  return insert({Code::Call, function, first, 0}, stage, depth + info(Code::Call).latency);
}

ValueId InstructionList::materialise(Ref r) {
  if (!r.negative()) return r.value();
  if ((r.value() & kConstant) != 0) return r.value() ^ 1U;
  return emit(Code::Neg, r.value());
}

Program InstructionList::finish(std::string name, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs, std::span<const ValueId> values) {
  Program p;
  p.name = std::move(name);
  for (ValueId i = 0; i < input_count_; ++i) {
    p.inputs.push_back({inputs[i], draft_.stage(i)});
    ++p.input_count[draft_.stage(i)];
  }
  p.functions = draft_.functions;

  // Constants in the order of their first use.
  std::vector<ValueId> constant_number(2 * (std::size_t{draft_.constant_count()} + 1), kConstant);
  const auto note = [&](ValueId id) {
    if ((id & kConstant) == 0) return;
    ValueId& number = constant_number[id ^ kConstant];
    if (number != kConstant) return;
    number = p.first_constant() + static_cast<ValueId>(p.constants.size());
    const std::uint32_t index = (id ^ kConstant) >> 1U;
    const double value = index < draft_.constant_count() ? draft_.constants()[index] : 1.0;
    p.constants.push_back((id & 1U) != 0 ? -value : value);
  };
  const auto each_operand = [](Instruction& i, auto&& visit) {
    ValueId* const operands[] = {&i.a, &i.b, &i.c};
    for (int k = 0; k < info(i.code).operands; ++k) visit(*operands[k]);
  };
  for (Instruction& i : instructions_) each_operand(i, note);
  for (const ValueId id : call_arguments_) note(id);
  for (const ValueId id : values) note(id);

  // Instructions by stage, otherwise in order.
  PerStage<std::uint32_t> next{};
  for (const Stage s : stages_) ++p.stage_end[s];
  for (std::size_t s = 1; s < kStageCount; ++s) {
    next[s] = p.stage_end[s - 1];
    p.stage_end[s] += p.stage_end[s - 1];
  }
  const ValueId base = p.first_temporary();
  std::vector<ValueId> number(instructions_.size());
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = base + next[stages_[i]]++;
  const auto renumber = [&](ValueId& id) {
    if ((id & kConstant) != 0) {
      id = constant_number[id ^ kConstant];
    } else if (id >= input_count_) {
      id = number[id - input_count_];
    }
  };
  p.instructions.resize(instructions_.size());
  for (std::size_t i = 0; i < number.size(); ++i) {
    each_operand(instructions_[i], renumber);
    p.instructions[number[i] - base] = instructions_[i];
  }
  p.call_arguments = std::move(call_arguments_);
  for (ValueId& id : p.call_arguments) renumber(id);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ValueId id = values[i];
    renumber(id);
    p.outputs.push_back({outputs[i], id});
  }
  return p;
}

}  // namespace kane
