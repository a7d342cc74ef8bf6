#pragma once
// y + h (a_1 k_1 + ... + a_N k_N) over arrays, the inner loop of explicit Runge-Kutta methods, unrolled over N.

#include <array>
#include <cstddef>
#include <utility>

namespace kane {

/// One term of a stage sum: coefficient and slope.
struct StageTerm {
  double a;
  const double* k;
};

namespace detail {

template <std::size_t N, std::size_t... I>
inline double sum_terms(const std::array<StageTerm, N>& terms, std::size_t i, std::index_sequence<I...>) {
  return (... + (terms[I].a * terms[I].k[i]));
}

}  // namespace detail

/// out = y + h sum a_j k_j.
template <class... Terms>
inline void stage_sum(double* __restrict out, const double* y, double h, std::size_t n, Terms... list) {
  const std::array<StageTerm, sizeof...(Terms)> terms{list...};
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = y[i] + h * detail::sum_terms(terms, i, std::index_sequence_for<Terms...>{});
  }
}

/// out = h sum a_j k_j.
template <class... Terms>
inline void stage_sum(double* __restrict out, double h, std::size_t n, Terms... list) {
  const std::array<StageTerm, sizeof...(Terms)> terms{list...};
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = h * detail::sum_terms(terms, i, std::index_sequence_for<Terms...>{});
  }
}

}  // namespace kane
