#pragma once
// Which general register serves as the base of which part of the workspace, so that most x86 memory operands need
// one byte of displacement instead of four. A window is what one byte reaches: 256 bytes, or 256 vectors where the
// displacement counts vectors (EVEX). The most used windows of a stage get a register each.

#include <asmjit/x86.h>

#include <vector>

#include "kane/codegen/layout.hpp"

namespace kane {

class AddressPlan {
 public:
  /// For operations [begin, end).
  AddressPlan(const MachineProgram& machine, std::uint32_t begin, std::uint32_t end, const Layout& layout,
              const Target& target);

  /// Pushes what must be kept, sets up the bases; the workspace comes in rdi.
  void emit_prologue(asmjit::x86::Assembler& a) const;
  void emit_epilogue(asmjit::x86::Assembler& a) const;
  /// After a call, which loses all bases but the first.
  void emit_restore(asmjit::x86::Assembler& a) const;

  struct Place {
    asmjit::x86::Mem memory;
    bool evex;  ///< shortest in EVEX encoding, which counts displacements in doubles
  };
  [[nodiscard]] Place place(SlotId slot) const;
  /// By the first base, which survives calls; `extra` bytes into the slot.
  [[nodiscard]] asmjit::x86::Mem stable(SlotId slot, std::uint32_t extra = 0) const;

 private:
  struct Base {
    asmjit::x86::Gp reg;
    std::int32_t center;  ///< offset in the workspace it points to
  };
  void choose_windows(const std::vector<std::uint32_t>& uses);
  [[nodiscard]] std::int32_t center(std::size_t window) const;

  const Layout& layout_;
  bool compressible_;  ///< EVEX is available for scalars
  bool has_calls_ = false;
  std::uint32_t window_bytes_;
  std::vector<Base> bases_;           ///< the first is always there
  std::vector<std::int8_t> base_of_;  ///< by window; -1: none
  std::vector<asmjit::x86::Gp> pushed_;
};

}  // namespace kane
