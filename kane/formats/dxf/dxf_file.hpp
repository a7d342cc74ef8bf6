#pragma once
// The lines, arcs, circles, ellipses, splines and polylines of a DXF drawing, by layer.
//
// A DXF file is pairs of lines: a number (the "group code") that says what the value on the next line means. Of the sections,
// HEADER gives the unit, BLOCKS the groups that INSERT places, and ENTITIES the drawing; the others describe how it looks.

#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"

namespace kane {

/// Limits of a drawing. Each message names its limit.
struct DxfLimits {
  std::size_t max_bytes = 64U << 20U;
  std::size_t max_entities = 100'000;  ///< with those of blocks, each time they are inserted
  std::size_t max_vertices = 200'000;  ///< of all polylines
  std::size_t max_layers = 500;
  std::size_t max_pairs = 20'000'000;  ///< group codes of blocks, each time they are inserted
  int max_depth = 8;                   ///< blocks within blocks
};

/// A point of an outline, and how the way to the next one bends: bulge = tan(angle/4), 0 for a straight one, positive
/// counter-clockwise.
struct DxfVertex {
  double x = 0, y = 0, bulge = 0;
};

/// One entity as a chain of straight and round pieces; a circle is two half circles.
struct DxfChain {
  std::vector<DxfVertex> vertices;
  bool closed = false;
  Where where;
};

/// A point that the drawing marks.
struct DxfPoint {
  double x = 0, y = 0;
  Where where;
};

struct DxfLayer {
  std::string name;
  std::vector<DxfChain> chains;
  std::vector<DxfPoint> points;
};

struct DxfFile {
  double unit = 1;               ///< metres per unit of the drawing
  bool unit_given = false;       ///< by $INSUNITS
  std::vector<DxfLayer> layers;  ///< with something in them, in the order of the drawing
  std::vector<std::string> notes;
};

/// Throws ModelError with the line for what is no DXF text, and for entities in the drawing that are not supported.
[[nodiscard]] DxfFile read_dxf_file(std::string_view text, const std::string& file, const DxfLimits& limits = {});

}  // namespace kane
