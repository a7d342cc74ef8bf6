#pragma once
// The kinds of joints, opened into elementary motions. To add a kind, add a function here and a row to kJointKinds.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kane/mechanism/joint.hpp"

namespace kane {

/// The motions of a kind of joint. Axes are "x", "y", "z" or the user's own.
struct JointKindInfo {
  std::string_view name;
  std::string_view
      motions;  ///< r = rotation, t = translation, s = screw, b = ball, in order; "" = weld; "?" = written out
  std::string_view axes;  ///< default axis of each motion
  std::string_view summary;
};

inline constexpr JointKindInfo kJointKinds[] = {
    {"weld", "", "", "no motion"},
    {"revolute", "r", "z", "one rotation"},
    {"prismatic", "t", "z", "one translation"},
    {"screw", "s", "z", "one rotation with a proportional translation"},
    {"cylindrical", "tr", "zz", "translation along and rotation about one axis"},
    {"universal", "rr", "xy", "two rotations about perpendicular axes"},
    {"gimbal", "rrr", "xyz", "three rotations in any of the 24 sequences"},
    {"spherical", "b", "-", "any rotation, by Euler parameters"},
    {"planar", "ttr", "xyz", "two translations and a rotation in a plane"},
    {"free", "tttb", "xyz-", "six degrees of freedom, rotation by Euler parameters"},
    {"bushing", "tttrrr", "xyzxyz", "three translations, then three rotations"},
    {"general", "?", "", "rotations and translations in any order, each free or locked (Stoneking)"},
};

/// Throws ModelError (with a suggestion) for an unknown kind.
[[nodiscard]] const JointKindInfo& joint_kind(std::string_view name, const Where& where);

/// The motions of a kind with its default axes; coordinates and speeds are still to be named (name_motions).
[[nodiscard]] std::vector<ElementaryMotion> open_joint(const JointKindInfo& kind);

/// Three axes, "213" or "yxz", and which of them are free (counted from 1 in the order of the sequence).
struct MotionSequence {
  std::string axes;
  std::vector<int> free;
};

/// The general joint of Stoneking's tables: three translations along axes of the parent's side, then three rotations about
/// the axes of a body-fixed sequence; those not free are locked at `value` (zero until set).
[[nodiscard]] std::vector<ElementaryMotion> open_general_joint(const MotionSequence& translation,
                                                               const MotionSequence& rotation, const Where& where);

/// Coordinates and speeds that a motion needs: none if it is not free.
[[nodiscard]] int coordinate_count(const ElementaryMotion& motion);
[[nodiscard]] int speed_count(const ElementaryMotion& motion);

/// Gives coordinates and speeds to the free motions of a joint. `coordinates` and `speeds` may be shorter than needed or
/// empty: then q_<joint> (one) or q_<joint>_1 ... (several) are generated, and a speed is named after its coordinate:
/// q1 -> u1, theta -> u_theta. The speeds of a Ball are w_<joint>_x, w_<joint>_y, w_<joint>_z.
void name_motions(Graph& graph, Joint& joint, const std::vector<std::string>& coordinates,
                  const std::vector<std::string>& speeds);

/// "q1" -> "u1", "q_knee" -> "u_knee", "theta" -> "u_theta".
[[nodiscard]] std::string speed_name(std::string_view coordinate);

/// One row of a table of Denavit and Hartenberg; the joint moves along or about z, from the given theta and d.
struct DenavitHartenberg {
  Expr a{}, alpha{}, d{}, theta{};
  bool modified = true;  ///< Craig's form (a and alpha before the joint); else the standard one (after it)
};

/// Sets the placements of a joint whose motions are along or about z.
void place_by_denavit_hartenberg(Joint& joint, const DenavitHartenberg& dh);

}  // namespace kane
