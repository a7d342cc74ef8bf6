#pragma once
// What files about runs share: options by name, and inputs that change by themselves.

#include "kane/model/simulation.hpp"
#include "python/src/binding.hpp"

namespace kane::python {

/// Options of a run by name; controllers in Python report to the watch.
[[nodiscard]] SimulationOptions simulation_options(const py::dict& given, const std::shared_ptr<Watch>& watch);
/// Names of the inputs that series and controllers drive.
[[nodiscard]] std::vector<std::string> inputs_of(const SimulationOptions& options);

}  // namespace kane::python
