#pragma once
// Shape functions of a beam made of elements: component modes after Craig and Bampton. Nodes are the ends of the elements.
//
// Bending: cubics for the deflection and the slope of every node (Hermite; of a uniform beam they are the static
// deflections), and for every element functions that leave its ends at rest. The second derivatives of these are Legendre's
// polynomials, so that no two of all functions share strain energy if EI is uniform:
//
//     b_k'' = P_k(t),  k = 2, 3, ...,  t = -1 to 1 in the element
//     b_k = P_k+2/((2k+1)(2k+3)) - 2 P_k/((2k-1)(2k+3)) + P_k-2/((2k-1)(2k+1)),   b_k = b_k' = 0 at t = -1 and 1.
//
// Bars (twist, stretch, shear): linear functions for the nodes, and b_k' = P_k, k = 1, 2, ...
//
// What is attached at a node is exact as far as the functions within the elements have converged, and they converge
// exponentially with their number.

#include <vector>

#include "kane/mechanism/flexible_beam.hpp"

namespace kane {

/// A shape function: one expression of x = s/length per element.
using BeamPieces = std::vector<Expr>;

/// Number of functions for one motion; `inner` is the number within every element. `shapes` says what the ends do:
/// cantilever, pinned, clamped or clamped-pinned.
[[nodiscard]] int count_element_shapes(BeamShapes shapes, BeamMotion motion, int elements, int inner);

/// First those of the nodes from s = 0 on (deflection, then slope by x), then those within the elements, with
/// int phi^2 = the length of the element. `ends` are the places x of all nodes, from 0 to 1.
[[nodiscard]] std::vector<BeamPieces> beam_element_shapes(Graph& graph, BeamShapes shapes, BeamMotion motion,
                                                          const std::vector<double>& ends, int inner);

/// The function as one expression of x.
[[nodiscard]] Expr join_pieces(Graph& graph, const BeamPieces& pieces, const std::vector<double>& ends);

}  // namespace kane
