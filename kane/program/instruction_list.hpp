#pragma once
// Instructions under construction: equal ones are emitted once, and each knows its stage and how long its result takes.

#include <span>
#include <string>
#include <vector>

#include "kane/program/draft.hpp"
#include "kane/program/program.hpp"

namespace kane {

class InstructionList {
 public:
  explicit InstructionList(const Draft& draft);

  // Values here are inputs (their index), constants (with kConstant set) or instructions, in order of emission.
  [[nodiscard]] ValueId constant(ValueId draft_constant) const {
    return kConstant | (draft_.node(draft_constant).first << 1U);
  }
  /// The number 1.
  [[nodiscard]] ValueId one() const { return kConstant | (one_ << 1U); }

  ValueId emit(Code code, ValueId a, ValueId b = 0, ValueId c = 0);
  ValueId emit_root(ValueId a, std::uint32_t index);
  ValueId emit_call(std::uint32_t function, std::span<const ValueId> arguments);
  /// The value of a reference, negated if necessary.
  ValueId materialise(Ref r);

  [[nodiscard]] Stage stage(ValueId id) const {
    if ((id & kConstant) != 0) return Stage::Parameters;
    return id < input_count_ ? draft_.stage(id) : stages_[id - input_count_];
  }
  /// Cycles from the beginning of the value's stage until it is ready, if there were no other limits.
  [[nodiscard]] int depth(ValueId id) const {
    return (id & kConstant) != 0 || id < input_count_ ? 0 : depths_[id - input_count_];
  }

  /// The program: instructions ordered by stage, constants that are used.
  [[nodiscard]] Program finish(std::string name, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs, std::span<const ValueId> values);

 private:
  static constexpr ValueId kConstant = 1U << 30U;  // then 2 * index, + 1 for the negative

  [[nodiscard]] ValueId insert(const Instruction& instruction, Stage stage, int depth);
  void add_operand(ValueId id, Stage& stage, int& depth) const;
  void grow_table();
  [[nodiscard]] static std::uint64_t hash_of(const Instruction& i);

  const Draft& draft_;
  std::uint32_t input_count_;
  std::uint32_t one_;
  std::vector<Instruction> instructions_;
  std::vector<Stage> stages_;
  std::vector<int> depths_;
  std::vector<ValueId> call_arguments_;
  std::vector<std::uint32_t> table_;
};

}  // namespace kane
