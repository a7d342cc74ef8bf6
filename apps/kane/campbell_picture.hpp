#pragma once
// kane linearize --sweep: the frequencies over the swept quantity as a picture, a Campbell diagram where that is a spin.

#include <string>
#include <vector>

#include "kane/analysis/root_locus.hpp"

namespace kane {

/// An SVG drawing: a curve for each branch that oscillates, red where it grows, and dashed rays
/// through the origin, frequency = order times the swept quantity.
[[nodiscard]] std::string draw_campbell(const RootLocus& locus, const std::vector<double>& orders);

}  // namespace kane
