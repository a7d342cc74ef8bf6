#pragma once
// Pulling a body by hand while a model runs: six inputs for every body, a force at its mass centre and a torque, with
// components along the axes of the body. A force F at another point is the force F and the torque r x F. They are zero
// unless a user pulls, and have names that no model uses.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "kane/mechanism/mechanism.hpp"
#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

/// Adds the inputs and loads. Call it after add_scene_outputs(), before the equations are formed. Systems that are given by
/// their equations have no bodies to pull.
void add_pull_inputs(Mechanism& mechanism);
[[nodiscard]] bool is_pull_input(std::string_view input);

/// Places of the six inputs of a body (index in Mechanism::bodies) in CompiledSystem::inputs(): force, torque.
using PullPlaces = std::array<std::size_t, 6>;
/// Nothing if the model was not prepared for it.
[[nodiscard]] std::optional<PullPlaces> find_pull_inputs(const CompiledSystem& system, std::size_t body);

}  // namespace kane
