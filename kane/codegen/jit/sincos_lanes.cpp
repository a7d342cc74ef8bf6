#include "kane/codegen/jit/sincos_lanes.hpp"

#include <cmath>

#include "kane/program/sincos.hpp"
#include "kane/program/sincos_core.hpp"

namespace kane::sincos_core {

void correct_large_lanes(const double* angles, double* results, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    if (std::fabs(angles[i]) <= kLargestArgument) continue;
    const SinCos value = sincos(angles[i]);
    results[i] = value.sin;
    results[lanes + i] = value.cos;
  }
}

}  // namespace kane::sincos_core
