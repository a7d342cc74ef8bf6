#pragma once
// A part from a finite-element program, reduced to its modes: numbers only. Its displacements are linear in the
// amplitudes of the modes, which are lengths: the modes have the mass of the part.

#include <string>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

/// Where joints, particles, points and loads may be attached. With a rotation, bodies may be too.
struct PartInterface {
  std::string name;
  Vec3 at;  ///< in the undeformed part
  bool turns = true;
  std::vector<Vec3> shift, turn;  ///< by mode
};

struct PartNode {
  int number = 0;  ///< in its file
  Vec3 at;
  std::vector<Vec3> shift;  ///< by mode
};

/// The integrals of mechanics/flexible.hpp, by modes.
struct FlexiblePart {
  double mass = 0;
  Vec3 first_moment{};
  Mat3 inertia{};
  std::vector<double> squared_frequency;
  std::vector<std::vector<double>> losses;        ///< a damping matrix; empty: none
  std::vector<Vec3> momentum, spin;               ///< P_i, H_i
  std::vector<std::vector<Vec3>> spin_rate;       ///< [j][i]: dH_i/dq_j
  std::vector<Mat3> inertia_rate;                 ///< dJ/dq_i
  std::vector<std::vector<Mat3>> inertia_second;  ///< J = ... + sum_ij of this q_i q_j
  std::vector<PartInterface> interfaces;
  std::string root;  ///< the interface that carries the frame; "": free
  std::vector<PartNode> nodes;

  // As the user wrote it, for files that are written.
  struct Source {
    std::string mass, stiffness, damping, nodes;
    std::vector<std::pair<std::string, std::vector<int>>> interfaces;
    int modes = 0;
  } source;
};

}  // namespace kane
