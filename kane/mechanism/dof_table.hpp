#pragma once
// The table of potential degrees of freedom (Stoneking, "Kane's Method: Finding Constraint Equations"): every joint has
// three rotations and three translations, each of them free or constrained. Together there are six per body: N_u + N_c = 6 N_b.
//
// The generalized constraint force of a constrained axis,
//
//     c = Omega_c^T T_c + V_c^T F_c = -Omega_c^T [T_a - I alpha - w x H] - V_c^T [F_a - m a]
//
// is the power per unit rate of the force system the joint transmits: with the force F and the torque T of the joint about a point of the
// axis, c = T.axis for a rotation and c = F.axis for a translation. No system is solved for it.
//
// Axes are those of the joint's motions in their order, then those that complete three: rotations about axes of the
// child's side, translations along axes of the parent's side. Motors and springs along a motion act between the two sides
// of that motion and take no part in the other axes; a torque between the two bodies acts in parallel with the joint and is subtracted.

#include <string>
#include <vector>

#include "kane/mechanism/report.hpp"

namespace kane {

struct DofAxis {
  std::string name;  ///< "Rot1" ... "Rot3", "Trn1" ... "Trn3"
  bool rotation = false;
  bool free = false;
  int coordinate = -1;  ///< index into q; -1 = none
  int speed = -1;       ///< index into u if the rate is itself a speed; -1 = none
  int constraint = -1;  ///< number of the constraint force; -1 = free
  Vector axis;          ///< unit vector
  Expr force;           ///< c, an expression of q, u, u', inputs and multipliers; zero if free
};

struct DofEntry {
  std::string joint, parent, child;
  std::string rotation_sequence, translation_sequence;  ///< "213"; '*' for an axis that is not a basis vector
  int spherical_coordinate = -1;                        ///< index of the fourth Euler parameter of a ball; -1 = none
  std::vector<DofAxis> axes;                            ///< three rotations, three translations
};

struct DofTable {
  std::vector<DofEntry> entries;  ///< joints that place bodies, in the order of the mechanism
  int free_count = 0;
  int constraint_count = 0;

  /// "J0.Rot1", ... in the order of their numbers.
  [[nodiscard]] std::vector<std::string> constraint_names() const;
  [[nodiscard]] std::vector<Expr> constraint_forces() const;
};

/// `equations` give the indices and the constraints whose multipliers act.
[[nodiscard]] DofTable form_dof_table(const Mechanism& mechanism, const LoweredMechanism& lowered,
                                      const EquationsOfMotion& equations);

/// In the form of Stoneking's listing.
[[nodiscard]] std::string to_text(const DofTable& table);

}  // namespace kane
