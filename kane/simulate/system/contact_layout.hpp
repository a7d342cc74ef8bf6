#pragma once
// How many rows shapes that touch may need (see contact_rows.hpp).

#include <cstddef>

#include "kane/mechanics/equations.hpp"

namespace kane {

/// How many rows shapes that touch may need: fixed when the system is compiled.
struct ContactLayout {
  std::size_t slots = 0;
  bool rolling = false, spinning = false;

  [[nodiscard]] std::size_t rows_per_slot() const { return 3 + (rolling ? 2U : 0U) + (spinning ? 1U : 0U); }
  [[nodiscard]] std::size_t rows() const { return slots * rows_per_slot(); }
};

/// No slots if no shapes can touch.
[[nodiscard]] ContactLayout find_contact_layout(const EquationsOfMotion& equations);  // contact_rows.cpp

}  // namespace kane
