#pragma once
// A Program ready to run: as machine code where this machine allows it, in the interpreter where it does not.
// A Kernel never changes and may be shared by threads; everything that changes is in a Workspace, one per thread.
//
//     const Kernel kernel = compile_kernel(program);
//     Workspace workspace(kernel);
//     kernel.set_parameters(parameters, workspace);
//     kernel.evaluate(state, outputs, workspace);
//
// SIMD: a kernel with `lanes` > 1 evaluates that many states at once. Every element of its inputs and outputs is then
// `lanes` numbers side by side: element i of lane l is at [i * lanes + l], parameters included.
//
// Strict programs (Program::strict) give the same bits with every instruction set and in the interpreter; the
// payload of a NaN may differ. Other programs may differ in the last places: SSE2 rounds a fused multiply-add twice, sines
// and cosines use fused operations where available, and SIMD kernels for AVX-512 fuse more products than others, in
// a different order.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/codegen/isa.hpp"
#include "kane/program/external_function.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// Options of a compilation.
struct KernelOptions {
  /// The instruction set; default: the best this processor has. One it lacks is an error (ModelError).
  std::optional<Isa> isa{};
  /// States per evaluation: 1, or vector_lanes() of the instruction set.
  int lanes = 1;
  /// External functions the program may call.
  std::vector<NamedFunction> functions{};
  /// Programs with more instructions run in the interpreter.
  std::size_t most_instructions = 4'000'000;
  /// Runs the interpreter, as on a machine that the JIT does not support.
  bool use_interpreter = false;
  /// Behaves as if the system did not allow executable memory.
  bool refuse_executable_memory = false;
};

class Workspace;
struct KernelData;

/// A compiled program.
class Kernel {
 public:
  /// States per evaluation.
  [[nodiscard]] int lanes() const;
  /// Instruction set of the machine code. None: the interpreter runs the program, and why_interpreted() says why.
  [[nodiscard]] std::optional<Isa> isa() const;
  /// Why the interpreter runs the program; empty if it runs as machine code.
  [[nodiscard]] const std::string& why_interpreted() const;
  /// The program that was compiled.
  [[nodiscard]] const Program& program() const;
  /// The machine code; empty for the interpreter.
  [[nodiscard]] std::span<const std::uint8_t> code() const;

  /// Sets the parameters and computes everything that depends on them only. Spans have `lanes` times as many elements as
  /// the program has parameters, inputs, ... (InternalError otherwise).
  void set_parameters(std::span<const double> parameters, Workspace& workspace) const;
  /// Sets the inputs and computes everything that depends on inputs and parameters only.
  void set_inputs(std::span<const double> inputs, Workspace& workspace) const;
  /// Evaluates the program at a state. Never allocates, and takes no lock.
  void evaluate(std::span<const double> state, std::span<double> outputs, Workspace& workspace) const;

  /// The same without copying: call it after writing to workspace.parameters(). Stages that depend on them run when they
  /// are needed.
  void run_parameters(Workspace& workspace) const;
  /// Call it after writing to workspace.inputs().
  void run_inputs(Workspace& workspace) const;
  /// Call it after writing to workspace.state(); the results are then in workspace.outputs().
  void run_state(Workspace& workspace) const;

 private:
  friend class Workspace;
  friend Kernel compile_kernel(std::shared_ptr<const Program> program, const KernelOptions& options);
  explicit Kernel(std::shared_ptr<const KernelData> data) : data_(std::move(data)) {}

  std::shared_ptr<const KernelData> data_;
};

/// The memory of an evaluation: inputs, outputs and intermediate values. All inputs are initially zero.
class Workspace {
 public:
  /// A workspace for one thread.
  explicit Workspace(const Kernel& kernel);
  /// Movable, not copyable.
  Workspace(Workspace&&) noexcept;
  /// Movable, not copyable.
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  /// To be written.
  [[nodiscard]] std::span<double> parameters();
  /// To be written.
  [[nodiscard]] std::span<double> inputs();
  /// To be written.
  [[nodiscard]] std::span<double> state();
  /// Outputs of the last evaluation.
  [[nodiscard]] std::span<const double> outputs() const;

 private:
  friend class Kernel;
  struct Interpreters;

  void add_interpreters();
  [[nodiscard]] double* at(std::uint32_t offset) const;
  [[nodiscard]] std::span<double> inputs_of(std::size_t stage) const;
  void run(std::size_t stage);
  void interpret(std::size_t stage, std::size_t lane);

  std::shared_ptr<const KernelData> kernel_;
  std::unique_ptr<double[]> storage_;
  double* memory_ = nullptr;  ///< aligned to 64 bytes, in storage_
  std::unique_ptr<Interpreters> interpreters_;
  bool parameters_changed_ = true;
  bool inputs_changed_ = true;
};

/// Compiles a program. Throws ModelError if it is not valid or calls a function that has not been given, or if the options
/// request something this processor cannot do.
[[nodiscard]] Kernel compile_kernel(std::shared_ptr<const Program> program, const KernelOptions& options = {});
/// The same, taking over the program.
[[nodiscard]] Kernel compile_kernel(Program program, const KernelOptions& options = {});

}  // namespace kane
