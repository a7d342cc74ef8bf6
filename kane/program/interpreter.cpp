#include "kane/program/interpreter.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/program/meaning.hpp"

namespace kane {

Interpreter::Interpreter(std::shared_ptr<const Program> program, std::vector<ExternalFunction> functions)
    : program_(std::move(program)), functions_(std::move(functions)), values_(program_->value_count(), 0.0) {
  require(functions_.size() == program_->functions.size(),
          "the program '{}' calls {} external functions, but {} have been bound", program_->name,
          program_->functions.size(), functions_.size());
  int arguments = 0;
  for (const ProgramFunction& f : program_->functions) arguments = std::max(arguments, f.arity);
  arguments_.resize(at(arguments));
  std::copy(program_->constants.begin(), program_->constants.end(), values_.begin() + program_->first_constant());
  run(Stage::Parameters);
}

void Interpreter::set(Stage stage, std::span<const double> values) {
  ensure(values.size() == program_->input_count[stage], "stage {} of program '{}' has {} inputs, not {}",
         static_cast<int>(stage), program_->name, program_->input_count[stage], values.size());
  std::copy(values.begin(), values.end(), values_.begin() + program_->first_input(stage));
}

void Interpreter::set_parameters(std::span<const double> parameters) {
  set(Stage::Parameters, parameters);
  run(Stage::Parameters);
  inputs_changed_ = true;
}

void Interpreter::set_inputs(std::span<const double> inputs) {
  set(Stage::Inputs, inputs);
  inputs_changed_ = true;
}

void Interpreter::evaluate(std::span<const double> state, std::span<double> outputs) {
  ensure(outputs.size() == program_->outputs.size(), "program '{}' has {} outputs, not {}", program_->name,
         program_->outputs.size(), outputs.size());
  set(Stage::State, state);
  if (inputs_changed_) {
    run(Stage::Inputs);
    inputs_changed_ = false;
  }
  run(Stage::State);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = values_[program_->outputs[i].value];
}

double Interpreter::call(const Instruction& instruction) {
  const std::size_t arity = at(program_->functions[instruction.a].arity);
  for (std::size_t i = 0; i < arity; ++i) arguments_[i] = values_[program_->call_arguments[instruction.b + i]];
  const ExternalFunction& f = functions_[instruction.a];
  return f.call(arguments_.data(), f.context);
}

void Interpreter::run(Stage stage) {
  double* const values = values_.data();
  const Instruction* instruction = program_->instructions.data() + program_->stage_begin(stage);
  const Instruction* const end = program_->instructions.data() + program_->stage_end[stage];
  double* result = values + program_->first_temporary() + program_->stage_begin(stage);
  const auto operand = [values](ValueId id) { return values[id]; };
  for (; instruction != end; ++instruction, ++result) {
    if (instruction->code == Code::Call) {
      *result = call(*instruction);
    } else if (instruction->code == Code::Sin && instruction + 1 != end && instruction[1].code == Code::Cos &&
               instruction[1].a == instruction->a) {
      // The two share the argument reduction; passes put them side by side.
      const SinCos both = sincos(values[instruction->a]);
      *result++ = both.sin;
      *result = both.cos;
      ++instruction;
    } else {
      *result = calc_value(*instruction, operand);
    }
  }
}

}  // namespace kane
