#pragma once
// Drawings as models: each layer with a closed outline is a body.

#include <string>
#include <string_view>

#include "kane/formats/dxf/dxf_file.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Area, centroid and second moments about it of what an outline encloses.
struct DxfArea {
  double area = 0, x = 0, y = 0;
  double xx = 0, yy = 0, xy = 0;  ///< integrals of x^2, y^2 and x y about the centroid
};

/// Area of closed chains; a chain inside another is a hole in it, one inside a hole is solid again.
[[nodiscard]] DxfArea dxf_area(const std::vector<DxfChain>& outlines);

/// Throws ModelError with file and line. The parameter `area_density` (kg/m^2) gives the bodies their masses.
[[nodiscard]] Mechanism read_dxf_text(std::string_view text, const std::string& file_name = "drawing.dxf",
                                      const DxfLimits& limits = {});

}  // namespace kane
