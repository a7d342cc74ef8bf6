#pragma once
// One tree of links running in one engine. C++17: Simbody's headers need it.

#include <memory>
#include <vector>

#include "bench/simulated/link_tree.hpp"

namespace kane::bench {

class TreeRun {
 public:
  virtual ~TreeRun() = default;
  TreeRun() = default;
  TreeRun(const TreeRun&) = delete;
  TreeRun& operator=(const TreeRun&) = delete;

  /// Back to the first state; not timed.
  virtual void restart() = 0;
  /// Continues for `duration` seconds. This is the part that is timed.
  virtual void run(double duration) = 0;
  /// Angles of all joints that are not free, in the order of the tree.
  [[nodiscard]] virtual std::vector<double> angles() const = 0;
};

/// RK4 with steps of 1 ms.
[[nodiscard]] std::unique_ptr<TreeRun> make_mujoco_run(const LinkTree& tree);
/// Merson's method of order four: fixed steps of 1 ms, or adaptive ones for an accuracy of 1e-6.
[[nodiscard]] std::unique_ptr<TreeRun> make_simbody_run(const LinkTree& tree, bool adaptive);

}  // namespace kane::bench
