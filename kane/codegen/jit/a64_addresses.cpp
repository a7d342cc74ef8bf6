#include "kane/codegen/jit/a64_addresses.hpp"

namespace kane {

namespace a64 = asmjit::a64;

namespace {

constexpr std::uint32_t kPage = 4096;
constexpr std::uint32_t kLargestImmediate = 4095;

}  // namespace

a64::Mem A64Addresses::at(std::uint32_t offset, std::uint32_t size) {
  if (offset / size <= kLargestImmediate) return a64::ptr(base_, static_cast<std::int32_t>(offset));
  const std::uint32_t page = offset / kPage;
  if (page != page_) {
    if (page <= kLargestImmediate) {
      a_.add(a64::x17, base_, page, a64::lsl(12));
    } else {
      load_number(a64::x17, std::uint64_t{page} * kPage);
      a_.add(a64::x17, a64::x17, base_);
    }
    page_ = page;
  }
  return a64::ptr(a64::x17, static_cast<std::int32_t>(offset % kPage));
}

void A64Addresses::load(unsigned reg, SlotId slot) {
  if (scalar_)
    a_.ldr(a64::d(reg), at(layout_.offsets[slot], 8));
  else
    a_.ldr(a64::v(reg), at(layout_.offsets[slot], 16));
}

void A64Addresses::store(SlotId slot, unsigned reg) {
  if (scalar_)
    a_.str(a64::d(reg), at(layout_.offsets[slot], 8));
  else
    a_.str(a64::v(reg), at(layout_.offsets[slot], 16));
}

void A64Addresses::load_lane(unsigned reg, SlotId slot, int lane) {
  a_.ldr(a64::d(reg), at(layout_.offsets[slot] + static_cast<std::uint32_t>(8 * lane), 8));
}

void A64Addresses::store_lane(SlotId slot, int lane, unsigned reg) {
  a_.str(a64::d(reg), at(layout_.offsets[slot] + static_cast<std::uint32_t>(8 * lane), 8));
}

void A64Addresses::load_address(const a64::Gp& reg, SlotId slot) {
  const std::uint32_t offset = layout_.offsets[slot];
  if (offset <= kLargestImmediate) {
    a_.add(reg, base_, offset);
    return;
  }
  load_number(reg, offset);
  a_.add(reg, reg, base_);
}

void A64Addresses::load_number(const a64::Gp& reg, std::uint64_t number) {
  a_.movz(reg, number & 0xffff);
  for (unsigned shift = 16; shift < 64; shift += 16)
    if (const std::uint64_t part = number >> shift & 0xffff; part != 0) a_.movk(reg, part, shift);
}

}  // namespace kane
