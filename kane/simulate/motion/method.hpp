#pragma once
// The integrators by name, and the meaning of a user's tolerance for them.

#include <cstdint>
#include <string_view>

namespace kane {

enum class Method : std::uint8_t {
  Automatic,  ///< explicit and adaptive; CVODE from where the motion turns out to be stiff
  Rk4,        ///< fixed step
  Dopri5,
  Dop853,
  Cvode,
  Arkode,
  Midpoint,  ///< fixed step, implicit, symplectic in canonical variables: order 2
  Gauss4,    ///< the same: order 4
  Gauss6,    ///< the same: order 6 ("gauss", "symplectic")
  Verlet,    ///< fixed step, explicit, symplectic: order 2; for separable systems only
  Verlet4,   ///< the same: order 4
};

[[nodiscard]] std::string_view to_string(Method method);
/// Throws ModelError for an unknown name.
[[nodiscard]] Method method_from(std::string_view name);
[[nodiscard]] bool has_fixed_step(Method method);

/// The relative tolerance for the local error of a step, so that the error of a whole run stays near what the user asked
/// for. Errors grow on the way, and more so the longer a motion can be followed: at 1e-6 the tolerance is taken as it
/// is, below it an increasing part is kept in reserve, up to a factor of 100 at 1e-11.
[[nodiscard]] double local_tolerance(double asked);

}  // namespace kane
