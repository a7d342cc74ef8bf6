#include "kane/program/stage_graph.hpp"

#include "kane/program/reorder.hpp"

namespace kane {

StageGraph::StageGraph(const Program& program, Stage stage) : begin_(program.stage_begin(stage)) {
  const std::uint32_t count = program.stage_end[stage] - begin_;
  const ValueId first = program.first_temporary() + begin_;
  codes_.resize(count);
  first_operand_.resize(count + 1);
  operands_.reserve(3 * std::size_t{count});
  first_user_.assign(count + 2, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Instruction& instruction = program.instructions[begin_ + i];
    codes_[i] = instruction.code;
    visit_values(program, instruction, [&](ValueId id) {
      if (id < first || id - first >= count) return;
      operands_.push_back(id - first);
      ++first_user_[id - first + 2];
    });
    first_operand_[i + 1] = static_cast<std::uint32_t>(operands_.size());
  }
  // The users of value v then end at first_user_[v + 2] and begin at first_user_[v + 1], which moves to their end as
  // they are added.
  for (std::uint32_t i = 0; i < count; ++i) first_user_[i + 2] += first_user_[i + 1];
  users_.resize(operands_.size());
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t operand : operands(i)) users_[first_user_[operand + 1]++] = i;
}

}  // namespace kane
