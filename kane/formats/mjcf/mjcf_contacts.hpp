#pragma once
// Which bodies of an MJCF file touch each other, and with which friction.

#include <array>
#include <string>
#include <vector>

#include "kane/formats/mjcf/mjcf_tree.hpp"

namespace kane {

/// A shape that may touch others.
struct MjcfTouching {
  const MjcfElement* geom = nullptr;
  std::size_t owner = 0;   ///< body that it moves with; 0: the world
  std::size_t parent = 0;  ///< body that the parent of `owner` moves with
};

/// Two bodies whose shapes touch.
struct MjcfContact {
  std::string name;
  std::size_t one = 0, two = 0;
  double sliding = 0, spinning = 0, rolling = 0;  ///< friction; 0 = none
  Where where;
};

/// MuJoCo asks (contype1 & conaffinity2) or (contype2 & conaffinity1) of two geoms, leaves out those of one body, of a body
/// and its parent (unless that is the world) and of excluded bodies, and adds the pairs that are stated. Kane's contacts
/// are between bodies, so that two bodies touch with all their shapes if two of those do; the friction is the largest.
/// `excluded` are pairs of owners. Throws LimitError beyond `most` pairs.
[[nodiscard]] std::vector<MjcfContact> find_mjcf_contacts(
    const std::vector<MjcfTouching>& shapes, const std::vector<MjcfElement>& pairs,
    const std::vector<std::pair<std::size_t, std::size_t>>& excluded, std::size_t most, MjcfRefusals& refusals);

}  // namespace kane
