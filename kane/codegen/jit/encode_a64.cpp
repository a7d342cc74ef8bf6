// Instructions of AArch64: floating point for scalars, Advanced SIMD for pairs.

#include <asmjit/arm/a64assembler.h>

#include "kane/codegen/jit/a64_addresses.hpp"
#include "kane/codegen/jit/a64_call_encoder.hpp"
#include "kane/codegen/jit/assembly_error.hpp"
#include "kane/codegen/jit/machine_code.hpp"

namespace kane {

namespace a64 = asmjit::a64;

namespace {

class A64Encoder {
 public:
  A64Encoder(a64::Assembler& a, A64Addresses& addresses, const Target& target)
      : a_(a), addresses_(addresses), scalar_(target.scalar()) {}

  void encode(const MachineOp& op) {
    switch (op.code) {
      case MicroCode::Load: addresses_.load(op.result, op.a.slot()); break;
      case MicroCode::Store: addresses_.store(op.a.slot(), op.b.reg()); break;
      case MicroCode::Move: a_.mov(bits(op.result), bits(op.a.reg())); break;
      case MicroCode::Add: emit(a64::Inst::kIdFadd_v, op); break;
      case MicroCode::Sub: emit(a64::Inst::kIdFsub_v, op); break;
      case MicroCode::Mul: emit(a64::Inst::kIdFmul_v, op); break;
      case MicroCode::Div: emit(a64::Inst::kIdFdiv_v, op); break;
      case MicroCode::And: a_.and_(bits(op.result), bits(op.a.reg()), bits(op.b.reg())); break;
      case MicroCode::AndNot: a_.bic(bits(op.result), bits(op.b.reg()), bits(op.a.reg())); break;
      case MicroCode::Or: a_.orr(bits(op.result), bits(op.a.reg()), bits(op.b.reg())); break;
      case MicroCode::Xor: a_.eor(bits(op.result), bits(op.a.reg()), bits(op.b.reg())); break;
      case MicroCode::Less: a_.emit(a64::Inst::kIdFcmgt_v, reg(op.result), reg(op.b.reg()), reg(op.a.reg())); break;
      case MicroCode::LessEqual:
        a_.emit(a64::Inst::kIdFcmge_v, reg(op.result), reg(op.b.reg()), reg(op.a.reg()));
        break;
      case MicroCode::Equal: emit(a64::Inst::kIdFcmeq_v, op); break;
      case MicroCode::NotEqual:
        emit(a64::Inst::kIdFcmeq_v, op);
        a_.not_(bits(op.result), bits(op.result));
        break;
      case MicroCode::Sqrt: a_.emit(a64::Inst::kIdFsqrt_v, reg(op.result), reg(op.a.reg())); break;
      case MicroCode::Floor: a_.emit(a64::Inst::kIdFrintm_v, reg(op.result), reg(op.a.reg())); break;
      case MicroCode::Blend: a_.bsl(bits(op.result), bits(op.b.reg()), bits(op.c.reg())); break;
      default: encode_fused(op); break;
    }
  }

 private:
  [[nodiscard]] a64::Vec reg(unsigned r) const {
    return scalar_ ? static_cast<a64::Vec>(a64::d(r)) : static_cast<a64::Vec>(a64::v(r).d2());
  }
  [[nodiscard]] static a64::Vec bits(unsigned r) { return a64::v(r).b16(); }

  void emit(asmjit::InstId id, const MachineOp& op) { a_.emit(id, reg(op.result), reg(op.a.reg()), reg(op.b.reg())); }

