#include <immintrin.h>

#include "kane/codegen/jit/sincos_lanes_impl.hpp"

namespace kane {

namespace {

using Angles = double __attribute__((vector_size(32)));
using Integers = sincos_core::IntegerOf<Angles>;

struct FusedMath {
  static constexpr bool kFused = true, kSideBySide = false;
  static constexpr const sincos_core::Constants& constants() { return sincos_core::kConstants; }
  [[gnu::always_inline]] static Angles mul_add(const Angles& a, const Angles& b, const Angles& c) {
    return _mm256_fmadd_pd(a, b, c);
  }
  [[gnu::always_inline]] static Angles once(const double& x) { return _mm256_set1_pd(x); }
  /// Quadrants: (s, c), (c, -s), (-s, -c), (-c, s).
  [[gnu::always_inline]] static void turn(const Angles& s, const Angles& c, const Integers& quadrant, Angles& sin,
                                          Angles& cos) {
    const __m256d minus = _mm256_set1_pd(-0.0);
    const auto q = reinterpret_cast<__m256i>(quadrant);
    const __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(q, 63));
    const __m256d second_half = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(q, 62)), minus);
    const __m256i all_if_odd = _mm256_cmpgt_epi64(_mm256_setzero_si256(), _mm256_castpd_si256(odd));
    __m256d swap = _mm256_and_pd(_mm256_xor_pd(s, c), _mm256_castsi256_pd(all_if_odd));
    asm("" : "+x"(swap));  // or it becomes two blends of three operations each
    sin = _mm256_xor_pd(_mm256_xor_pd(s, swap), second_half);
    cos = _mm256_xor_pd(_mm256_xor_pd(c, swap), _mm256_xor_pd(second_half, odd));
  }
  [[gnu::always_inline]] static bool all_at_most(const Angles& a, double b) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_set1_pd(b), _CMP_LE_OQ)) == 0xf;
  }
};

}  // namespace

SinCosLanes sincos_lanes4(bool strict) {
  return strict ? sincos_core::make_sincos_lanes<Angles, sincos_core::PlainMath>()
                : sincos_core::make_sincos_lanes<Angles, FusedMath>();
}

}  // namespace kane
