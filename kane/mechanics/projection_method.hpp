#pragma once
// Chooses the method of projection that needs fewer products, estimated before anything is built.

#include <vector>

#include "kane/mechanics/inertia_elements.hpp"
#include "kane/mechanics/projection.hpp"

namespace kane {

/// For a mass matrix whose columns are formed in this order, each for the rows still wanted.
[[nodiscard]] Projection::Method choose_for_mass_matrix(Kinematics& kinematics,
                                                        const std::vector<InertiaElement>& elements,
                                                        const std::vector<int>& columns, std::vector<bool> wanted);
[[nodiscard]] Projection::Method choose_for_forces(Kinematics& kinematics, const std::vector<InertiaElement>& elements,
                                                   const std::vector<bool>& wanted);

}  // namespace kane
