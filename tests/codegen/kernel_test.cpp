// Kernels of every instruction set against the interpreter, to the last bit.

#include "kane/codegen/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "kane/program/code.hpp"
#include "kane/program/contract.hpp"
#include "kane/program/dead_code.hpp"
#include "kane/program/merge_chains.hpp"
#include "tests/codegen/kernel_check.hpp"

namespace kane {
namespace {

using test::all_ways;
using test::any_doubles;
using test::expect_same_as_interpreter;
using test::moderate_doubles;
using test::random_program;
using test::Way;

/// Every opcode but Call, many times with random operands, each an output. Operands are inputs, so that memory operands
/// occur, or earlier results, so that registers do.
std::shared_ptr<const Program> all_opcodes(std::mt19937_64& random, bool strict) {
  Program p;
  p.name = "all opcodes";
  p.strict = strict;
  for (int k = 0; k < 9; ++k) p.inputs.push_back({"x" + std::to_string(k), Stage::State});
  p.input_count = {0, 0, 9};
  p.constants = {-0.0, 2.5};
  for (int round = 0; round < 12; ++round) {
    for (const CodeInfo& code : kCodes) {
      if (code.code == Code::Call || (strict && is_fused(code.code))) continue;
      const auto any = [&] {
        return static_cast<ValueId>(random() % (round % 2 == 0 ? p.first_temporary() : p.value_count()));
      };
      Instruction i{code.code, any(), 0, 0};
      if (code.operands > 1) i.b = any();
      if (code.operands > 2) i.c = any();
      if (code.code == Code::Root) i.b = 3 + static_cast<ValueId>(round % 4);
      p.outputs.push_back({"y" + std::to_string(p.outputs.size()), static_cast<ValueId>(p.value_count())});
      p.instructions.push_back(i);
    }
  }
  p.stage_end = {0, 0, static_cast<std::uint32_t>(p.instructions.size())};
  return std::make_shared<const Program>(std::move(p));
}

TEST(Kernel, EveryOpcodeHasTheBitsOfTheInterpreter) {
  std::mt19937_64 random(1);
  for (const Way& way : all_ways()) {
    for (int round = 0; round < 60; ++round) {
      expect_same_as_interpreter(all_opcodes(random, true), way, random,
                                 round % 3 == 0 ? moderate_doubles : any_doubles);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernel, StrictProgramsOfAllSizesHaveTheBitsOfTheInterpreter) {
  std::mt19937_64 random(2);
  for (const Way& way : all_ways()) {
    for (int round = 0; round < 300; ++round) {
      const int size = round < 40 ? round + 1 : 1 + static_cast<int>(random() % 400);
      const auto program = random_program(random, {.instructions = size, .outputs = 30});
      expect_same_as_interpreter(program, way, random, round % 2 == 0 ? any_doubles : moderate_doubles);
      if (HasFatalFailure()) return;
    }
  }
}

/// Far more live values than registers, and workspaces beyond every short displacement.
TEST(Kernel, LongProgramsUnderRegisterPressure) {
  std::mt19937_64 random(3);
  for (const Way& way : all_ways()) {
    for (const int size : {3000, 8000, 20000}) {
      for (const bool arithmetic_only : {true, false}) {
        const auto program = random_program(random, {.instructions = size,
                                                     .inputs = 60,
                                                     .outputs = 200,
                                                     .locality = size / 4,
                                                     .arithmetic_only = arithmetic_only});
        expect_same_as_interpreter(program, way, random, moderate_doubles);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// With everything fused that a SIMD kernel for AVX-512 would fuse.
std::shared_ptr<const Program> fuse_all(Program program) {
  const auto additions = [&] {
    return std::count_if(program.instructions.begin(), program.instructions.end(),
                         [](const Instruction& i) { return i.code == Code::Add || i.code == Code::Sub; });
  };
  for (std::ptrdiff_t before = -1; before != additions();) {
    before = additions();
    fuse_shared_products(program);
    remove_dead_code(program);
    merge_chains(program);
  }
  return std::make_shared<const Program>(std::move(program));
}

/// With fused operations but without sines, only SSE2 differs from the interpreter (it rounds twice).
TEST(Kernel, FusedOperationsHaveTheBitsOfTheInterpreterWhereTheMachineHasThem) {
  std::mt19937_64 random(4);
  for (const Way& way : all_ways()) {
    if (way.isa == Isa::Sse2) continue;
    for (int round = 0; round < 200; ++round) {
      const int size = 1 + static_cast<int>(random() % 600);
      auto program = random_program(
          random, {.instructions = size, .outputs = 30, .locality = 60, .strict = false, .arithmetic_only = true});
      if (way.isa == Isa::Avx512 && way.lanes > 1) program = fuse_all(*program);
      expect_same_as_interpreter(program, way, random, round % 2 == 0 ? any_doubles : moderate_doubles);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Kernel, Sse2RoundsFusedOperationsTwice) {
  std::mt19937_64 random(5);
  if (!is_available(Isa::Sse2)) GTEST_SKIP() << "not an x86-64 processor";
  for (const Code code : {Code::Fma, Code::Fms, Code::Fnma, Code::Fnms}) {
    Program p;
    p.name = "fused";
    for (const char* name : {"a", "b", "c"}) p.inputs.push_back({name, Stage::State});
    p.input_count = {0, 0, 3};
    p.instructions = {{code, 0, 1, 2}};
    p.stage_end = {0, 0, 1};
    p.outputs = {{"y", 3}};
    const Kernel kernel = compile_kernel(p, {.isa = Isa::Sse2});
    Workspace workspace(kernel);
    for (int round = 0; round < 100; ++round) {
      const std::vector<double> x = moderate_doubles(random, 3);
      volatile double product = x[0] * x[1];
      const double expected = code == Code::Fma    ? product + x[2]
                              : code == Code::Fms  ? product - x[2]
                              : code == Code::Fnma ? x[2] - product
                                                   : -product - x[2];
      double y = 0;
      kernel.evaluate(x, {&y, 1}, workspace);
      EXPECT_EQ(y, expected);
    }
  }
}

/// Outputs that are inputs, constants, values of earlier stages, or one value several times.
TEST(Kernel, OutputsOfAllKinds) {
  Program p;
  p.name = "outputs";
  p.strict = true;
  p.inputs = {{"p", Stage::Parameters}, {"u", Stage::Inputs}, {"x", Stage::State}};
  p.input_count = {1, 1, 1};
  p.constants = {3.5};
  p.instructions = {{Code::Sin, 0, 0, 0}, {Code::Less, 1, 4, 0}, {Code::Add, 5, 2, 0}, {Code::Select, 5, 2, 3}};
  p.stage_end = {1, 2, 4};
  int n = 0;
  for (const ValueId v : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 6U, 4U, 0U})
    p.outputs.push_back({"y" + std::to_string(n++), v});
  const auto program = std::make_shared<const Program>(p);
  std::mt19937_64 random(6);
  for (const Way& way : all_ways()) expect_same_as_interpreter(program, way, random, moderate_doubles);
}

TEST(Kernel, EmptyProgram) {
  const Kernel kernel = compile_kernel(test::empty_program());
  Workspace workspace(kernel);
  kernel.evaluate({}, {}, workspace);
  EXPECT_TRUE(workspace.outputs().empty());
}

TEST(Kernel, StagesRunWhenTheyMust) {
  Program p;
  p.name = "stages";
  p.inputs = {{"p", Stage::Parameters}, {"u", Stage::Inputs}, {"x", Stage::State}};
  p.input_count = {1, 1, 1};
  p.instructions = {{Code::Mul, 0, 0, 0}, {Code::Add, 3, 1, 0}, {Code::Add, 4, 2, 0}};
  p.stage_end = {1, 2, 3};
  p.outputs = {{"y", 5}};
  for (const bool interpreted : {false, true}) {
    const Kernel kernel = compile_kernel(p, {.use_interpreter = interpreted});
    Workspace workspace(kernel);
    double y = -1;
    kernel.evaluate(std::vector{5.0}, {&y, 1}, workspace);
    EXPECT_EQ(y, 5.0);
    kernel.set_parameters(std::vector{3.0}, workspace);
    kernel.evaluate(std::vector{5.0}, {&y, 1}, workspace);
    EXPECT_EQ(y, 14.0);
    kernel.set_inputs(std::vector{100.0}, workspace);
    kernel.evaluate(std::vector{5.0}, {&y, 1}, workspace);
    EXPECT_EQ(y, 114.0);
    workspace.state()[0] = 6.0;
    kernel.run_state(workspace);
    EXPECT_EQ(workspace.outputs()[0], 115.0);
    workspace.parameters()[0] = 2.0;
    kernel.run_parameters(workspace);
    kernel.run_state(workspace);
    EXPECT_EQ(workspace.outputs()[0], 110.0);
  }
}

TEST(Kernel, IsSharedByThreads) {
  std::mt19937_64 random(7);
  const auto program = random_program(random, {.instructions = 500, .outputs = 20});
  const auto functions = test::random_program_functions();
  const Kernel kernel = compile_kernel(program, {.functions = functions});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 own(static_cast<std::uint64_t>(100 + t));
      Workspace workspace(kernel);
      Interpreter interpreter(program, bind_functions(*program, functions));
      std::vector<double> got(20), expected(20);
      for (int round = 0; round < 200; ++round) {
        const std::vector<double> state = moderate_doubles(own, 5);
        kernel.evaluate(state, got, workspace);
        interpreter.evaluate(state, expected);
        for (std::size_t i = 0; i < got.size(); ++i) wrong += test::same(got[i], expected[i]) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kane
