#pragma once
// The integrator that the options of a simulation ask for.

#include <memory>

#include "kane/simulate/motion/motion_problem.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

struct SimulatorOptions;

/// Tolerances and step sizes for adaptive methods.
[[nodiscard]] AdaptiveOptions adaptive_options(const SimulatorOptions& options);

/// `problem` must outlive it. Throws ModelError for a method that the system does not allow.
[[nodiscard]] std::unique_ptr<Integrator> make_integrator(const SimulatorOptions& options, MotionProblem& problem,
                                                          const CompiledSystem& system);

}  // namespace kane
