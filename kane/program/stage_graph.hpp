#pragma once
// The uses of values within one stage. Instructions are numbered from the beginning of the stage, and only values
// computed in it count.

#include <cstdint>
#include <span>
#include <vector>

#include "kane/program/program.hpp"

namespace kane {

class StageGraph {
 public:
  StageGraph(const Program& program, Stage stage);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(codes_.size()); }
  /// Index in the program of instruction 0.
  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  [[nodiscard]] Code code(std::uint32_t i) const { return codes_[i]; }
  /// One entry for every use: x*x has x twice.
  [[nodiscard]] std::span<const std::uint32_t> operands(std::uint32_t i) const {
    return {operands_.data() + first_operand_[i], first_operand_[i + 1] - first_operand_[i]};
  }
  [[nodiscard]] std::span<const std::uint32_t> users(std::uint32_t i) const {
    return {users_.data() + first_user_[i], first_user_[i + 1] - first_user_[i]};
  }

 private:
  std::uint32_t begin_;
  std::vector<Code> codes_;
  std::vector<std::uint32_t> first_operand_, operands_;
  std::vector<std::uint32_t> first_user_, users_;
};

}  // namespace kane
