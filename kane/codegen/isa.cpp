#include "kane/codegen/isa.hpp"

#include <asmjit/core.h>

namespace kane {

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::Sse2: return "SSE2";
    case Isa::Avx2: return "AVX2";
    case Isa::Avx512: return "AVX-512";
    case Isa::Neon: return "NEON";
  }
  return "?";
}

bool is_available(Isa isa) {
  const asmjit::CpuInfo& cpu = asmjit::CpuInfo::host();
  if (isa == Isa::Neon) return cpu.arch() == asmjit::Arch::kAArch64;
  if (cpu.arch() != asmjit::Arch::kX64) return false;
  const auto& features = cpu.features().x86();
  const bool avx2 = features.hasAVX2() && features.hasFMA();
  switch (isa) {
    case Isa::Sse2: return true;
    case Isa::Avx2: return avx2;
    case Isa::Avx512: return avx2 && features.hasAVX512_F() && features.hasAVX512_DQ() && features.hasAVX512_VL();
    case Isa::Neon: break;
  }
  return false;
}

std::optional<Isa> find_best_isa() {
  for (const Isa isa : {Isa::Avx512, Isa::Avx2, Isa::Sse2, Isa::Neon})
    if (is_available(isa)) return isa;
  return std::nullopt;
}

int vector_lanes(Isa isa) {
  switch (isa) {
    case Isa::Sse2:
    case Isa::Neon: return 2;
    case Isa::Avx2: return 4;
    case Isa::Avx512: return 8;
  }
  return 1;
}

}  // namespace kane
