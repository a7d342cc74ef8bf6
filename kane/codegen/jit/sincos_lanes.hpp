#pragma once
// Sine and cosine of 2, 4 or 8 angles at once, for kernels. If strict, each lane has the bits of kane::sincos;
// otherwise multiply-adds are fused, which is a quarter faster.
//
// One translation unit per width, compiled for the instruction set that has it. The entries of a width are called by
// generated code with the angles in the first one, two or four vector registers (xmm0, ymm0, zmm0, v0 and so on) and a
// pointer to the results in the first integer register: for each vector all sines, then all cosines. Four vectors in
// one call take less time than four calls: constants are fetched once, and the vectors do not wait for each other.

namespace kane {

struct SinCosLanes {
  int lanes;
  /// For 1, 2 and 4 vectors; register calling convention, for generated code.
  const void* entries[3];
  /// The same from C++.
  void (*from_memory)(const double* angles, double* results, int vectors);
};

[[nodiscard]] SinCosLanes sincos_lanes2();
#if defined(__x86_64__)
/// Only to be called on a processor with AVX2 and FMA.
[[nodiscard]] SinCosLanes sincos_lanes4(bool strict);
/// Only to be called on a processor with AVX-512 F, DQ and VL.
[[nodiscard]] SinCosLanes sincos_lanes8(bool strict);
#endif

namespace sincos_core {
/// Recomputes the lanes that sincos_moderate cannot do.
void correct_large_lanes(const double* angles, double* results, int lanes);
}  // namespace sincos_core

}  // namespace kane
