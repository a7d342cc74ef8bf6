#pragma once
// The choice of a basis for a vector. Turning components from one frame into a neighbouring one costs four products, so
// positions, velocities, accelerations and forces at a point are kept in the basis that makes the sum of all turns
// least: the body's own basis along a serial arm, the inertial one for a planar chain or a bundle of pendulums.

#include <span>
#include <vector>

#include "kane/mechanics/system.hpp"

namespace kane {

class Bases {
 public:
  explicit Bases(const System& system);

  /// Number of turns between two frames.
  [[nodiscard]] int distance(FrameId a, FrameId b) const { return ways_to(b).distance[a.index()]; }
  /// Components in another frame by the shortest way.
  [[nodiscard]] Expr3 express(const Expr3& c, FrameId from, FrameId to) const;
  [[nodiscard]] Expr3 express(const Vector& v, FrameId to) const;
  [[nodiscard]] Expr33 express(const Expr33& c, FrameId from, FrameId to) const;
  /// The basis for vectors at a point.
  [[nodiscard]] FrameId of(PointId p) const { return label_[p.index()]; }

 private:
  struct Shortcut {  // from a frame to an ancestor that it differs from by turns about one axis only
    FrameId top;
    Axis axis = Axis::X;
    Expr cosine, sine;
  };

  struct Ways {  // from every frame to one
    std::vector<int> distance;
    std::vector<FrameId> next;  // first step
  };

  void find_shortcuts();
  void find_neighbours();
  void choose_labels();
  /// Found on first use: bodies that are all oriented in the ground need few of them, not one for each pair of frames.
  [[nodiscard]] const Ways& ways_to(FrameId target) const;
  /// For every basis, or nothing if they are all equally good.
  [[nodiscard]] std::vector<int> own_cost(PointId p, std::span<const std::vector<FrameId>> loads) const;
  void relax(std::vector<int>& cost) const;
  [[nodiscard]] Expr3 step(const Expr3& c, FrameId from, FrameId to) const;

  const System* system_;
  std::size_t count_;
  std::vector<Shortcut> shortcuts_;
  std::vector<std::vector<FrameId>> neighbours_;
  mutable std::vector<Ways> ways_;  // by target
  std::vector<FrameId> label_;
};

}  // namespace kane
