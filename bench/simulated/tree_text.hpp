#pragma once
// A tree of links as a model file.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "bench/simulated/link_tree.hpp"

namespace kane::bench {

inline std::string tree_text(const LinkTree& tree) {
  std::string bodies = "bodies:\n", joints = "joints:\n", values = "initial:\n";
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Link& l = tree[i];
    const std::string parent = l.parent < 0 ? "N" : fmt::format("B{}", l.parent);
    bodies += fmt::format("  B{}: {{mass: {}, com: [{}], inertia: [{}]}}\n", i, l.mass, fmt::join(l.com, ", "),
                          fmt::join(l.inertia, ", "));
    if (l.axis == 'f') {
      joints += fmt::format("  J{}: {{type: free, parent: {}, child: B{}}}\n", i, parent, i);
      continue;
    }
    joints += fmt::format("  J{0}: {{type: revolute, parent: {1}, at: [{2}], child: B{0}, axis: {3}, coordinate: q{0}",
                          i, parent, fmt::join(l.at, ", "), l.axis);
    if (l.stiffness > 0) joints += fmt::format(", stiffness: {}, damping: {}", l.stiffness, l.damping);
    joints += "}\n";
    values += fmt::format("  q{}: {}\n", i, l.start);
  }
  for (std::size_t i = 0; i < tree.loops.size(); ++i) {
    const BallLoop& l = tree.loops[i];
    joints +=
        fmt::format("  L{}: {{type: spherical, close: true, parent: B{}, at: [{}], child: B{}, child_at: [{}]}}\n", i,
                    l.first, fmt::join(l.at_first, ", "), l.second, fmt::join(l.at_second, ", "));
  }
  return "kane: 1\nname: tree\ngravity: -9.81*N.z\n" + bodies + joints + values;
}

}  // namespace kane::bench
