#pragma once
// Inputs of a model that a foreign FMU gives values to, as a sampled controller.

#include "kane/mechanism/mechanism.hpp"
#include "kane/simulate/motion/input_schedule.hpp"

namespace kane {

/// Source of the outputs of an FMU that feed inputs not driven otherwise (`taken`); no inputs: there are none. Runs the
/// library of the FMU. Its measured inputs must be sampled before it looks, with the same period.
[[nodiscard]] SampledInput make_fmu_source(const FmuController& controller, const std::vector<std::string>& inputs,
                                           const std::vector<std::string>& taken);

}  // namespace kane
