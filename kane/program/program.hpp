#pragma once
// Program: the narrow waist between the compiler and numbers. An immutable straight-line list of instructions
// in static single assignment form, split in three stages by binding time. It knows nothing about expressions.
//
// Values are numbered. First come the inputs of all kinds, in the order of `inputs`; then the constants; then
// one value for every instruction, in order. An instruction may use only values with smaller numbers. Stage
// boundaries: instructions [0, stage_end[0]) depend on parameters only, [stage_end[0], stage_end[1]) on
// inputs and time too, the rest on the state. The interpreter (interpreter.hpp) defines the meaning of each
// opcode.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/base/enum_array.hpp"
#include "kane/expr/count.hpp"

namespace kane {

enum class Stage : std::uint8_t { Parameters = 0, Inputs = 1, State = 2 };
inline constexpr Stage kStages[] = {Stage::Parameters, Stage::Inputs, Stage::State};
inline constexpr std::size_t kStageCount = std::size(kStages);
template <class T>
using PerStage = EnumArray<Stage, T, kStageCount>;

using ValueId = std::uint32_t;

/// Opcodes. Those of Op with a value have the same name; fused multiply-adds appear only after selection:
/// Fma = a*b + c, Fms = a*b - c, Fnma = c - a*b, Fnms = -(a*b) - c, each rounded once.
/// A `strict` program has none of them.
// clang-format off
enum class Code : std::uint8_t {
  Neg, Add, Sub, Mul, Div, Sqrt, Root, Sin, Cos, Tan, Asin, Acos, Atan, Atan2, Sinh, Cosh, Tanh, Exp, Log, Abs,
  Sign, Min, Max, Floor, Mod, Less, LessEqual, Equal, Select, Fma, Fms, Fnma, Fnms, Call,
};
// clang-format on

/// `args` are a, b, c. Root: b is the index itself, not a value. Call: a = index into functions, b = first
/// index into call_arguments; the number of arguments is that of the function.
struct Instruction {
  Code code;
  ValueId a = 0;
  ValueId b = 0;
  ValueId c = 0;
};

struct ProgramInput {
  std::string name;
  Stage stage;
};

struct ProgramOutput {
  std::string name;
  ValueId value;
};

struct ProgramFunction {
  std::string name;
  int arity;
};

struct Program {
  std::string name;
  std::vector<ProgramInput> inputs;  ///< grouped by stage: parameters, then inputs and time, then state
  PerStage<std::uint32_t> input_count{};
  std::vector<double> constants;
  std::vector<Instruction> instructions;
  PerStage<std::uint32_t> stage_end{};
  std::vector<ProgramOutput> outputs;
  std::vector<ProgramFunction> functions;
  std::vector<ValueId> call_arguments;
  bool strict = false;

  [[nodiscard]] ValueId first_constant() const { return static_cast<ValueId>(inputs.size()); }
  [[nodiscard]] ValueId first_temporary() const { return static_cast<ValueId>(inputs.size() + constants.size()); }
  [[nodiscard]] std::size_t value_count() const { return first_temporary() + instructions.size(); }
  /// Instructions of a stage are [stage_begin(stage), stage_end[stage]).
  [[nodiscard]] std::uint32_t stage_begin(Stage stage) const {
    return stage == Stage::Parameters ? 0 : stage_end[at(stage) - 1];
  }
  /// Inputs of a stage are [first_input(stage), first_input(stage) + input_count[stage]).
  [[nodiscard]] std::uint32_t first_input(Stage stage) const {
    std::uint32_t first = 0;
    for (std::size_t s = 0; s < at(stage); ++s) first += input_count[s];
    return first;
  }
  /// Index into inputs, into outputs.
  [[nodiscard]] std::optional<std::uint32_t> find_input(std::string_view input) const;
  [[nodiscard]] std::optional<std::uint32_t> find_output(std::string_view output) const;

  /// Counted as executed: every instruction once, a fused multiply-add as one mul and one add, a negation as
  /// nothing.
  [[nodiscard]] OperationCount operations(Stage stage) const;
};

}  // namespace kane
