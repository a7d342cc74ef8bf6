#pragma once
// Assigns general registers to parts of the workspace, so that most x86 memory operands need one byte of
// displacement instead of four: long kernels run as fast as their code can be fetched. A window is the range that one byte
// reaches: 256 bytes, or 256 vectors where the displacement counts vectors (EVEX). The code is straight, so all
// accesses are known in advance, and registers get windows as vector registers get values: the window with the
// furthest next use leaves.

#include <asmjit/x86.h>

#include <vector>

#include "kane/codegen/jit/layout.hpp"

namespace kane {

class BaseRegisters {
 public:
  /// For the operations [begin, end) of a stage.
  BaseRegisters(asmjit::x86::Assembler& a, const MachineProgram& machine, std::uint32_t begin, std::uint32_t end,
                const Layout& layout, const Target& target);

  /// Saves the callee-saved registers; the workspace is passed in rdi.
  void emit_prologue() const;
  void emit_epilogue() const;

  struct Place {
    asmjit::x86::Mem memory;
    bool evex;  ///< shortest in EVEX encoding, which counts displacements in doubles
  };
  /// Must be called once for every slot operand, in order. May emit an instruction that moves a base.
  Place next_place(SlotId slot);
  /// Relative to the first base, which never changes; `extra` bytes into the slot.
  [[nodiscard]] asmjit::x86::Mem stable(SlotId slot, std::uint32_t extra = 0) const;

 private:
  struct Base {
    asmjit::x86::Gp reg;
    std::uint32_t window;
    std::uint32_t next_use;  ///< index of an access
  };
  /// How an operand is reached: by which base, and whether that moves to its window first.
  struct Access {
    std::uint8_t base;
    bool move;
    bool evex;
  };
  struct Use {
    std::uint32_t window;
    std::uint32_t next;  ///< the next use of the same window
  };

  std::vector<Use> find_uses(const MachineProgram& machine, std::uint32_t begin, std::uint32_t end);
  void plan(const std::vector<Use>& uses);
  [[nodiscard]] Access choose(const std::vector<Use>& uses, std::uint32_t index) const;
  [[nodiscard]] std::int32_t center(std::uint32_t window) const;

  asmjit::x86::Assembler& a_;
  const Layout& layout_;
  const std::uint32_t window_bytes_;
  const bool scalar_evex_;  ///< EVEX can be chosen for scalars
  bool has_calls_ = false;
  std::vector<Base> bases_;             ///< the first always points to window 0
  std::vector<std::uint32_t> windows_;  ///< where bases point to while code is emitted
  std::vector<std::uint32_t> calls_;    ///< index of the first access after each group of calls
  std::vector<Access> accesses_;
  std::size_t next_access_ = 0;
  std::vector<asmjit::x86::Gp> pushed_;
};

}  // namespace kane
