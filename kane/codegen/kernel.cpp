#include "kane/codegen/kernel.hpp"

#include <algorithm>
#include <cstddef>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/codegen/jit/generate_code.hpp"
#include "kane/codegen/kernel_data.hpp"
#include "kane/program/check_program.hpp"

namespace kane {

namespace {

constexpr std::size_t kState = at(Stage::State);

/// Inputs by stage, then outputs.
Layout interpreter_layout(const Program& program, int lanes) {
  Layout layout;
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    layout.inputs[stage] = layout.size;
    layout.size += static_cast<std::uint32_t>(8 * lanes) * program.input_count[stage];
  }
  layout.outputs = layout.size;
  layout.size += static_cast<std::uint32_t>(8 * lanes) * static_cast<std::uint32_t>(program.outputs.size());
  return layout;
}

void check_options(const KernelOptions& options, const std::optional<Isa>& isa) {
  if (options.isa)
    require(is_available(*options.isa), "a kernel for {} was requested, which this processor does not support",
            to_string(*options.isa));
  require(options.lanes >= 1 && options.lanes <= 8, "a kernel can have 1 to 8 lanes, not {}", options.lanes);
  if (isa && !options.use_interpreter)
    require(options.lanes == 1 || options.lanes == vector_lanes(*isa), "a kernel for {} can have 1 or {} lanes, not {}",
            to_string(*isa), vector_lanes(*isa), options.lanes);
}

/// Why the program cannot become machine code; empty if it can.
std::string find_obstacle(const Program& program, const KernelOptions& options, const std::optional<Isa>& isa) {
  if (options.use_interpreter) return "the interpreter was requested";
  if (!isa) return "there is no code generator for this processor";
  if (program.instructions.size() > options.most_instructions)
    return fmt::format("the program has {} instructions, more than the limit of {} (KernelOptions::most_instructions)",
                       program.instructions.size(), options.most_instructions);
  for (const ProgramFunction& f : program.functions)
    if (f.arity > kMostArguments)
      return fmt::format("the external function '{}' has more than {} arguments", f.name, kMostArguments);
  if (options.refuse_executable_memory) return "executable memory was refused by request";
  return {};
}

void add_code(KernelData& data) {
  const Target target = make_target(*data.program, *data.isa, data.lanes);
  GeneratedCode generated = generate_code(*data.program, target, host_runtime(data.functions, data.program->strict));
  std::optional<CodeMemory> memory = CodeMemory::find_place_for(generated.code.bytes);
  if (!memory) {
    data.why_interpreted = "the system refused executable memory";
    return;
  }
  data.code = std::move(*memory);
  for (std::size_t stage = 0; stage < kStageCount; ++stage)
    data.stages[stage] = reinterpret_cast<StageFunction>(
        reinterpret_cast<std::uintptr_t>(data.code.data() + generated.code.entries[stage]));
  data.layout = std::move(generated.layout);
  data.constants = std::move(generated.constants);
  data.constant_offsets = std::move(generated.constant_offsets);
}

}  // namespace

Kernel compile_kernel(std::shared_ptr<const Program> program, const KernelOptions& options) {
  check_program(*program);
  const std::optional<Isa> isa = options.isa ? options.isa : find_best_isa();
  check_options(options, isa);
  auto data = std::make_shared<KernelData>();
  data->functions = bind_functions(*program, options.functions);
  data->lanes = options.lanes;
  data->isa = isa;
  data->why_interpreted = find_obstacle(*program, options, isa);
  data->program = std::move(program);
  if (data->why_interpreted.empty()) add_code(*data);
  if (!data->why_interpreted.empty()) {
    data->isa.reset();
    data->layout = interpreter_layout(*data->program, data->lanes);
  }
  return Kernel(std::move(data));
}

Kernel compile_kernel(Program program, const KernelOptions& options) {
  return compile_kernel(std::make_shared<const Program>(std::move(program)), options);
}

int Kernel::lanes() const { return data_->lanes; }
std::optional<Isa> Kernel::isa() const { return data_->isa; }
const std::string& Kernel::why_interpreted() const { return data_->why_interpreted; }
const Program& Kernel::program() const { return *data_->program; }
std::span<const std::uint8_t> Kernel::code() const { return {data_->code.data(), data_->code.size()}; }

namespace {

void copy(std::span<const double> from, std::span<double> to, const char* what) {
  ensure(from.size() == to.size(), "there are {} {} (all lanes), not {}", to.size(), what, from.size());
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

void Kernel::set_parameters(std::span<const double> parameters, Workspace& workspace) const {
  copy(parameters, workspace.parameters(), "parameters");
  run_parameters(workspace);
}

void Kernel::set_inputs(std::span<const double> inputs, Workspace& workspace) const {
  copy(inputs, workspace.inputs(), "inputs");
  run_inputs(workspace);
}

void Kernel::evaluate(std::span<const double> state, std::span<double> outputs, Workspace& workspace) const {
  copy(state, workspace.state(), "state variables");
  run_state(workspace);
  const std::span<const double> results = workspace.outputs();
  ensure(outputs.size() == results.size(), "there are {} outputs (all lanes), not {}", results.size(), outputs.size());
  std::copy(results.begin(), results.end(), outputs.begin());
}

void Kernel::run_parameters(Workspace& workspace) const {
  ensure(workspace.kernel_ == data_, "the workspace belongs to another kernel");
  workspace.run(0);
  workspace.parameters_changed_ = false;
  workspace.inputs_changed_ = true;
}

void Kernel::run_inputs(Workspace& workspace) const {
  if (workspace.parameters_changed_) run_parameters(workspace);
  ensure(workspace.kernel_ == data_, "the workspace belongs to another kernel");
  workspace.run(1);
  workspace.inputs_changed_ = false;
}

void Kernel::run_state(Workspace& workspace) const {
  ensure(workspace.kernel_ == data_, "the workspace belongs to another kernel");
  if (workspace.inputs_changed_) run_inputs(workspace);
  workspace.run(kState);
}

}  // namespace kane
