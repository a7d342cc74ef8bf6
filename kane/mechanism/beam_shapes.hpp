#pragma once
// Shape functions of beams as expressions of x = s/length.
//
// The modes of a uniform Bernoulli-Euler beam, phi'''' = b^4 phi, are written with decaying exponentials,
//
//     phi = A e^(-b x) + B e^(-b (1-x)) + C cos(b x) + D sin(b x),
//
// where cosh(b x) - s sinh(b x) of the textbooks would lose a digit with every mode.

#include <vector>

#include "kane/mechanism/flexible_beam.hpp"

namespace kane {

/// The symbol x of the expressions below.
[[nodiscard]] Expr beam_place(Graph& graph);

/// Modes 1 to count; int phi^2 dx = 1. Polynomials are orthonormal.
[[nodiscard]] std::vector<Expr> beam_bending_shapes(Graph& graph, BeamShapes shapes, int count);
/// Modes of a bar that twists or stretches; likewise.
[[nodiscard]] std::vector<Expr> beam_bar_shapes(Graph& graph, BeamShapes shapes, int count);

/// The root number `mode` (from 1) of the frequency equation: natural frequencies are b^2 sqrt(EI/(rho L^4)).
[[nodiscard]] double beam_eigenvalue(BeamShapes shapes, int mode);

}  // namespace kane
