// Instructions of x86-64: SSE2, AVX2 with FMA, AVX-512, each for scalars and for full vectors.

#include <asmjit/x86.h>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/codegen/jit/assembly_error.hpp"
#include "kane/codegen/jit/base_registers.hpp"
#include "kane/codegen/jit/machine_code.hpp"
#include "kane/codegen/jit/x86_call_encoder.hpp"

namespace kane {

namespace x86 = asmjit::x86;
namespace Inst = asmjit::x86::Inst;

namespace {

/// Instruction numbers of one operation.
struct Instructions {
  asmjit::InstId sse_scalar, sse_packed, avx_scalar, avx_packed;
};

constexpr Instructions kInstructions[] = {
    /* Add       */ {Inst::kIdAddsd, Inst::kIdAddpd, Inst::kIdVaddsd, Inst::kIdVaddpd},
    /* Sub       */ {Inst::kIdSubsd, Inst::kIdSubpd, Inst::kIdVsubsd, Inst::kIdVsubpd},
    /* Mul       */ {Inst::kIdMulsd, Inst::kIdMulpd, Inst::kIdVmulsd, Inst::kIdVmulpd},
    /* Div       */ {Inst::kIdDivsd, Inst::kIdDivpd, Inst::kIdVdivsd, Inst::kIdVdivpd},
    /* Min       */ {Inst::kIdMinsd, Inst::kIdMinpd, Inst::kIdVminsd, Inst::kIdVminpd},
    /* Max       */ {Inst::kIdMaxsd, Inst::kIdMaxpd, Inst::kIdVmaxsd, Inst::kIdVmaxpd},
    /* And       */ {Inst::kIdAndpd, Inst::kIdAndpd, Inst::kIdVandpd, Inst::kIdVandpd},
    /* AndNot    */ {Inst::kIdAndnpd, Inst::kIdAndnpd, Inst::kIdVandnpd, Inst::kIdVandnpd},
    /* Or        */ {Inst::kIdOrpd, Inst::kIdOrpd, Inst::kIdVorpd, Inst::kIdVorpd},
    /* Xor       */ {Inst::kIdXorpd, Inst::kIdXorpd, Inst::kIdVxorpd, Inst::kIdVxorpd},
    /* Less      */ {Inst::kIdCmpsd, Inst::kIdCmppd, Inst::kIdVcmpsd, Inst::kIdVcmppd},
    /* LessEqual */ {Inst::kIdCmpsd, Inst::kIdCmppd, Inst::kIdVcmpsd, Inst::kIdVcmppd},
    /* Equal     */ {Inst::kIdCmpsd, Inst::kIdCmppd, Inst::kIdVcmpsd, Inst::kIdVcmppd},
    /* NotEqual  */ {Inst::kIdCmpsd, Inst::kIdCmppd, Inst::kIdVcmpsd, Inst::kIdVcmppd},
    /* Sqrt      */ {Inst::kIdSqrtsd, Inst::kIdSqrtpd, Inst::kIdVsqrtsd, Inst::kIdVsqrtpd},
};

/// [operation][form], scalar then packed.
constexpr asmjit::InstId kFused[4][3][2] = {
    {{Inst::kIdVfmadd132sd, Inst::kIdVfmadd132pd},
     {Inst::kIdVfmadd213sd, Inst::kIdVfmadd213pd},
     {Inst::kIdVfmadd231sd, Inst::kIdVfmadd231pd}},
    {{Inst::kIdVfmsub132sd, Inst::kIdVfmsub132pd},
     {Inst::kIdVfmsub213sd, Inst::kIdVfmsub213pd},
     {Inst::kIdVfmsub231sd, Inst::kIdVfmsub231pd}},
    {{Inst::kIdVfnmadd132sd, Inst::kIdVfnmadd132pd},
     {Inst::kIdVfnmadd213sd, Inst::kIdVfnmadd213pd},
     {Inst::kIdVfnmadd231sd, Inst::kIdVfnmadd231pd}},
    {{Inst::kIdVfnmsub132sd, Inst::kIdVfnmsub132pd},
     {Inst::kIdVfnmsub213sd, Inst::kIdVfnmsub213pd},
     {Inst::kIdVfnmsub231sd, Inst::kIdVfnmsub231pd}},
};

/// Quiet comparisons; those of SSE raise a flag for NaN that is never read.
unsigned predicate(MicroCode code, bool sse) {
  switch (code) {
    case MicroCode::Less: return sse ? 0x01 : 0x11;
    case MicroCode::LessEqual: return sse ? 0x02 : 0x12;
    case MicroCode::Equal: return 0x00;
    default: return 0x04;
  }
}

constexpr unsigned kRoundDown = 0x09;     // towards minus infinity, without raising a flag
constexpr unsigned kChooseByMask = 0xca;  // truth table of a ? b : c

class X86Encoder {
 public:
  X86Encoder(x86::Assembler& a, BaseRegisters& bases, const Target& target)
      : a_(a),
        bases_(bases),
        sse_(target.isa == Isa::Sse2),
        evex_(target.isa == Isa::Avx512),
        scalar_(target.scalar()) {
    for (unsigned r = 0; r < 32; ++r)
      registers_[r] = scalar_ || sse_           ? static_cast<x86::Vec>(x86::xmm(r))
                      : target.isa == Isa::Avx2 ? static_cast<x86::Vec>(x86::ymm(r))
                                                : static_cast<x86::Vec>(x86::zmm(r));
  }

