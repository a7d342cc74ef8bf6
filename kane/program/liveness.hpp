#pragma once
// How many values a stage must remember at once.

#include <cstddef>
#include <cstdint>

#include "kane/program/program.hpp"

namespace kane {

struct Liveness {
  std::uint32_t max_live = 0;  ///< values computed in the stage and still to be used, at the worst place
};

/// Of one stage.
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage);

}  // namespace kane
