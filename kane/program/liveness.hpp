#pragma once
// How many values of a stage are live at once.

#include <cstddef>
#include <cstdint>

#include "kane/program/program.hpp"

namespace kane {

struct Liveness {
  std::uint32_t max_live = 0;  ///< values computed in the stage and still to be used, at the worst point
};

/// For one stage.
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage);

}  // namespace kane
