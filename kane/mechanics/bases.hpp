#pragma once
// The choice of a basis for a vector. Turning components from one frame into a neighbouring one costs four products, so
// positions, velocities, accelerations and forces at a point are kept in the basis that makes the sum of all turns
// least: the body's own basis along a serial arm, the inertial one for a planar chain or a bundle of pendulums.

#include <vector>

#include "kane/mechanics/system.hpp"

namespace kane {

class Bases {
 public:
  explicit Bases(const System& system);

  /// Number of turns between two frames.
  [[nodiscard]] int distance(FrameId a, FrameId b) const { return distance_[a.index() * count_ + b.index()]; }
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

  void find_shortcuts();
  void find_distances();
  void choose_labels();
  [[nodiscard]] std::vector<int> own_cost(PointId p) const;
  [[nodiscard]] std::vector<FrameId> neighbours(FrameId f) const;
  [[nodiscard]] Expr3 step(const Expr3& c, FrameId from, FrameId to) const;

  const System* system_;
  std::size_t count_;
  std::vector<Shortcut> shortcuts_;
  std::vector<std::vector<FrameId>> neighbours_;
  std::vector<int> distance_;
  std::vector<FrameId> next_;  // first step on the way from a to b
  std::vector<FrameId> label_;
};

}  // namespace kane
