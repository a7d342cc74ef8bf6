#include "kane/codegen/jit/sincos_lanes_impl.hpp"

namespace kane {

namespace {

using Angles = double __attribute__((vector_size(16)));

}  // namespace

SinCosLanes sincos_lanes2() { return sincos_core::make_sincos_lanes<Angles, sincos_core::PlainMath>(); }

}  // namespace kane
