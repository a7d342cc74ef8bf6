#pragma once
// Comparing kernels with the interpreter.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "kane/codegen/kernel.hpp"
#include "kane/program/interpreter.hpp"
#include "tests/codegen/random_program.hpp"

namespace kane::test {

struct Way {
  Isa isa;
  int lanes;
};

/// All this processor can run.
inline std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Isa isa : {Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon}) {
    if (!is_available(isa)) continue;
    ways.push_back({isa, 1});
    ways.push_back({isa, vector_lanes(isa)});
  }
  return ways;
}

inline std::string name(const Way& way) { return std::string(to_string(way.isa)) + " x " + std::to_string(way.lanes); }

using Numbers = std::vector<double> (*)(std::mt19937_64&, std::size_t);
using Agree = bool (*)(double got, double expected);

/// Runs all lanes by kernel and interpreter with inputs from `numbers`, twice, and compares every output.
inline void expect_same_as_interpreter(const std::shared_ptr<const Program>& program, const Way& way,
                                       std::mt19937_64& random, Numbers numbers, Agree agree = same) {
  const auto functions = random_program_functions();
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
        ASSERT_TRUE(agree(outputs[i * lanes + lane], expected[i]))
            << name(way) << ", " << program->instructions.size() << " instructions, lane " << lane << ", output " << i
            << ": " << outputs[i * lanes + lane] << " instead of " << expected[i];
    }
  }
}

/// A program that computes nothing.
inline Program empty_program() {
  Program p;
  p.name = "p";
  return p;
}

}  // namespace kane::test
