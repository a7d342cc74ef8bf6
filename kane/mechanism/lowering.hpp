#pragma once
// Mechanism to System: the joints become frames and points, the rest follows. Used by the projection formulation and
// for everything that is not the tree's own dynamics (constraints, outputs, reactions, general speeds).

#include "kane/mechanics/system.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Where the parts of the mechanism went.
struct LoweredMechanism {
  System system;
  std::map<std::string, FrameId> body_frames;    ///< by body name (and ground)
  std::map<std::string, PointId> body_origins;
  std::vector<std::string> warnings;
};

[[nodiscard]] LoweredMechanism lower_mechanism(const Mechanism& mechanism);

}  // namespace kane
