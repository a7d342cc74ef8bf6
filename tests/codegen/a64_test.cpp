// AArch64 code: every instruction decodes, operations become the right ones, and kernels give the right numbers when
// run by qemu.

#include <gtest/gtest.h>

#include <algorithm>

#include "a64_machine.hpp"
#include "kane/codegen/jit/generate_code.hpp"
#include "kane/program/code.hpp"
#include "kane/program/meaning.hpp"
#include "random_program.hpp"

namespace kane {
namespace {

using test::A64Machine;

/// y = code(x0, x1, x2) with x in the state.
Program single(Code code) {
  Program p;
  p.name = "single";
  for (const char* name : {"x0", "x1", "x2"}) p.inputs.push_back({name, Stage::State});
  p.input_count = {0, 0, 3};
  Instruction i{code, 0, 0, 0};
  if (code == Code::Root) i.b = 4;
  if (info(code).operands >= 2) i.b = 1;
  if (info(code).operands == 3) i.c = 2;
  p.instructions = {i};
  p.stage_end = {0, 0, 1};
  p.outputs = {{"y", 3}};
  return p;
}

GeneratedCode generate(const Program& program, int lanes) {
  return generate_code(program, make_target(program, Isa::Neon, lanes), A64Machine::runtime(program));
}

/// The lines between the loads and the store of a single operation.
std::vector<std::string> arithmetic(A64Machine& machine, Code code, int lanes) {
  std::vector<std::string> picked;
  for (const std::string& line : machine.disassemble(generate(single(code), lanes)))
    if (!line.starts_with("ldr") && !line.starts_with("str") && !line.starts_with("ret")) picked.push_back(line);
  return picked;
}

class A64Test : public testing::Test {
 protected:
  void SetUp() override {
    if (!A64Machine::is_there()) GTEST_SKIP() << "qemu-user and binutils-aarch64-linux-gnu are not installed";
  }
};

TEST_F(A64Test, OperationsBecomeTheRightInstructions) {
  A64Machine machine;
  using Lines = std::vector<std::string>;
  EXPECT_EQ(arithmetic(machine, Code::Add, 1), Lines{"fadd\td0, d0, d1"});
  EXPECT_EQ(arithmetic(machine, Code::Sub, 1), Lines{"fsub\td0, d0, d1"});
  EXPECT_EQ(arithmetic(machine, Code::Mul, 2), Lines{"fmul\tv0.2d, v0.2d, v1.2d"});
  EXPECT_EQ(arithmetic(machine, Code::Div, 2), Lines{"fdiv\tv0.2d, v0.2d, v1.2d"});
  EXPECT_EQ(arithmetic(machine, Code::Sqrt, 1), Lines{"fsqrt\td0, d0"});
  EXPECT_EQ(arithmetic(machine, Code::Floor, 2), Lines{"frintm\tv0.2d, v0.2d"});
  EXPECT_EQ(arithmetic(machine, Code::Fma, 1), Lines{"fmadd\td0, d0, d1, d2"});
  EXPECT_EQ(arithmetic(machine, Code::Fms, 1), Lines{"fnmsub\td0, d0, d1, d2"});
  EXPECT_EQ(arithmetic(machine, Code::Fnma, 1), Lines{"fmsub\td0, d0, d1, d2"});
  EXPECT_EQ(arithmetic(machine, Code::Fnms, 1), Lines{"fnmadd\td0, d0, d1, d2"});
  EXPECT_EQ(arithmetic(machine, Code::Fma, 2), Lines{"fmla\tv2.2d, v0.2d, v1.2d"});
  EXPECT_EQ(arithmetic(machine, Code::Neg, 1), Lines{"eor\tv0.16b, v0.16b, v1.16b"});
  EXPECT_EQ(arithmetic(machine, Code::Abs, 1), Lines{"and\tv0.16b, v0.16b, v1.16b"});
  EXPECT_EQ(arithmetic(machine, Code::Less, 1), (Lines{"fcmgt\td0, d1, d0", "and\tv0.16b, v0.16b, v1.16b"}));
}

TEST_F(A64Test, EveryInstructionDecodes) {
  A64Machine machine;
  std::mt19937_64 random(1);
  for (const int lanes : {1, 2}) {
    for (const int size : {1, 10, 300, 8000}) {
      const auto program = test::random_program(random, {.instructions = size, .locality = 100, .strict = false});
      const GeneratedCode code = generate(*program, lanes);
      const auto lines = machine.disassemble(code);
      EXPECT_EQ(lines.size(), code.code.bytes.size() / 4);
      for (const std::string& line : lines) {
        EXPECT_EQ(line.find("undefined"), std::string::npos) << line;
        EXPECT_FALSE(line.starts_with("udf") || line.starts_with(".")) << line;
      }
    }
  }
}

/// As the interpreter, but with the stand-ins for functions.
std::vector<double> run_reference(const Program& p, const std::vector<double>& inputs) {
  std::vector<double> values = inputs;
  values.insert(values.end(), p.constants.begin(), p.constants.end());
  for (const Instruction& i : p.instructions) {
    const auto x = [&](ValueId id) { return values[id]; };
    double value = 0;
    if (i.code == Code::Call)
      value = (p.functions[i.a].arity > 0 ? x(p.call_arguments[i.b]) : 7.0) + 2.0;
    else if (A64Machine::has_stand_in(i.code))
      value = A64Machine::stand_in(i, x(i.a), info(i.code).operands > 1 ? x(i.b) : 0.0);
    else
      value = calc_value(i, x);
    values.push_back(value);
  }
  std::vector<double> outputs;
  for (const ProgramOutput& output : p.outputs) outputs.push_back(values[output.value]);
  return outputs;
}

void expect_right_numbers(A64Machine& machine, const Program& p, int lanes, std::mt19937_64& random, bool special) {
  const GeneratedCode code = generate(p, lanes);
  const auto n = static_cast<std::size_t>(lanes);
  std::vector<double> workspace(code.layout.size / sizeof(double));
  for (std::size_t k = 0; k < code.constants.size(); ++k)
    std::fill_n(workspace.begin() + code.constant_offsets[k] / 8, lanes, code.constants[k]);
  std::vector<std::vector<double>> inputs(n);
  std::size_t input = 0;
  for (std::size_t s = 0; s < kStageCount; ++s) {
    for (std::size_t i = 0; i < p.input_count[s]; ++i, ++input) {
      for (std::size_t lane = 0; lane < n; ++lane) {
        const double x = special ? test::any_double(random) : test::moderate_doubles(random, 1)[0];
        inputs[lane].push_back(x);
        workspace[code.layout.inputs[s] / 8 + i * n + lane] = x;
      }
    }
  }
  const std::vector<double> result = machine.run(code, workspace);
  for (std::size_t lane = 0; lane < n; ++lane) {
    const std::vector<double> expected = run_reference(p, inputs[lane]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double got = result[code.layout.outputs / 8 + i * n + lane];
      ASSERT_TRUE(test::same(got, expected[i])) << p.instructions.size() << " instructions, lane " << lane
                                                << ", output " << i << ": " << got << " instead of " << expected[i];
    }
  }
}

TEST_F(A64Test, EveryOpcodeGivesTheRightNumber) {
  A64Machine machine;
  std::mt19937_64 random(2);
  for (const int lanes : {1, 2}) {
    // All opcodes in one program, ten times over, each an output.
    Program p;
    p.name = "all";
    for (int k = 0; k < 12; ++k) p.inputs.push_back({"x" + std::to_string(k), Stage::State});
    p.input_count = {0, 0, 12};
    for (int round = 0; round < 10; ++round) {
      for (const CodeInfo& code : kCodes) {
        if (code.code == Code::Call) continue;
        const auto any = [&] { return static_cast<ValueId>(random() % 12); };
        Instruction i{code.code, any(), 0, 0};
        if (code.operands > 1) i.b = any();
        if (code.operands > 2) i.c = any();
        if (code.code == Code::Root) i.b = 5;
        p.outputs.push_back({"y" + std::to_string(p.outputs.size()), static_cast<ValueId>(p.value_count())});
        p.instructions.push_back(i);
      }
    }
    p.stage_end = {0, 0, static_cast<std::uint32_t>(p.instructions.size())};
    for (int round = 0; round < 4; ++round) expect_right_numbers(machine, p, lanes, random, round > 0);
  }
}

TEST_F(A64Test, RandomProgramsGiveTheRightNumbers) {
  A64Machine machine;
  std::mt19937_64 random(3);
  for (const int lanes : {1, 2}) {
    for (const int size : {1, 2, 5, 20, 60, 150, 400, 1000, 3000, 9000}) {
      const auto program = test::random_program(
          random, {.instructions = size, .outputs = 40, .locality = size < 1000 ? 30 : 2000, .strict = size % 20 == 0});
      expect_right_numbers(machine, *program, lanes, random, size % 3 == 0);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace kane
