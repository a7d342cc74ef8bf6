// Kernels of every instruction set against the interpreter, to the last bit.

#include "kane/codegen/kernel.hpp"

#include <gtest/gtest.h>

#include <string>

#include "kane/program/interpreter.hpp"
#include "random_program.hpp"

namespace kane {
namespace {

using test::any_doubles;
using test::moderate_doubles;
using test::random_program;
using test::same;

struct Way {
  Isa isa;
  int lanes;
};

/// All this processor can run.
std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Isa isa : {Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon}) {
    if (!is_available(isa)) continue;
    ways.push_back({isa, 1});
    ways.push_back({isa, vector_lanes(isa)});
  }
  return ways;
}

std::string name(const Way& way) { return std::string(to_string(way.isa)) + " x " + std::to_string(way.lanes); }

using Numbers = std::vector<double> (*)(std::mt19937_64&, std::size_t);

/// Runs all lanes by kernel and interpreter with inputs from `numbers`, twice, and compares every output.
void expect_same_as_interpreter(const std::shared_ptr<const Program>& program, const Way& way, std::mt19937_64& random,
                                Numbers numbers) {
  const auto functions = test::random_program_functions();
  const Kernel kernel = compile_kernel(program, {.isa = way.isa, .lanes = way.lanes, .functions = functions});
  ASSERT_EQ(kernel.isa(), way.isa) << kernel.why_interpreted();
  Workspace workspace(kernel);
  Interpreter interpreter(program, bind_functions(*program, functions));
  const auto lanes = static_cast<std::size_t>(way.lanes);
  for (int round = 0; round < 2; ++round) {
    std::array<std::vector<double>, kStageCount> values;
    for (std::size_t s = 0; s < kStageCount; ++s) values[s] = numbers(random, program->input_count[s] * lanes);
    std::vector<double> outputs(program->outputs.size() * lanes);
    kernel.set_parameters(values[0], workspace);
    kernel.set_inputs(values[1], workspace);
    kernel.evaluate(values[2], outputs, workspace);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto of_lane = [&](std::size_t s) {
        std::vector<double> picked;
        for (std::size_t i = lane; i < values[s].size(); i += lanes) picked.push_back(values[s][i]);
        return picked;
      };
      std::vector<double> expected(program->outputs.size());
      interpreter.set_parameters(of_lane(0));
      interpreter.set_inputs(of_lane(1));
      interpreter.evaluate(of_lane(2), expected);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(same(outputs[i * lanes + lane], expected[i]))
            << name(way) << ", " << program->instructions.size() << " instructions, lane " << lane << ", output " << i
            << ": " << outputs[i * lanes + lane] << " instead of " << expected[i];
    }
  }
}

TEST(Kernel, StrictProgramsGiveTheBitsOfTheInterpreter) {
  std::mt19937_64 random(1);
  for (const Way& way : all_ways()) {
    for (int round = 0; round < 300; ++round) {
      const int size = 1 + static_cast<int>(random() % 400);
      const auto program = random_program(random, {.instructions = size, .outputs = 30});
      expect_same_as_interpreter(program, way, random, round % 2 == 0 ? any_doubles : moderate_doubles);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace kane
