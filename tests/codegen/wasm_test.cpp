// WebAssembly modules written from programs, run by Node, against the interpreter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "kane/base/error.hpp"
#include "kane/codegen/emit/emit_wasm.hpp"
#include "kane/program/interpreter.hpp"
#include "tests/codegen/emit_runner.hpp"
#include "tests/codegen/random_program.hpp"

namespace kane {
namespace {

std::string list_of(std::span<const double> values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{}", text.empty() ? "" : ",", v);
  return "[" + text + "]";
}

/// Outputs of the module at each state.
std::vector<std::vector<double>> run_wasm(const Program& program, std::uint32_t part_length,
                                          const std::vector<double>& p, const std::vector<double>& u,
                                          const std::vector<std::vector<double>>& states) {
  const test::ScratchFolder folder("wasm");
  const WasmModule module = emit_wasm(program, part_length);
  std::ofstream(folder.path() / "a.wasm", std::ios::binary)
      .write(reinterpret_cast<const char*>(module.bytes.data()), static_cast<std::streamsize>(module.bytes.size()));
  std::string x;
  for (const auto& state : states) x += list_of(state) + ",";
  folder.write("run.mjs", fmt::format(R"(import {{ readFileSync }} from "fs";
const {{ instance }} = await WebAssembly.instantiate(readFileSync("a.wasm"), {{ m: {} }});
const e = instance.exports, memory = new Float64Array(e.memory.buffer), p = {}, u = {};
memory.set(p, 0); e.p();
memory.set(u, p.length); e.u();
console.log("y");
for (const x of [{}]) {{
  memory.set(x, p.length + u.length); e.x();
  console.log([...memory.subarray({}, {})].join(","));
}}
)",
                                      wasm_imports_javascript(), list_of(p), list_of(u), x, module.first_output,
                                      module.first_output + program.outputs.size()));
  return test::run_for_table(folder.path(), "node run.mjs").rows;
}

/// Rounding of functions differs between Node and C; chains of them make it grow.
bool close(double a, double b) {
  return test::same(a, b) || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

TEST(Wasm, AgreesWithTheInterpreter) {
  std::mt19937_64 random(20261118);
  for (const bool arithmetic : {false, true})
    for (const std::uint32_t part_length : {7U, 40U, 2000U}) {
      Program made = *test::random_program(random, {.instructions = arithmetic ? 400 : 150,
                                                    .strict = !arithmetic,
                                                    .arithmetic_only = arithmetic,
                                                    .calls_external = false});
      made.functions.clear();  // none is called
      const auto program = std::make_shared<const Program>(made);
      Interpreter interpreter(program);
      const auto p = test::moderate_doubles(random, program->input_count[0]),
                 u = test::moderate_doubles(random, program->input_count[1]);
      std::vector<std::vector<double>> states;
      for (int i = 0; i < 20; ++i) states.push_back(test::moderate_doubles(random, program->input_count[2]));
      const auto got = run_wasm(*program, part_length, p, u, states);
      ASSERT_EQ(got.size(), states.size());
      interpreter.set_parameters(p), interpreter.set_inputs(u);
      std::vector<double> expected(program->outputs.size());
      for (std::size_t i = 0; i < states.size(); ++i) {
        interpreter.evaluate(states[i], expected);
        ASSERT_EQ(got[i].size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
          EXPECT_TRUE(close(got[i][k], expected[k])) << got[i][k] << " and " << expected[k] << ", output " << k;
      }
    }
}

/// One program with every opcode on awkward numbers: zeros of both signs, infinities, NaN.
TEST(Wasm, EveryOpcodeHasItsMeaning) {
  Program program;
  program.name = "all";
  program.inputs = {{"a", Stage::State}, {"b", Stage::State}, {"c", Stage::State}};
  program.input_count = {{0, 0, 3}};
  for (std::size_t i = 0; i < kCodeCount; ++i) {
    const auto code = static_cast<Code>(i);
    if (code == Code::Call) continue;
    const int operands = info(code).operands;
    program.instructions.push_back({code, 0, code == Code::Root ? 3U : operands > 1 ? 1U : 0U, operands > 2 ? 2U : 0U});
    program.outputs.push_back(
        {std::string(info(code).name), static_cast<ValueId>(3 + program.instructions.size() - 1)});
  }
  const auto count = static_cast<std::uint32_t>(program.instructions.size());
  program.stage_end = {{0, 0, count}};
  const std::vector<std::vector<double>> states{{1.5, -0.5, 2}, {-2.25, 4, 0.125}, {0, -0.0, 1},
                                                {-0.0, 0, -3},  {3, 3, 3},         {0.5, 0.25, 0},
                                                {7, -3, 1},     {-7, 3, 1},        {1e-3, 1e3, 1e6}};
  const auto got = run_wasm(program, 2000, {}, {}, states);
  ASSERT_EQ(got.size(), states.size());
  Interpreter interpreter(std::make_shared<const Program>(program));
  std::vector<double> expected(count);
  for (std::size_t i = 0; i < states.size(); ++i) {
    interpreter.evaluate(states[i], expected);
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_TRUE(got[i][k] == expected[k] || (std::isnan(expected[k]) && std::isnan(got[i][k])) ||
                  std::abs(got[i][k] - expected[k]) <= 1e-14 * std::max(1.0, std::abs(expected[k])))
          << program.outputs[k].name << " of " << list_of(states[i]) << ": " << got[i][k] << ", not " << expected[k];
  }
}

TEST(Wasm, CallsOfTheUserAreRefused) {
  Program program;
  program.name = "calls";
  program.inputs = {{"a", Stage::State}};
  program.input_count = {{0, 0, 1}};
  program.functions = {{"drag", 1}};
  program.call_arguments = {0};
  program.instructions = {{Code::Call, 0, 0, 0}};
  program.stage_end = {{0, 0, 1}};
  program.outputs = {{"y", 1}};
  try {
    (void)emit_wasm(program);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("'drag'"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace kane
