#pragma once
// The inputs of a model file that a simulation must feed: laws that a digital controller samples, and points in time.

#include "kane/mechanism/mechanism.hpp"
#include "kane/simulate/motion/input_schedule.hpp"

namespace kane {

struct InputSources {
  std::vector<std::string> driven;   ///< for CompileOptions::driven_inputs
  std::vector<InputSource> sources;  ///< for SimulatorOptions::inputs
};

/// `taken`: inputs whose values come from elsewhere.
[[nodiscard]] InputSources model_input_sources(const Mechanism& mechanism, const std::vector<std::string>& taken = {});

}  // namespace kane
