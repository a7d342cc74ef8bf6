// Programs that are none.

#include "kane/program/check_program.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kane/base/error.hpp"
#include "tests/program/small_programs.hpp"

namespace kane {
namespace {

Program valid() {
  Program p;
  p.name = "sample";
  p.inputs = {{"m", Stage::Parameters}, {"t", Stage::Inputs}, {"q", Stage::State}};
  p.input_count = {1, 1, 1};
  p.constants = {2};
  p.functions = {{"curve", 2}};
  p.call_arguments = {5, 2};
  p.instructions = {{Code::Mul, 0, 3}, {Code::Sin, 1}, {Code::Call, 0, 0}, {Code::Fma, 4, 5, 6}};
  p.stage_end = {1, 2, 4};
  p.outputs = {{"y", 7}, {"same", 7}, {"input", 2}, {"constant", 3}};
  return p;
}

void expect_refused(const std::function<void(Program&)>& spoil, std::string_view words) {
  Program p = valid();
  spoil(p);
  try {
    check_program(p);
    ADD_FAILURE() << "accepted, but expected: " << words;
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(CheckProgram, AcceptsAProgram) { EXPECT_NO_THROW(check_program(valid())); }

TEST(CheckProgram, RefusesWhatCannotRun) {
  expect_refused([](Program& p) { p.instructions[0].b = 4; }, "uses value 4 before it is computed");
  expect_refused([](Program& p) { p.instructions[0].b = 4000000; }, "before it is computed");
  expect_refused([](Program& p) { p.instructions[0].a = 2; }, "belongs to stage 2");
  expect_refused([](Program& p) { p.instructions[1].a = 2; }, "belongs to stage 2");
  expect_refused([](Program& p) { p.instructions[1].code = static_cast<Code>(200); }, "unknown opcode 200");
  expect_refused([](Program& p) { p.instructions[1].b = 1; }, "operand too many");
  expect_refused([](Program& p) { p.instructions[1] = {Code::Root, 0, 2, 0}; }, "root of index 2");
  expect_refused([](Program& p) { p.instructions[2].a = 1; }, "unknown function");
  expect_refused([](Program& p) { p.instructions[2].b = 1; }, "no list of arguments");
  expect_refused([](Program& p) { p.instructions[2].b = 0xffffffffU; }, "no list of arguments");
  expect_refused([](Program& p) { p.call_arguments[0] = 6; }, "before it is computed");
  expect_refused([](Program& p) { p.functions[0].arity = -1; }, "cannot have -1 arguments");
  expect_refused([](Program& p) { p.outputs[0].value = 8; }, "there are only 8");
  expect_refused([](Program& p) { p.strict = true; }, "is strict");
  expect_refused([](Program& p) { p.stage_end = {2, 1, 4}; }, "stages end at");
  expect_refused([](Program& p) { p.stage_end = {1, 2, 5}; }, "stages end at");
  expect_refused([](Program& p) { p.input_count = {1, 1, 2}; }, "more inputs than there are");
  expect_refused([](Program& p) { p.input_count = {1, 1, 0}; }, "belong to no stage");
  expect_refused([](Program& p) { p.input_count = {2, 0, 1}; }, "not listed with its stage");
  expect_refused([](Program& p) { p.inputs[1].name = "m"; }, "two inputs named 'm'");
  expect_refused([](Program& p) { p.outputs[1].name = "y"; }, "two outputs named 'y'");
}

}  // namespace
}  // namespace kane
