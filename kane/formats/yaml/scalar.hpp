#pragma once
// Scalars of model files: expressions with units (kane/expr/measured.hpp) that must have a certain dimension.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/expr/measured.hpp"
#include "kane/mechanism/measure.hpp"

namespace kane {

/// A name that scalars may use.
struct ScalarName {
  Expr value;
  Dimensional dimension;
  std::string_view what;  ///< "parameter", "coordinate", ...
  Where where;            ///< place of its declaration
};

using ScalarNames = std::map<std::string, ScalarName, std::less<>>;

struct Scalar {
  Expr value;
  Dimensional dimension;
  std::string unit;  ///< SI unit of the unit it was written with ("kg", "rad"); "" if there was none
};

/// Reads a scalar that should be a `measure`. `what` and `owner` are for messages: "mass" of "the body 'A'". Throws
/// ModelError at a place in the text.
[[nodiscard]] Scalar parse_scalar(Graph& graph, const MeasuredNames& names, std::string_view text, const Where& where,
                                  const Measure& measure, std::string_view what, std::string_view owner);

}  // namespace kane
