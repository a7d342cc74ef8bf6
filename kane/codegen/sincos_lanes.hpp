#pragma once
// Sine and cosine of 2, 4 or 8 angles at once, for kernels. If strict, each lane has the bits of kane::sincos;
// otherwise multiply-adds are fused, which is a quarter faster.
//
// One translation unit per width, compiled for the instruction set that has it. The `entry` of a width is called by
// generated code with the angles in the first vector register (xmm0, ymm0, zmm0, v0) and a pointer to the results
// in the first integer register: first all sines, then all cosines.

namespace kane {

struct SinCosLanes {
  int lanes;
  const void* entry;                                           ///< register calling convention, for generated code
  void (*from_memory)(const double* angles, double* results);  ///< the same from C++
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
