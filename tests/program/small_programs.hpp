#pragma once
// Programs for tests: from texts, and by hand.

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/lower.hpp"

namespace kane::test {

/// Outputs y0, y1, ... of the texts. Parameters a to d and m, inputs t and f, state x, y, z, w.
inline Program lower_texts(std::initializer_list<std::string_view> texts, const LowerOptions& options = {},
                           LowerReport* report = nullptr) {
  Graph graph;
  std::vector<NamedExpr> outputs;
  for (const std::string_view text : texts)
    outputs.push_back({"y" + std::to_string(outputs.size()), parse(graph, text)});
  const ProgramInputs inputs{{"a", "b", "c", "d", "m"}, {"t", "f"}, {"x", "y", "z", "w"}};
  return lower("test", outputs, inputs, options, report);
}

inline OperationCount state_operations(const Program& p) { return p.operations(Stage::State); }

inline int count_code(const Program& p, Code code) {
  int n = 0;
  for (const Instruction& i : p.instructions) n += i.code == code ? 1 : 0;
  return n;
}

/// Only the passes named; contraction off.
inline LowerOptions only(PassChoice choice) {
  LowerOptions options;
  options.passes = choice;
  return options;
}
inline constexpr PassChoice kNoPasses{.trigonometry = false,
                                      .flatten = false,
                                      .hoist = false,
                                      .factor = false,
                                      .reciprocals = false,
                                      .powers = false,
                                      .contract = false,
                                      .schedule = false};

/// All inputs are of the state; one output.
inline Program hand_made(std::size_t inputs, std::vector<double> constants, std::vector<Instruction> instructions) {
  Program p;
  p.name = "by hand";
  for (std::size_t i = 0; i < inputs; ++i) p.inputs.push_back({"x" + std::to_string(i), Stage::State});
  p.input_count = {0, 0, static_cast<std::uint32_t>(inputs)};
  p.constants = std::move(constants);
  p.instructions = std::move(instructions);
  p.stage_end = {0, 0, static_cast<std::uint32_t>(p.instructions.size())};
  p.outputs.push_back({"y", static_cast<ValueId>(p.value_count() - 1)});
  return p;
}

inline double run_state(const Program& p, std::vector<double> state) {
  Interpreter interpreter(std::make_shared<Program>(p));
  std::vector<double> outputs(p.outputs.size());
  interpreter.evaluate(state, outputs);
  return outputs[0];
}

}  // namespace kane::test
