#pragma once
// Pass: powers by multiplication. All powers of one base share a chain: x^2, x^3 and x^5 take three multiplications
// (x x, x^2 x, x^3 x^2). Bases whose powers occur only together are multiplied first: x^2 y^2 = (x y)^2.

#include <vector>

#include "kane/program/draft.hpp"
#include "kane/program/instruction_list.hpp"

namespace kane {

/// Lists the powers that the draft needs, base by base.
void plan_powers(Draft& draft, std::span<const std::uint32_t> uses);

/// Carries out the plan while instructions are emitted. Powers that are not planned are raised one by one.
class PowerChains {
 public:
  explicit PowerChains(const Draft& draft);

  /// base^n, where `value` is the instruction that computes `base`.
  [[nodiscard]] ValueId raise(InstructionList& list, ValueId base, ValueId value, std::int32_t n);
  /// value^n, sharing only what the instruction list finds by itself.
  [[nodiscard]] static ValueId raise_alone(InstructionList& list, ValueId value, std::int32_t n);
  /// This power is used once, and there is no other of its base.
  [[nodiscard]] bool is_lonely(const Factor& f) const;

 private:
  struct Known {
    std::int32_t exponent;
    ValueId value;
  };
  [[nodiscard]] std::vector<Known>::const_iterator at_least(std::int32_t exponent) const;
  [[nodiscard]] const Known* known(std::int32_t exponent) const;
  [[nodiscard]] std::size_t find(ValueId base, std::int32_t n) const;
  void build_chain(InstructionList& list, std::size_t first, ValueId value);
  ValueId extend(InstructionList& list, std::int32_t n);
  ValueId multiply(InstructionList& list, std::int32_t n, ValueId a, ValueId b);

  const std::vector<PlannedPower>& plan_;  ///< bases ascending, exponents of each ascending
  std::vector<ValueId> values_;            ///< values of the plan emitted so far
  std::vector<Known> chain_;               ///< powers of the present base, exponents ascending from 1
};

}  // namespace kane
