#pragma once
// Kernels of everything that is switched: contacts, frictions and events of the model, and shapes that may touch.

#include <cstdint>
#include <vector>

#include "kane/codegen/kernel.hpp"

namespace kane {

class KernelWorkshop;

struct SwitchKernels {
  Kernel
      values;  ///< per contact: restitution, force (0 if rigid); per friction: kinetic, stiction; per contact: adhesion
  Kernel guards;  ///< guards of all switches, functions of q, u, udot and multipliers
  Kernel resets;  ///< values of all resets, switch by switch; of q and u
};
[[nodiscard]] SwitchKernels make_switch_kernels(KernelWorkshop& shop);

/// Gap of each contact of the model, and if it has a place the point, the normal, directions across it; of q and u.
[[nodiscard]] Kernel make_contact_places(KernelWorkshop& shop);

/// All of q and u (contact_rows.cpp reads them).
struct ContactKernels {
  struct Place {
    std::uint32_t row, column;
  };
  /// Per body: position, rotation by rows, velocity, angular velocity, v_t, w_t, a, alpha, then J_v and J_w by rows, with
  /// the columns of its `body_speeds`.
  Kernel bodies;
  std::vector<std::vector<std::uint32_t>> body_speeds;  ///< those that move each body
  /// Per law: restitution, kinetic, stiction, rolling, spinning, stiffness, dissipation, damping, adhesion, ratio and direction
  /// of oriented friction.
  Kernel laws;
  std::vector<std::uint32_t> law_of_pair;
  Kernel shapes;                   ///< per shape: position, rotation by rows, sizes
  Kernel rates;                    ///< d qdot / d u: entries that are not identically zero
  std::vector<Place> rate_places;  ///< and where they stand
};
[[nodiscard]] ContactKernels make_contact_kernels(KernelWorkshop& shop);

}  // namespace kane
