// Workspaces, and running a stage in them by either backend.

#include <algorithm>
#include <memory>

#include "kane/base/at.hpp"
#include "kane/codegen/kernel_data.hpp"
#include "kane/program/interpreter.hpp"

namespace kane {

/// One for each lane, and room to gather its inputs and outputs.
struct Workspace::Interpreters {
  std::vector<Interpreter> lanes;
  std::vector<double> inputs;
  std::vector<double> outputs;
};

Workspace::Workspace(const Kernel& kernel) : kernel_(kernel.data_) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t size = kernel_->layout.size;
  std::size_t room = size + kAlignment;
  storage_ = std::make_unique<double[]>(room / sizeof(double));
  void* start = storage_.get();
  memory_ = static_cast<double*>(std::align(kAlignment, size, start, room));
  if (!kernel_->isa) {
    add_interpreters();
    return;
  }
  for (std::size_t i = 0; i < kernel_->constants.size(); ++i)
    std::fill_n(at(kernel_->constant_offsets[i]), kernel_->lanes, kernel_->constants[i]);
}

Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

void Workspace::add_interpreters() {
  const Program& program = *kernel_->program;
  interpreters_ = std::make_unique<Interpreters>();
  for (int lane = 0; lane < kernel_->lanes; ++lane)
    interpreters_->lanes.emplace_back(kernel_->program, kernel_->functions);
  interpreters_->inputs.resize(*std::max_element(program.input_count.begin(), program.input_count.end()));
  interpreters_->outputs.resize(program.outputs.size());
}

double* Workspace::at(std::uint32_t offset) const { return memory_ + offset / sizeof(double); }

std::span<double> Workspace::inputs_of(std::size_t stage) const {
  return {at(kernel_->layout.inputs[stage]), kernel_->program->input_count[stage] * kane::at(kernel_->lanes)};
}

std::span<double> Workspace::parameters() { return inputs_of(0); }
std::span<double> Workspace::inputs() { return inputs_of(1); }
std::span<double> Workspace::state() { return inputs_of(2); }
std::span<const double> Workspace::outputs() const {
  return {at(kernel_->layout.outputs), kernel_->program->outputs.size() * kane::at(kernel_->lanes)};
}

void Workspace::run(std::size_t stage) {
  if (kernel_->isa) {
    kernel_->stages[stage](memory_);
    return;
  }
  for (std::size_t lane = 0; lane < interpreters_->lanes.size(); ++lane) interpret(stage, lane);
}

void Workspace::interpret(std::size_t stage, std::size_t lane) {
  const std::size_t lanes = kane::at(kernel_->lanes);
  Interpreter& interpreter = interpreters_->lanes[lane];
  const std::span<double> inputs = std::span(interpreters_->inputs).first(kernel_->program->input_count[stage]);
  const std::span<const double> all = inputs_of(stage);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = all[i * lanes + lane];
  switch (static_cast<Stage>(stage)) {
    case Stage::Parameters: interpreter.set_parameters(inputs); break;
    case Stage::Inputs: interpreter.set_inputs(inputs); break;
    case Stage::State: {
      interpreter.evaluate(inputs, interpreters_->outputs);
      double* const results = at(kernel_->layout.outputs);
      for (std::size_t i = 0; i < interpreters_->outputs.size(); ++i)
        results[i * lanes + lane] = interpreters_->outputs[i];
      break;
    }
  }
}

}  // namespace kane
