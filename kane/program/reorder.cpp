#include "kane/program/reorder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kane {

namespace {

constexpr ValueId kGone = 0xffffffffU;

/// Constants that are still used, in the order of first use; `number` gets their new numbers.
std::vector<double> keep_constants(const Program& p, std::span<const std::uint32_t> order,
                                   std::vector<ValueId>& number) {
  if (order.size() == p.instructions.size()) {  // nothing goes
    for (ValueId id = p.first_constant(); id < p.first_temporary(); ++id) number[id] = id;
    return p.constants;
  }
  std::vector<double> kept;
  const auto keep = [&](ValueId id) {
    if (id < p.first_constant() || id >= p.first_temporary() || number[id] != kGone) return;
    number[id] = p.first_constant() + static_cast<ValueId>(kept.size());
    kept.push_back(p.constants[id - p.first_constant()]);
  };
  for (const std::uint32_t i : order) visit_values(p, p.instructions[i], keep);
  for (const ProgramOutput& o : p.outputs) keep(o.value);
  return kept;
}

}  // namespace

void reorder(Program& p, std::span<const std::uint32_t> order) {
  std::vector<ValueId> number(p.value_count(), kGone);
  for (ValueId id = 0; id < p.first_constant(); ++id) number[id] = id;
  std::vector<double> constants = keep_constants(p, order, number);

  std::vector<Instruction> instructions;
  std::vector<ValueId> call_arguments;
  instructions.reserve(order.size());
  PerStage<std::uint32_t> stage_end{};
  const auto base = static_cast<ValueId>(p.inputs.size() + constants.size());
  for (const std::uint32_t old : order) {
    Instruction i = p.instructions[old];
    if (i.code == Code::Call) {
      const auto first = static_cast<ValueId>(call_arguments.size());
      visit_values(p, i, [&](ValueId id) { call_arguments.push_back(number[id]); });
      i.b = first;
    } else {
      visit_operands(i, [&](ValueId& id) { id = number[id]; });
    }
    number[p.first_temporary() + old] = base + static_cast<ValueId>(instructions.size());
    instructions.push_back(i);
  }
  for (std::size_t s = 0; s < kStageCount; ++s)
    stage_end[s] = static_cast<std::uint32_t>(
        std::partition_point(order.begin(), order.end(), [&](std::uint32_t old) { return old < p.stage_end[s]; }) -
        order.begin());
  for (ProgramOutput& o : p.outputs) o.value = number[o.value];
  p.constants = std::move(constants);
  p.instructions = std::move(instructions);
  p.call_arguments = std::move(call_arguments);
  p.stage_end = stage_end;
}

}  // namespace kane
