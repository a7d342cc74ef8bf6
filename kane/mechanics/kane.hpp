#pragma once
// Kane's method: from a System to its equations of motion.
//
//     EquationsOfMotion eom = form_equations(system);
//
// KaneDerivation keeps the intermediate results of the eight steps of Buffinton section 6.3: velocities, partial
// velocities, accelerations, generalized inertia and active forces, the unconstrained and the constrained equations.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/mechanics/constraints.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// Methods of embedding constraints in the equations.
enum class EmbeddingMethod : std::uint8_t {
  None,           ///< leave the constraints to the simulator
  Projection,     ///< constrained partial velocities (Gillespie eq. 26), then Kane's equations again
  Recombination,  ///< C^T M C from the unconstrained equations (Buffinton 6.67)
};

/// Options of a derivation.
struct DeriveOptions {
  /// Form M and rhs. Off: kinematics, constraints and outputs only (the dynamical equations are formed elsewhere).
  bool dynamics = true;
  EmbeddingMethod embedding = EmbeddingMethod::Projection;  ///< embedding of the active constraints
  /// Solve M u' = rhs in symbols (udot_explicit).
  bool solve = false;
  /// Form generalized forces for given u' (EquationsOfMotion::inverse).
  bool inverse = true;
  /// Form positions, velocities and accelerations of points and bodies, energy and momentum.
  bool outputs = true;
};

/// One line of the table of partial velocities.
struct PartialVelocityRow {
  std::string name;              ///< name of the frame or point
  bool angular = false;          ///< true: angular velocity of a frame; false: velocity of a point
  std::vector<Vector> partials;  ///< partial velocities, one per speed
  Vector remainder;              ///< the part that does not depend on the speeds
};

/// Kane's method with its intermediate results.
class KaneDerivation {
 public:
  /// `system` must outlive the derivation and not change.
  explicit KaneDerivation(const System& system, const DeriveOptions& options = {});
  ~KaneDerivation();
  /// Movable, not copyable.
  KaneDerivation(KaneDerivation&&) noexcept;

  /// The system.
  [[nodiscard]] const System& system() const;
  /// The equations of motion.
  [[nodiscard]] const EquationsOfMotion& equations() const;
  /// Moves the equations out.
  [[nodiscard]] EquationsOfMotion take_equations();
  /// The kinematical differential equations.
  [[nodiscard]] const Kinematical& kinematical() const;

  // ---- steps 3 to 5: velocities, partial velocities, accelerations -------------------------------------------------------
  /// Velocity of a point in the inertial frame.
  [[nodiscard]] Vector velocity(PointId p);
  /// Angular velocity of a frame in the inertial frame.
  [[nodiscard]] Vector angular_velocity(FrameId f);
  /// The coefficient of a speed in the velocity of a point.
  [[nodiscard]] Vector partial_velocity(PointId p, int speed);
  /// The coefficient of a speed in an angular velocity.
  [[nodiscard]] Vector partial_angular_velocity(FrameId f, int speed);
  /// Complete acceleration of a point, with u' as symbols.
  [[nodiscard]] Vector acceleration(PointId p);
  /// Complete angular acceleration of a frame, with u' as symbols.
  [[nodiscard]] Vector angular_acceleration(FrameId f);
  /// Rows for all bodies, particles and points where loads act.
  [[nodiscard]] std::vector<PartialVelocityRow> partial_velocity_table();

  // ---- steps 6 and 7: generalized forces -----------------------------------------------------------------------------------
  /// F_r, one per speed.
  [[nodiscard]] std::vector<Expr> active_forces();
  /// F_r of all loads except uniform gravity.
  [[nodiscard]] std::vector<Expr> applied_forces();
  /// Contribution of the loads of one name to F_r.
  [[nodiscard]] std::vector<Expr> active_forces(const std::string& load);
  /// F*_r with u' as symbols.
  [[nodiscard]] std::vector<Expr> inertia_forces();
  /// Contribution of one body to F*_r.
  [[nodiscard]] std::vector<Expr> inertia_forces(BodyId body);
  /// Names of the loads.
  [[nodiscard]] std::vector<std::string> load_names();

  // ---- energy and momentum -------------------------------------------------------------------------------------------------
  /// Kinetic energy in the inertial frame.
  [[nodiscard]] Expr kinetic_energy();
  /// Potential energy; none if some load has no known potential.
  [[nodiscard]] std::optional<Expr> potential_energy();
  /// Components of the linear momentum in the inertial frame.
  [[nodiscard]] Expr3 linear_momentum();
  /// Components of the angular momentum about the origin.
  [[nodiscard]] Expr3 angular_momentum();
  /// dT/du_r.
  [[nodiscard]] std::vector<Expr> generalized_momenta();

  /// C of Parsa eq. (40), with body-fixed angular and inertial translational partial velocities; dM/dt - 2 C is
  /// skew-symmetric, and C u is the velocity-dependent part of -F*_r (for speeds without remainders).
  [[nodiscard]] ExprMatrix parsa_matrix();
  /// Time derivative of M along the motion.
  [[nodiscard]] ExprMatrix mass_matrix_rate();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The equations of motion of a system, with everything the options request.
[[nodiscard]] EquationsOfMotion form_equations(const System& system, const DeriveOptions& options = {});

}  // namespace kane