  void encode(const MachineOp& op) {
    switch (op.code) {
      case MicroCode::Load: emit(load_, reg(op.result), memory(op.a)); break;
      case MicroCode::Store: emit(load_, memory(op.a), reg(op.b.reg())); break;
      case MicroCode::Move: emit(move_, reg(op.result), reg(op.a.reg())); break;
      case MicroCode::Sqrt: encode_sqrt(op); break;
      case MicroCode::Floor: encode_floor(op); break;
      case MicroCode::Blend: encode_blend(op); break;
      case MicroCode::Less:
      case MicroCode::LessEqual:
      case MicroCode::Equal:
      case MicroCode::NotEqual: encode_comparison(op); break;
      case MicroCode::Fma:
      case MicroCode::Fms:
      case MicroCode::Fnma:
      case MicroCode::Fnms: {
        const std::size_t kind = at(op.code) - at(MicroCode::Fma);
        const auto id = kFused[kind][at(op.form)][scalar_ ? 0 : 1];
        emit_last(id, reg(op.result), reg(op.b.reg()), op.c);
        break;
      }
      default: encode_binary(op); break;
    }
  }

 private:
  [[nodiscard]] const x86::Vec& reg(unsigned r) const { return registers_[r]; }

  x86::Mem memory(const Operand& operand) {
    const auto [memory, evex] = bases_.next_place(operand.slot());
    if (evex) a_.evex();
    return memory;
  }

  template <class... Operands>
  void emit(asmjit::InstId id, const Operands&... operands) {
    a_.emit(id, operands...);
  }

  /// The last operand in a register or in memory.
  void emit_last(asmjit::InstId id, const x86::Vec& result, const x86::Vec& a, const Operand& b) {
    if (b.is_slot())
      emit(id, result, a, memory(b));
    else
      emit(id, result, a, reg(b.reg()));
  }

  [[nodiscard]] asmjit::InstId instruction(MicroCode code) const {
    const Instructions& row = kInstructions[at(code)];
    if (sse_) return scalar_ ? row.sse_scalar : row.sse_packed;
    return scalar_ ? row.avx_scalar : row.avx_packed;
  }

  void encode_binary(const MachineOp& op) {
    const asmjit::InstId id = instruction(op.code);
    if (sse_) {
      if (op.b.is_slot())
        emit(id, reg(op.result), memory(op.b));
      else
        emit(id, reg(op.result), reg(op.b.reg()));
      return;
    }
    // The last register is the one whose number costs a byte from 8 on.
    const bool exchange = (op.code == MicroCode::Add || op.code == MicroCode::Mul) && !op.b.is_slot() &&
                          op.b.reg() >= 8 && op.a.reg() < 8;
    if (exchange)
      emit(id, reg(op.result), reg(op.b.reg()), reg(op.a.reg()));
    else
      emit_last(id, reg(op.result), reg(op.a.reg()), op.b);
  }

