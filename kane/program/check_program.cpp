#include "kane/program/check_program.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/program/code.hpp"

namespace kane {

namespace {

constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 30;
constexpr int kMaxArity = 1 << 16;

void check_inputs(const Program& p) {
  std::uint64_t total = 0;
  std::size_t next = 0;
  for (const Stage stage : kStages) {
    const std::uint32_t count = p.input_count[stage];
    total += count;
    require(total <= p.inputs.size(), "program '{}': the stages have more inputs than there are", p.name);
    for (std::uint32_t i = 0; i < count; ++i, ++next)
      require(p.inputs[next].stage == stage, "program '{}': input '{}' is not listed with its stage", p.name,
              p.inputs[next].name);
  }
  require(total == p.inputs.size(), "program '{}': {} of its {} inputs belong to no stage", p.name,
          p.inputs.size() - total, p.inputs.size());
}

void check_names(const Program& p) {
  std::vector<std::string_view> names;
  const auto check_unique = [&](std::string_view what) {
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    require(twice == names.end(), "program '{}' has two {} named '{}'", p.name, what,
            twice == names.end() ? std::string_view() : *twice);
    names.clear();
  };
  for (const ProgramInput& i : p.inputs) names.push_back(i.name);
  check_unique("inputs");
  for (const ProgramOutput& o : p.outputs) names.push_back(o.name);
  check_unique("outputs");
  for (const ProgramFunction& f : p.functions) {
    require(f.arity >= 0 && f.arity <= kMaxArity, "program '{}': function '{}' cannot have {} arguments", p.name,
            f.name, f.arity);
    names.push_back(f.name);
  }
  check_unique("functions");
}

/// Stages by value number, checked on the way.
class InstructionCheck {
 public:
  explicit InstructionCheck(const Program& p) : p_(p), stage_(p.value_count(), 0) {
    for (std::size_t i = 0; i < p.inputs.size(); ++i) stage_[i] = static_cast<std::uint8_t>(p.inputs[i].stage);
  }

  void run() {
    std::uint32_t index = 0;
    for (const Stage stage : kStages)
      for (; index < p_.stage_end[stage]; ++index) check(index, static_cast<std::uint8_t>(stage));
  }

 private:
  void check(std::uint32_t index, std::uint8_t stage) {
    const Instruction& i = p_.instructions[index];
    require(at(i.code) < kCodeCount, "program '{}': instruction {} has the unknown opcode {}", p_.name, index,
            static_cast<int>(i.code));
    require(!p_.strict || !is_fused(i.code), "program '{}' is strict, but instruction {} is a fused multiply-add",
            p_.name, index);
    const ValueId own = p_.first_temporary() + index;
    stage_[own] = stage;
    if (i.code == Code::Call) {
      check_call(i, index, own);
      return;
    }
    const ValueId operands[] = {i.a, i.b, i.c};
    const int count = info(i.code).operands;
    for (int k = 0; k < count; ++k) check_operand(operands[k], index, own);
    if (i.code == Code::Root)
      require(i.b >= 3 && i.b <= std::numeric_limits<std::int32_t>::max(),
              "program '{}': instruction {} takes a root of index {}", p_.name, index, i.b);
    for (int k = i.code == Code::Root ? 2 : count; k < 3; ++k)
      require(operands[k] == 0, "program '{}': instruction {} has an operand too many", p_.name, index);
  }

  void check_call(const Instruction& i, std::uint32_t index, ValueId own) {
    require(i.a < p_.functions.size(), "program '{}': instruction {} calls an unknown function", p_.name, index);
    const auto arity = static_cast<std::uint64_t>(p_.functions[i.a].arity);
    require(i.c == 0 && i.b + arity <= p_.call_arguments.size(),
            "program '{}': the call of '{}' by instruction {} has no list of arguments", p_.name,
            p_.functions[i.a].name, index);
    for (std::uint64_t k = 0; k < arity; ++k) check_operand(p_.call_arguments[i.b + k], index, own);
  }

  void check_operand(ValueId operand, std::uint32_t index, ValueId own) {
    require(operand < own, "program '{}': instruction {} uses value {} before it is computed", p_.name, index, operand);
    require(stage_[operand] <= stage_[own],
            "program '{}': instruction {} of stage {} uses value {}, which belongs to stage {}", p_.name, index,
            static_cast<int>(stage_[own]), operand, static_cast<int>(stage_[operand]));
  }

  const Program& p_;
  std::vector<std::uint8_t> stage_;
};

}  // namespace

void check_program(const Program& p) {
  const std::uint64_t values = std::uint64_t{p.inputs.size()} + p.constants.size() + p.instructions.size();
  require(values < kMaxValues, "program '{}' has {} values, more than the limit of {}", p.name, values, kMaxValues);
  check_inputs(p);
  check_names(p);
  require(
      p.stage_end[0] <= p.stage_end[1] && p.stage_end[1] <= p.stage_end[2] && p.stage_end[2] == p.instructions.size(),
      "program '{}': the stages end at {}, {}, {}, but there are {} instructions", p.name, p.stage_end[0],
      p.stage_end[1], p.stage_end[2], p.instructions.size());
  InstructionCheck(p).run();
  for (const ProgramOutput& o : p.outputs)
    require(o.value < values, "program '{}': output '{}' is value {}, but there are only {}", p.name, o.name, o.value,
            values);
}

}  // namespace kane
