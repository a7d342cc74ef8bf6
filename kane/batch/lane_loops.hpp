#pragma once
// The inner loops of integrators with lanes: arrays in which element i of lane l is at [i * lanes + l]. Compiled for several
// instruction sets and chosen at run time. Nothing is contracted and every sum has a fixed order, so a lane has the same bits
// whatever the instruction set and the number of lanes.

#include <cstddef>

namespace kane {

struct LaneLoops {
  /// out = y + h (a_1 k_1 + ... ), h by lane.
  void (*stage)(double* out, const double* y, const double* h, const double* const* k, const double* a, int terms,
                std::size_t n);
  /// Sum over i of the squares of h (a_1 k_1 + ...) / (atol + rtol max(|y|, |next|)), by lane.
  void (*error)(double* squares, const double* const* k, const double* a, int terms, const double* h, const double* y,
                const double* next, double rtol, double atol, std::size_t n);
  /// Solves M x = b by M = L D L^T; `m`: lower triangle by rows of a symmetric matrix, overwritten; `x`: b, then the solution.
  void (*solve)(double* m, double* x, std::size_t n);
};

/// For 1, 2, 4 or 8 lanes on this processor.
[[nodiscard]] const LaneLoops& best_lane_loops(int lanes);

}  // namespace kane
