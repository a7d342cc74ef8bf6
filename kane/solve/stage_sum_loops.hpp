#pragma once
// The loops of stage_sum.hpp, compiled by each file that includes them with its own instructions. Everything here is
// local to that file and calls nothing: what the linker may share must not contain instructions that some processor
// lacks.

#include <utility>

#include "kane/solve/stage_sum.hpp"

namespace kane {
namespace {

using Four = double __attribute__((vector_size(32)));

// By copies, because the arrays need not be aligned to vectors; by reference, because vectors are passed differently
// with and without AVX.
[[gnu::always_inline]] inline void load(Four& to, const double* from) { __builtin_memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void add_term(Four& sum, const StageTerm& term, std::size_t i) {
  Four k;
  load(k, term.k + i);
  sum = sum + term.a * k;
}

template <std::size_t... I>
inline void add_terms(Four& sum, const StageTerm* terms, std::size_t i, std::index_sequence<I...>) {
  (add_term(sum, terms[I], i), ...);
}

/// The last slope was written a moment ago, number by number: it is read in the same way. (A wide load of what was just
/// stored in small pieces waits until all of it has reached the cache; volatile keeps the pieces small.)
template <std::size_t N, bool kFromState>
void sum_stage(double* __restrict out, const double* y, double h, std::size_t n, const StageTerm* terms) {
  const volatile double* const newest = terms[N - 1].k;
  for (std::size_t i = 0; i < n; i += 4) {
    const Four last = {newest[i], newest[i + 1], newest[i + 2], newest[i + 3]};
    Four sum = last;
    if constexpr (N > 1) load(sum, terms[0].k + i);
    sum = terms[0].a * sum;
    if constexpr (N > 2) add_terms(sum, terms + 1, i, std::make_index_sequence<N - 2>{});
    if constexpr (N > 1) sum = sum + terms[N - 1].a * last;
    sum = h * sum;
    if constexpr (kFromState) {
      Four start;
      load(start, y + i);
      sum = start + sum;
    }
    __builtin_memcpy(out + i, &sum, sizeof sum);
  }
}

double sum_scaled_squares(const double* e, const ErrorScale& scale, std::size_t n) {
  Four sum = {0, 0, 0, 0};
  for (std::size_t i = 0; i < n; i += 4) {
    Four a, b, error, atol, rtol;
    load(a, scale.y + i), load(b, scale.next + i);
    load(error, e + i), load(atol, scale.atol + i), load(rtol, scale.rtol + i);
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    const Four q = error / (atol + rtol * (a < b ? b : a));
    sum += q * q;
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

template <bool kFromState, std::size_t... I>
constexpr std::array<StageSums::Sum, sizeof...(I) + 1> make_sums(std::index_sequence<I...>) {
  return {nullptr, &sum_stage<I + 1, kFromState>...};
}

constexpr StageSums kSums = {make_sums<true>(std::make_index_sequence<StageSums::kMostTerms>{}),
                             make_sums<false>(std::make_index_sequence<StageSums::kMostTerms>{}), &sum_scaled_squares};

}  // namespace
}  // namespace kane
