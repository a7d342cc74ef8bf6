#pragma once
// y + h (a_1 k_1 + ... + a_N k_N) over arrays, the inner loop of explicit Runge-Kutta methods, and the measure of the
// error that follows it. Compiled twice on x86-64, for processors with vectors of four numbers and for all others; the
// choice is made at run time. Nothing is contracted and every sum has a fixed order (four partial sums), so the bits
// are the same.

#include <array>
#include <cstddef>

namespace kane {

/// One term of a stage sum: coefficient and slope.
struct StageTerm {
  double a;
  const double* k;
};

/// The scale that errors are measured by: atol_i + rtol_i max(|y_i|, |next_i|).
struct ErrorScale {
  const double *rtol, *atol, *y, *next;
};

/// The loops for one kind of processor. Lengths are multiples of four.
struct StageSums {
  static constexpr std::size_t kMostTerms = 13;
  using Sum = void (*)(double* out, const double* y, double h, std::size_t n, const StageTerm* terms);
  std::array<Sum, kMostTerms + 1> from_state;  ///< by the number of terms
  std::array<Sum, kMostTerms + 1> alone;       ///< the same without y
  /// Sum of the squares of e_i over its measure.
  double (*scaled_square)(const double* e, const ErrorScale& scale, std::size_t n);

  /// out = y + h sum a_j k_j.
  template <class... Terms>
  void operator()(double* out, const double* y, double h, std::size_t n, Terms... list) const {
    const std::array<StageTerm, sizeof...(Terms)> terms{list...};
    std::get<sizeof...(Terms)>(from_state)(out, y, h, n, terms.data());
  }
  /// out = h sum a_j k_j.
  template <class... Terms>
  void operator()(double* out, double h, std::size_t n, Terms... list) const {
    const std::array<StageTerm, sizeof...(Terms)> terms{list...};
    std::get<sizeof...(Terms)>(alone)(out, nullptr, h, n, terms.data());
  }
};

/// For the processor this runs on, and for any processor.
[[nodiscard]] const StageSums& best_stage_sums();
[[nodiscard]] const StageSums& plain_stage_sums();

}  // namespace kane
