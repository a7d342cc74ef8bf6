#include <immintrin.h>

#include "kane/codegen/jit/sincos_lanes_impl.hpp"

namespace kane {

namespace {

using Angles = double __attribute__((vector_size(64)));
using Integers = sincos_core::IntegerOf<Angles>;

struct FusedMath {
  static constexpr bool kFused = true, kSideBySide = true;
  /// Where the compiler does not know them: as operands from memory they are free, while copies between registers, which
  /// it would need if it kept them there, take a turn of the units that multiply.
  [[gnu::always_inline]] static const sincos_core::Constants& constants() {
    const sincos_core::Constants* numbers = &sincos_core::kConstants;
    asm("" : "+r"(numbers));
    return *numbers;
  }
  [[gnu::always_inline]] static Angles mul_add(const Angles& a, const Angles& b, const Angles& c) {
    return _mm512_fmadd_pd(a, b, c);
  }
  [[gnu::always_inline]] static Angles once(const double& x) {
    Angles all;
    asm volatile("vbroadcastsd %1, %0" : "=v"(all) : "m"(x));  // volatile: one for every use
    return all;
  }
  /// Changes the sign of the lanes of x where `where` is set.
  [[gnu::always_inline]] static void negate(__m512d& x, __mmask8 where, const __m512d& minus) {
    asm("vxorpd %2, %0, %0%{%1%}" : "+v"(x) : "Yk"(where), "v"(minus));
  }
  /// Quadrants: (s, c), (c, -s), (-s, -c), (-c, s).
  [[gnu::always_inline]] static void turn(const Angles& s, const Angles& c, const Integers& quadrant, Angles& sin,
                                          Angles& cos) {
    const auto q = reinterpret_cast<__m512i>(quadrant);
    const __mmask8 swap = _mm512_test_epi64_mask(q, _mm512_set1_epi64(1));
    const __mmask8 second_half = _mm512_test_epi64_mask(q, _mm512_set1_epi64(2));
    const __m512d minus = _mm512_set1_pd(-0.0);
    __m512d signed_s = s, signed_c = c;
    negate(signed_s, second_half, minus);
    negate(signed_c, second_half, minus);
    sin = _mm512_mask_blend_pd(swap, signed_s, signed_c);
    cos = _mm512_mask_xor_pd(signed_c, swap, signed_s, minus);
  }
  [[gnu::always_inline]] static Angles larger(const Angles& a, const Angles& b) {
    return _mm512_range_pd(a, b, 0b1011);  // of the magnitudes
  }
  [[gnu::always_inline]] static bool all_at_most(const Angles& a, double b) {
    return _mm512_cmp_pd_mask(a, _mm512_set1_pd(b), _CMP_LE_OQ) == 0xff;
  }
};

}  // namespace

SinCosLanes sincos_lanes8(bool strict) {
  return strict ? sincos_core::make_sincos_lanes<Angles, sincos_core::PlainMath>()
                : sincos_core::make_sincos_lanes<Angles, FusedMath>();
}

}  // namespace kane