  void encode_comparison(const MachineOp& op) {
    const asmjit::InstId id = instruction(op.code);
    const asmjit::Imm which(predicate(op.code, sse_));
    if (sse_) {
      if (op.b.is_slot())
        emit(id, reg(op.result), memory(op.b), which);
      else
        emit(id, reg(op.result), reg(op.b.reg()), which);
      return;
    }
    const bool to_mask_register =
        evex_ && (!scalar_ || op.result >= 16 || op.a.reg() >= 16 || (!op.b.is_slot() && op.b.reg() >= 16));
    if (op.b.is_slot()) {
      const x86::Mem b = bases_.next_place(op.b.slot()).memory;
      to_mask_register ? emit(id, x86::k1, reg(op.a.reg()), b, which)
                       : emit(id, reg(op.result), reg(op.a.reg()), b, which);
    } else {
      to_mask_register ? emit(id, x86::k1, reg(op.a.reg()), reg(op.b.reg()), which)
                       : emit(id, reg(op.result), reg(op.a.reg()), reg(op.b.reg()), which);
    }
    if (to_mask_register) emit(Inst::kIdVpmovm2q, reg(op.result), x86::k1);
  }

  void encode_sqrt(const MachineOp& op) {
    const x86::Vec& a = reg(op.a.reg());
    if (sse_ || !scalar_)
      emit(instruction(op.code), reg(op.result), a);
    else
      emit(instruction(op.code), reg(op.result), a, a);  // no dependence on the old result
  }

  void encode_floor(const MachineOp& op) {
    const x86::Vec& a = reg(op.a.reg());
    const asmjit::Imm mode(kRoundDown);
    if (scalar_)
      emit(evex_ ? Inst::kIdVrndscalesd : Inst::kIdVroundsd, reg(op.result), a, a, mode);
    else
      emit(evex_ ? Inst::kIdVrndscalepd : Inst::kIdVroundpd, reg(op.result), a, mode);
  }

  void encode_blend(const MachineOp& op) {
    if (evex_) {  // the result is in the register of the mask
      const asmjit::Imm table(kChooseByMask);
      if (op.c.is_slot())
        emit(Inst::kIdVpternlogq, reg(op.result), reg(op.b.reg()), memory(op.c), table);
      else
        emit(Inst::kIdVpternlogq, reg(op.result), reg(op.b.reg()), reg(op.c.reg()), table);
    } else if (op.b.is_slot()) {
      emit(Inst::kIdVblendvpd, reg(op.result), reg(op.c.reg()), memory(op.b), reg(op.a.reg()));
    } else {
      emit(Inst::kIdVblendvpd, reg(op.result), reg(op.c.reg()), reg(op.b.reg()), reg(op.a.reg()));
    }
  }

  x86::Assembler& a_;
  BaseRegisters& bases_;
  const bool sse_, evex_, scalar_;
  const asmjit::InstId load_ =
      scalar_ ? (sse_ ? Inst::kIdMovsd : Inst::kIdVmovsd) : (sse_ ? Inst::kIdMovapd : Inst::kIdVmovapd);
  const asmjit::InstId move_ = sse_ ? Inst::kIdMovapd : Inst::kIdVmovapd;
  std::array<x86::Vec, 32> registers_;
};

}  // namespace

MachineCode encode_x86(const MachineProgram& machine, const Layout& layout, const Target& target,
                       const Runtime& runtime) {
  asmjit::CodeHolder code;
  AssemblyError error;
  code.init(asmjit::Environment(asmjit::Arch::kX64));
  code.setErrorHandler(&error);
  x86::Assembler a(&code);
  code.reserveBuffer(&code.textSection()->buffer(), 8 * machine.ops.size() + 4096);

  MachineCode out;
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    const std::uint32_t begin = machine.stage_begin(stage), end = machine.stage_end[stage];
    BaseRegisters bases(a, machine, begin, end, layout, target);
    X86Encoder encoder(a, bases, target);
    X86CallEncoder calls(a, bases, target, runtime);
    a.align(asmjit::AlignMode::kCode, 64);
    out.entries[stage] = static_cast<std::uint32_t>(a.offset());
    bases.emit_prologue();
    for (std::uint32_t i = begin; i < end; ++i) {
      if (machine.ops[i].code == MicroCode::CallGroup)
        calls.encode(machine.groups[machine.ops[i].group]);
      else
        encoder.encode(machine.ops[i]);
    }
    if (!target.scalar() && target.isa != Isa::Sse2) a.vzeroupper();
    bases.emit_epilogue();
  }
  error.check();
  const asmjit::CodeBuffer& buffer = code.textSection()->buffer();
  out.bytes.assign(buffer.begin(), buffer.end());
  return out;
}

}  // namespace kane
