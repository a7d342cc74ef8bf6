#pragma once
// Body shared by sincos_lanes{2,4,8}.cpp. No standard header, see kane/program/sincos_core.hpp.

#include "kane/codegen/jit/sincos_fused.hpp"
#include "kane/codegen/jit/sincos_lanes.hpp"

namespace kane::sincos_core {

/// The same as the scalar function, bit for bit.
struct PlainMath {
  static constexpr bool kFused = false, kSideBySide = false;
};

template <class V>
struct AnglesOf {
  double angles[sizeof(V) / sizeof(double)];
};

template <class V>
[[gnu::always_inline]] inline bool all_at_most(const V& x, double limit) {
  const IntegerOf<V> fits = x <= limit;
  Int64 all = -1;
  for (int i = 0; i < static_cast<int>(sizeof(V) / sizeof(double)); ++i) all &= fits[i];
  return all != 0;
}

/// Moderate only if all are: the largest magnitude where there is an instruction for that (it may ignore a NaN, which
/// does no harm), else their sum.
template <class V, class Math>
[[gnu::always_inline]] inline auto magnitude_of(const V& x) {
  if constexpr (kIsTwo<V>) {
    using Half = decltype(V::first);
    if constexpr (requires { Math::larger(x.first, x.second); }) {
      return Math::larger(x.first, x.second);
    } else {
      const auto a = magnitude_of<Half, Math>(x.first), b = magnitude_of<Half, Math>(x.second);
      if constexpr (requires { Math::larger(a, b); })
        return Math::larger(a, b);
      else
        return a + b;
    }
  } else if constexpr (requires { Math::larger(x, x); }) {
    return Math::larger(x, x);
  } else {
    return as<V>(as<IntegerOf<V>>(x) & 0x7fffffffffffffff);
  }
}

template <class V, class Math>
[[gnu::always_inline]] inline bool all_moderate(const V& x) {
  const auto magnitude = magnitude_of<V, Math>(x);
  if constexpr (Math::kFused)
    return Math::all_at_most(magnitude, kLargestArgument);
  else
    return all_at_most(magnitude, kLargestArgument);
}

/// For every vector the sines, then the cosines.
template <class V>
[[gnu::always_inline]] inline void store(const V& sin, const V& cos, double* results) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  if constexpr (kIsTwo<V>) {
    store(sin.first, cos.first, results);
    store(sin.second, cos.second, results + kLanes);
  } else {
    __builtin_memcpy(results, &sin, sizeof(V));
    __builtin_memcpy(results + kLanes, &cos, sizeof(V));
  }
}

/// For lanes whose arguments are not too large.
template <class V, class Math>
[[gnu::always_inline]] inline void store_moderate(const V& x, double* results) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  if constexpr (kIsTwo<V> && !Math::kSideBySide) {
    store_moderate<decltype(V::first), Math>(x.first, results);
    store_moderate<decltype(V::first), Math>(x.second, results + kLanes);
  } else if constexpr (Math::kFused) {
    const SinCosOf<V> value = sincos_fused<V, Math>(x);
    store(value.sin, value.cos, results);
  } else {
    const SinCosOf<V> value = sincos_moderate<V>(x);
    store(value.sin, value.cos, results);
  }
}

template <class V>
[[gnu::always_inline]] inline void correct_large(const V& x, double* results) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  if constexpr (kIsTwo<V>) {
    correct_large(x.first, results);
    correct_large(x.second, results + kLanes);
  } else {
    correct_large_lanes(as<AnglesOf<V>>(x).angles, results, kLanes);
  }
}

template <class V, class Math>
[[gnu::always_inline]] inline void store_sincos(double* results, const V& x) {
  store_moderate<V, Math>(x, results);
  if (__builtin_expect(!all_moderate<V, Math>(x), 0)) correct_large(x, results);
}

template <class V, class Math>
void sincos_entry1(V a, double* results) {
  store_sincos<V, Math>(results, a);
}
template <class V, class Math>
void sincos_entry2(V a, V b, double* results) {
  store_sincos<Two<V>, Math>(results, {a, b});
}
template <class V, class Math>
void sincos_entry4(V a, V b, V c, V d, double* results) {
  store_sincos<Two<Two<V>>, Math>(results, {{a, b}, {c, d}});
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
