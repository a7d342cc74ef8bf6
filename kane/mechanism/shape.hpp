#pragma once
// Shapes of bodies: for display, for contact, and for mass from density.

#include <string>

#include "kane/mechanism/joint.hpp"

namespace kane {

/// A shape fixed in a body; kane/base/shape.hpp lists the kinds and their sizes.
struct Shape : SolidExpr {
  std::string color;  ///< "" = chosen
  bool display = true;
  bool contact = false;
};

}  // namespace kane
