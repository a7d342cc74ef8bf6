#include <immintrin.h>

#include "kane/codegen/sincos_lanes_impl.hpp"

namespace kane {

namespace {

using Angles = double __attribute__((vector_size(64)));

struct FusedMath {
  static constexpr bool kFused = true;
  [[gnu::always_inline]] static Angles mul_add(const Angles& a, const Angles& b, const Angles& c) {
    return _mm512_fmadd_pd(a, b, c);
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
