#pragma once
// Loads and stores of AArch64 kernels. A displacement reaches 4095 values; farther slots go through x17, which is
// remembered as long as it points to the right page.

#include <asmjit/arm/a64assembler.h>

#include "kane/codegen/jit/layout.hpp"

namespace kane {

class A64Addresses {
 public:
  A64Addresses(asmjit::a64::Assembler& a, const Layout& layout, const asmjit::a64::Gp& base, const Target& target)
      : a_(a), layout_(layout), base_(base), scalar_(target.scalar()) {}

  /// A value, all lanes of it.
  void load(unsigned reg, SlotId slot);
  void store(SlotId slot, unsigned reg);
  /// One lane.
  void load_lane(unsigned reg, SlotId slot, int lane);
  void store_lane(SlotId slot, int lane, unsigned reg);
  /// The address of a slot.
  void load_address(const asmjit::a64::Gp& reg, SlotId slot);
  void load_number(const asmjit::a64::Gp& reg, std::uint64_t number);
  /// A call may have changed x17.
  void forget() { page_ = kNoPage; }

 private:
  static constexpr std::uint32_t kNoPage = 0xffffffff;
  /// `size` is that of the register in bytes.
  asmjit::a64::Mem at(std::uint32_t offset, std::uint32_t size);

  asmjit::a64::Assembler& a_;
  const Layout& layout_;
  const asmjit::a64::Gp base_;
  const bool scalar_;
  std::uint32_t page_ = kNoPage;  ///< where x17 points to
};

}  // namespace kane
