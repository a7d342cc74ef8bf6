#pragma once
// The interpreter: runs a program as it is written. It defines the meaning of a program; every other backend is
// tested against it.

#include <memory>
#include <span>
#include <vector>

#include "kane/program/external_function.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// The values of one evaluation in progress: one per thread. The program is shared and never changes. Nothing
/// here allocates after construction.
///
/// Stages run when they must: set_parameters() runs the first, the next evaluate() after a change runs the
/// second, every evaluate() runs the third. All inputs are zero at first.
class Interpreter {
 public:
  /// `functions` are those of the program, in its order (bind_functions()).
  explicit Interpreter(std::shared_ptr<const Program> program, std::vector<ExternalFunction> functions = {});

  [[nodiscard]] const Program& program() const { return *program_; }

  /// Spans have the lengths program().input_count says (InternalError otherwise).
  void set_parameters(std::span<const double> parameters);
  void set_inputs(std::span<const double> inputs);
  /// `outputs` gets one value for each of program().outputs, in order.
  void evaluate(std::span<const double> state, std::span<double> outputs);

  /// Every value of the last evaluation by number: inputs, constants, then one for each instruction.
  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  void set(Stage stage, std::span<const double> values);
  void run(Stage stage);
  [[nodiscard]] double call(const Instruction& instruction);

  std::shared_ptr<const Program> program_;
  std::vector<ExternalFunction> functions_;
  std::vector<double> values_;
  std::vector<double> arguments_;  ///< for the external function being called
  bool inputs_changed_ = true;
};

}  // namespace kane
