#pragma once
// A mechanism in the terms of SD/FAST: bodies with their inboard joints, and the order of its state.
//
// q has the coordinates in the order of the joints, with every fourth Euler parameter behind all others; u has the speeds in
// the order of the joints. Indices count from 0, the ground is -1.

#include <string>
#include <string_view>
#include <vector>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// One degree of freedom of a joint.
struct SdfastAxis {
  int joint = 0;  ///< index of its body
  int axis = 0;   ///< in the joint, from 0
  bool rotation = true;
  int motion = 0;                 ///< of Joint::motions
  std::string coordinate, speed;  ///< names in the mechanism
};

/// A body and the joint inboard of it.
struct SdfastBodyRow {
  std::string name;
  int inboard = -1;
  std::string joint;         ///< its name in the mechanism
  std::size_t at = 0;        ///< index into Mechanism::joints
  std::string_view type;     ///< "pin", ...; "" if SD/FAST has no such joint
  int type_number = 0;       ///< as sdjnt reports it
  std::vector<int> axes;     ///< indices into u
  std::string fourth;        ///< Euler parameter of a ball; "" = none
  int fourth_index = -1;     ///< into q
  std::string shown_coords;  ///< "3:5,12"
};

/// A loop joint or another constraint.
struct SdfastLoopRow {
  std::string name;
  std::string_view type;
  int inboard = -1, outboard = -1;  ///< bodies
  std::size_t at = 0;               ///< index into Mechanism::joints
  int type_number = 0;              ///< as sdjnt reports it
};

struct SdfastRoadmap {
  std::vector<SdfastBodyRow> bodies;
  std::vector<SdfastAxis> axes;  ///< in the order of u
  std::vector<SdfastLoopRow> loops;
  std::vector<std::string> q, u;  ///< names in SD/FAST's order
};

/// Throws ModelError for a mechanism without bodies and joints.
[[nodiscard]] SdfastRoadmap form_sdfast_roadmap(const Mechanism& mechanism);

/// The two tables that SD/FAST prints: the roadmap, and the map from the state to the joints.
[[nodiscard]] std::string to_text(const SdfastRoadmap& roadmap, const Mechanism& mechanism);

}  // namespace kane
