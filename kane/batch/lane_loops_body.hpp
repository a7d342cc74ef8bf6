#pragma once
// The loops of lane_loops.hpp, compiled by each file that includes them with its own instructions. Everything here is local to that
// file and calls nothing: what the linker may share must not contain instructions that some processor lacks.

#include "kane/batch/lane_loops.hpp"

namespace kane {
namespace {

template <int W>
struct LaneVector {
  using Type __attribute__((vector_size(8 * W))) = double;
};
template <>
struct LaneVector<1> {
  using Type = double;
};
template <int W>
using Lanes = typename LaneVector<W>::Type;

template <int W>
[[gnu::always_inline]] inline void load(Lanes<W>& to, const double* from) {
  __builtin_memcpy(&to, from, sizeof to);
}
template <int W>
[[gnu::always_inline]] inline void store(double* to, const Lanes<W>& from) {
  __builtin_memcpy(to, &from, sizeof from);
}

template <int W, int N>
[[gnu::always_inline]] inline void sum_slopes(Lanes<W>& sum, const double* const* k, const double* a, std::size_t at) {
  Lanes<W> term;
  load<W>(term, k[0] + at);
  sum = a[0] * term;
  for (int j = 1; j < N; ++j) {
    load<W>(term, k[j] + at);
    sum = sum + a[j] * term;
  }
}

template <int W, int N>
void stage_of(double* out, const double* y, const double* h, const double* const* k, const double* a, std::size_t n) {
  Lanes<W> step;
  load<W>(step, h);
  for (std::size_t at = 0; at < n * W; at += W) {
    Lanes<W> sum, start;
    sum_slopes<W, N>(sum, k, a, at);
    load<W>(start, y + at);
    sum = start + step * sum;
    store<W>(out + at, sum);
  }
}

template <int W>
void lane_stage(double* out, const double* y, const double* h, const double* const* k, const double* a, int terms,
                std::size_t n) {
  switch (terms) {
    case 1: return stage_of<W, 1>(out, y, h, k, a, n);
    case 2: return stage_of<W, 2>(out, y, h, k, a, n);
    case 3: return stage_of<W, 3>(out, y, h, k, a, n);
    case 4: return stage_of<W, 4>(out, y, h, k, a, n);
    case 5: return stage_of<W, 5>(out, y, h, k, a, n);
    default: return stage_of<W, 6>(out, y, h, k, a, n);
  }
}

template <int W, int N>
void error_of(double* squares, const double* const* k, const double* a, const double* h, const double* y,
              const double* next, double rtol, double atol, std::size_t n) {
  Lanes<W> step, total{};
  load<W>(step, h);
  for (std::size_t at = 0; at < n * W; at += W) {
    Lanes<W> e, before, after;
    sum_slopes<W, N>(e, k, a, at);
    e = step * e;
    load<W>(before, y + at), load<W>(after, next + at);
    before = before < 0 ? -before : before;
    after = after < 0 ? -after : after;
    e = e / (atol + rtol * (before < after ? after : before));
    total = total + e * e;
  }
  store<W>(squares, total);
}

template <int W>
void lane_error(double* squares, const double* const* k, const double* a, int terms, const double* h, const double* y,
                const double* next, double rtol, double atol, std::size_t n) {
  if (terms == 1) return error_of<W, 1>(squares, k, a, h, y, next, rtol, atol, n);
  return error_of<W, 6>(squares, k, a, h, y, next, rtol, atol, n);
}

template <int W>
void lane_solve(double* m, double* x, std::size_t n) {
  const auto at = [](std::size_t i, std::size_t j) { return (i * (i + 1) / 2 + j) * W; };
  for (std::size_t j = 0; j < n; ++j) {
    Lanes<W> d;
    load<W>(d, m + at(j, j));
    for (std::size_t k = 0; k < j; ++k) {
      Lanes<W> l, dk;
      load<W>(l, m + at(j, k)), load<W>(dk, m + at(k, k));
      d = d - l * l * dk;
    }
    store<W>(m + at(j, j), d);
    for (std::size_t i = j + 1; i < n; ++i) {
      Lanes<W> s;
      load<W>(s, m + at(i, j));
      for (std::size_t k = 0; k < j; ++k) {
        Lanes<W> a, b, dk;
        load<W>(a, m + at(i, k)), load<W>(b, m + at(j, k)), load<W>(dk, m + at(k, k));
        s = s - a * b * dk;
      }
      s = s / d;
      store<W>(m + at(i, j), s);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Lanes<W> s;
    load<W>(s, x + i * W);
    for (std::size_t k = 0; k < i; ++k) {
      Lanes<W> l, b;
      load<W>(l, m + at(i, k)), load<W>(b, x + k * W);
      s = s - l * b;
    }
    store<W>(x + i * W, s);
  }
  for (std::size_t i = n; i-- > 0;) {
    Lanes<W> s, d;
    load<W>(s, x + i * W), load<W>(d, m + at(i, i));
    s = s / d;
    for (std::size_t k = i + 1; k < n; ++k) {
      Lanes<W> l, b;
      load<W>(l, m + at(k, i)), load<W>(b, x + k * W);
      s = s - l * b;
    }
    store<W>(x + i * W, s);
  }
}

template <int W>
constexpr LaneLoops kLoopsOf = {&lane_stage<W>, &lane_error<W>, &lane_solve<W>};

const LaneLoops& loops_for(int lanes) {
  switch (lanes) {
    case 2: return kLoopsOf<2>;
    case 4: return kLoopsOf<4>;
    case 8: return kLoopsOf<8>;
    default: return kLoopsOf<1>;
  }
}

}  // namespace
}  // namespace kane
