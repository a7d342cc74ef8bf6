#include "kane/program/program_text.hpp"

#include <fmt/format.h>

#include <iterator>

#include "kane/base/at.hpp"
#include "kane/program/code.hpp"

namespace kane {

namespace {

constexpr std::string_view kStageNames[] = {"parameters", "inputs", "state"};

std::string value_text(const Program& p, ValueId id) {
  if (id < p.first_constant()) return p.inputs[id].name;
  if (id < p.first_temporary()) return fmt::format("{}", p.constants[id - p.first_constant()]);
  return fmt::format("v{}", id - p.first_temporary());
}

std::string instruction_text(const Program& p, const Instruction& i) {
  if (i.code == Code::Call) {
    std::string text = fmt::format("call {}", p.functions[i.a].name);
    for (int k = 0; k < p.functions[i.a].arity; ++k)
      text +=
          fmt::format("{} {}", k == 0 ? "" : ",", value_text(p, p.call_arguments[i.b + static_cast<std::uint32_t>(k)]));
    return text;
  }
  const ValueId operands[] = {i.a, i.b, i.c};
  std::string text{info(i.code).name};
  for (int k = 0; k < info(i.code).operands; ++k)
    text += fmt::format("{} {}", k == 0 ? "" : ",", value_text(p, operands[k]));
  if (i.code == Code::Root) text += fmt::format(", {}", i.b);
  return text;
}

}  // namespace

std::string to_text(const Program& p) {
  std::string text = fmt::format("program {}{}\n", p.name, p.strict ? " (strict)" : "");
  const auto out = std::back_inserter(text);
  for (const Stage stage : kStages) {
    fmt::format_to(out, "{}:", kStageNames[at(stage)]);
    for (std::uint32_t i = 0; i < p.input_count[stage]; ++i)
      fmt::format_to(out, " {}", p.inputs[p.first_input(stage) + i].name);
    text += '\n';
    for (std::uint32_t i = p.stage_begin(stage); i < p.stage_end[stage]; ++i)
      fmt::format_to(out, "  v{} = {}\n", i, instruction_text(p, p.instructions[i]));
  }
  for (const ProgramOutput& o : p.outputs) fmt::format_to(out, "{} = {}\n", o.name, value_text(p, o.value));
  return text;
}

}  // namespace kane
