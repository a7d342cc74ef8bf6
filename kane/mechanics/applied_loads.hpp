#pragma once
// Applied forces and torques as Kane's method takes them: rates replaced by speeds, gravity on every body.

#include <string>
#include <vector>

#include "kane/mechanics/projection.hpp"

namespace kane {

/// An applied force or torque, free of rates, auxiliary speeds and unknowns; perhaps linear in u'.
struct AppliedLoad {
  std::string name;
  LoadKind kind = LoadKind::Force;
  PointId point;
  FrameId frame;
  Vector value;
};

/// Loads with the rates replaced by speeds (and second rates by u', if the substitution knows them); unknown forces are
/// put to zero. Throws ModelError for a load that depends on accelerations other than linearly.
[[nodiscard]] std::vector<AppliedLoad> form_loads(const System& system, const Substitution& rates_to_speeds);
/// Weight of all bodies by uniform gravity, as forces at the mass centres.
[[nodiscard]] std::vector<AppliedLoad> form_weights(const System& system);
/// Attraction and gravity-gradient torque of inverse-square gravity.
[[nodiscard]] std::vector<AppliedLoad> form_attractions(const System& system);
/// Potential energy of inverse-square gravity whose centres are at rest.
[[nodiscard]] Expr form_attraction_energy(const System& system);
/// -dV/drho for the potentials that act: one value per rate.
[[nodiscard]] std::vector<Expr> form_potential_forces(const System& system, const RateModel& model);
/// Adds the forces that belong to coordinates, with the rates replaced by speeds.
void add_coordinate_forces(const System& system, const Kinematical& kinematical, std::vector<Expr>& rate_forces);
[[nodiscard]] Vector total_uniform_gravity(const System& system);

void add_load(Projection& projection, const Kinematics& kinematics, const AppliedLoad& load);

}  // namespace kane
