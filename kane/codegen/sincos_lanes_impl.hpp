#pragma once
// Body shared by sincos_lanes{2,4,8}.cpp. No standard header, see kane/program/sincos_core.hpp.

#include "kane/codegen/sincos_lanes.hpp"
#include "kane/program/sincos_core.hpp"

namespace kane::sincos_core {

template <class V>
struct AnglesOf {
  double angles[sizeof(V) / sizeof(double)];
};

template <class V, class Math>
[[gnu::always_inline]] inline bool all_moderate(const V& magnitude) {
  if constexpr (Math::kFused) {
    return Math::all_at_most(magnitude, kLargestArgument);
  } else {
    const IntegerOf<V> moderate = magnitude <= kLargestArgument;
    Int64 all = -1;
    for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(double)); ++i) all &= moderate[i];
    return all != 0;
  }
}

/// Sines and cosines of the lanes of x, one after the other.
template <class V, class Math>
[[gnu::always_inline]] inline void store_sincos(const V& x, double* results) {
  using I = IntegerOf<V>;
  constexpr int kLanes = sizeof(V) / sizeof(double);
  const SinCosOf<V> value = sincos_moderate<V, Math>(x);
  __builtin_memcpy(results, &value.sin, sizeof(V));
  __builtin_memcpy(results + kLanes, &value.cos, sizeof(V));
  const V magnitude = as<V>(as<I>(x) & 0x7fffffffffffffff);
  if (__builtin_expect(!all_moderate<V, Math>(magnitude), 0))
    correct_large_lanes(as<AnglesOf<V>>(x).angles, results, kLanes);
}

template <class V, class Math>
[[gnu::always_inline]] inline void store_sincos(const double* angles, double* results) {
  V x;
  __builtin_memcpy(&x, angles, sizeof(V));
  store_sincos<V, Math>(x, results);
}

template <class V, class Math>
void sincos_entry(V x, double* results) {
  store_sincos<V, Math>(x, results);
}

template <class V, class Math>
void sincos_from_memory(const double* angles, double* results) {
  store_sincos<V, Math>(angles, results);
}

template <class V, class Math>
SinCosLanes make_sincos_lanes() {
  return {sizeof(V) / sizeof(double), reinterpret_cast<const void*>(&sincos_entry<V, Math>),
          &sincos_from_memory<V, Math>};
}

}  // namespace kane::sincos_core
