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

template <class V>
[[gnu::always_inline]] inline V magnitude_of(const V& x) {
  return as<V>(as<IntegerOf<V>>(x) & 0x7fffffffffffffff);
}

/// Sines of the lanes of x, then the cosines; of lanes that are not too large.
template <class V, class Math>
[[gnu::always_inline]] inline void store_moderate(const V& x, double* results) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  const SinCosOf<V> value = sincos_moderate<V, Math>(x);
  __builtin_memcpy(results, &value.sin, sizeof(V));
  __builtin_memcpy(results + kLanes, &value.cos, sizeof(V));
}

/// Moderate only if all are: the largest magnitude where there is an instruction for that (it may pass over a NaN, which is
/// no trouble), else their sum.
template <class V, class Math, class... More>
[[gnu::always_inline]] inline V magnitude_of_all(const V& x, const More&... more) {
  if constexpr (requires { Math::larger(x, x); }) {
    V largest = Math::larger(x, x);
    ((largest = Math::larger(largest, more)), ...);
    return largest;
  }
  V sum = magnitude_of(x);
  ((sum += magnitude_of(more)), ...);
  return sum;
}

/// Of several vectors, one after the other.
template <class V, class Math, class... More>
[[gnu::always_inline]] inline void store_sincos(double* results, const V& x, const More&... more) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  double* next = results;
  store_moderate<V, Math>(x, next);
  ((store_moderate<V, Math>(more, next += 2 * kLanes)), ...);
  if (__builtin_expect(!all_moderate<V, Math>(magnitude_of_all<V, Math>(x, more...)), 0)) {
    next = results;
    correct_large_lanes(as<AnglesOf<V>>(x).angles, next, kLanes);
    ((correct_large_lanes(as<AnglesOf<V>>(more).angles, next += 2 * kLanes, kLanes)), ...);
  }
}

template <class V, class Math>
void sincos_entry1(V a, double* results) {
  store_sincos<V, Math>(results, a);
}
template <class V, class Math>
void sincos_entry2(V a, V b, double* results) {
  store_sincos<V, Math>(results, a, b);
}
template <class V, class Math>
void sincos_entry4(V a, V b, V c, V d, double* results) {
  store_sincos<V, Math>(results, a, b, c, d);
}

template <class V>
[[gnu::always_inline]] inline V load_angles(const double* angles) {
  V x;
  __builtin_memcpy(&x, angles, sizeof(V));
  return x;
}

template <class V, class Math>
void sincos_from_memory(const double* angles, double* results, int vectors) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  const V a = load_angles<V>(angles);
  if (vectors == 1) return sincos_entry1<V, Math>(a, results);
  const V b = load_angles<V>(angles + kLanes);
  if (vectors == 2) return sincos_entry2<V, Math>(a, b, results);
  sincos_entry4<V, Math>(a, b, load_angles<V>(angles + 2 * kLanes), load_angles<V>(angles + 3 * kLanes), results);
}

template <class V, class Math>
SinCosLanes make_sincos_lanes() {
  return {
      sizeof(V) / sizeof(double),
      {reinterpret_cast<const void*>(&sincos_entry1<V, Math>), reinterpret_cast<const void*>(&sincos_entry2<V, Math>),
       reinterpret_cast<const void*>(&sincos_entry4<V, Math>)},
      &sincos_from_memory<V, Math>};
}

}  // namespace kane::sincos_core
