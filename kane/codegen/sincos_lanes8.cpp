#include "kane/codegen/sincos_lanes_impl.hpp"

namespace kane {

namespace {

using Angles = double __attribute__((vector_size(64)));

void entry(Angles x, double* results) { sincos_core::store_sincos<Angles>(x, results); }

void from_memory(const double* angles, double* results) { sincos_core::store_sincos<Angles>(angles, results); }

}  // namespace

SinCosLanes sincos_lanes8() { return {8, reinterpret_cast<const void*>(&entry), &from_memory}; }

}  // namespace kane