  /// Vectors have only c + a*b and c - a*b, in the register of c; select_ops() selects nothing else.
  void encode_fused(const MachineOp& op) {
    const a64::Vec d = reg(op.result), a = reg(op.a.reg()), b = reg(op.b.reg()), c = reg(op.c.reg());
    if (!scalar_) {
      ensure(op.code == MicroCode::Fma || op.code == MicroCode::Fnma, "an operation has no NEON instruction");
      a_.emit(op.code == MicroCode::Fma ? a64::Inst::kIdFmla_v : a64::Inst::kIdFmls_v, d, a, b);
      return;
    }
    switch (op.code) {
      case MicroCode::Fma: a_.fmadd(d, a, b, c); break;
      case MicroCode::Fms: a_.fnmsub(d, a, b, c); break;
      case MicroCode::Fnma: a_.fmsub(d, a, b, c); break;
      case MicroCode::Fnms: a_.fnmadd(d, a, b, c); break;
      default: ensure(false, "an operation has no AArch64 instruction");
    }
  }

  a64::Assembler& a_;
  A64Addresses& addresses_;
  const bool scalar_;
};

/// The stack frame of a stage: the caller's registers 8 to 15 if they are used, and x19 if there are calls.
class A64Frame {
 public:
  A64Frame(a64::Assembler& a, const MachineProgram& machine, std::uint32_t begin, std::uint32_t end) : a_(a) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const MachineOp& op = machine.ops[i];
      has_calls_ = has_calls_ || op.code == MicroCode::CallGroup;
      keeps_vectors_ = keeps_vectors_ || (op.result >= 8 && op.result < 16);
    }
  }
  [[nodiscard]] a64::Gp base() const { return has_calls_ ? a64::x19 : a64::x0; }

  void emit_prologue() const {
    if (has_calls_) {
      a_.stp(a64::x29, a64::x30, a64::ptr_pre(a64::sp, -16));
      a_.stp(a64::x19, a64::x20, a64::ptr_pre(a64::sp, -16));
      a_.mov(a64::x19, a64::x0);
    }
    for (unsigned r = 8; keeps_vectors_ && r < 16; r += 2) a_.stp(a64::d(r), a64::d(r + 1), a64::ptr_pre(a64::sp, -16));
  }
  void emit_epilogue() const {
    for (unsigned r = 16; keeps_vectors_ && r > 8; r -= 2)
      a_.ldp(a64::d(r - 2), a64::d(r - 1), a64::ptr_post(a64::sp, 16));
    if (has_calls_) {
      a_.ldp(a64::x19, a64::x20, a64::ptr_post(a64::sp, 16));
      a_.ldp(a64::x29, a64::x30, a64::ptr_post(a64::sp, 16));
    }
    a_.ret(a64::x30);
  }

 private:
  a64::Assembler& a_;
  bool has_calls_ = false;
  bool keeps_vectors_ = false;
};

}  // namespace

MachineCode encode_a64(const MachineProgram& machine, const Layout& layout, const Target& target,
                       const Runtime& runtime) {
  asmjit::CodeHolder code;
  AssemblyError error;
  code.init(asmjit::Environment(asmjit::Arch::kAArch64));
  code.setErrorHandler(&error);
  a64::Assembler a(&code);
  code.reserveBuffer(&code.textSection()->buffer(), 5 * machine.ops.size() + 4096);

  MachineCode out;
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    const std::uint32_t begin = machine.stage_begin(stage), end = machine.stage_end[stage];
    const A64Frame frame(a, machine, begin, end);
    A64Addresses addresses(a, layout, frame.base(), target);
    A64Encoder encoder(a, addresses, target);
    A64CallEncoder calls(a, addresses, target, runtime);
    out.entries[stage] = static_cast<std::uint32_t>(a.offset());
    frame.emit_prologue();
    for (std::uint32_t i = begin; i < end; ++i) {
      if (machine.ops[i].code == MicroCode::CallGroup)
        calls.encode(machine.groups[machine.ops[i].group]);
      else
        encoder.encode(machine.ops[i]);
    }
    frame.emit_epilogue();
  }
  error.check();
  const asmjit::CodeBuffer& buffer = code.textSection()->buffer();
  out.bytes.assign(buffer.begin(), buffer.end());
  return out;
}

}  // namespace kane
