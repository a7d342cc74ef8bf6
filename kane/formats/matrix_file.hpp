#pragma once
// Matrices and nodes as finite-element programs hand them over: Matrix Market files, and lists of nodes.

#include <filesystem>
#include <string>
#include <vector>

#include "kane/solve/component_modes.hpp"

namespace kane {

/// A square matrix in coordinate format ("%%MatrixMarket matrix coordinate real symmetric" or "general"). Throws
/// ModelError with the line; messages call the file `name`.
[[nodiscard]] SparseEntries read_matrix_market(const std::string& text, const std::string& name);

struct NodeList {
  std::vector<int> number;
  std::vector<Vec3> at;
};
/// Lines of a number and three coordinates, separated by commas or spaces; '#' begins a comment. Numbers differ.
[[nodiscard]] NodeList read_node_list(const std::string& text, const std::string& name);

/// The most rows of a matrix.
constexpr std::size_t kMostMatrixRows = 60000;
/// The longest file.
constexpr std::size_t kMostMatrixBytes = std::size_t{256} << 20;

}  // namespace kane
