#pragma once
// The frames of a system: who is oriented relative to whom, and the products of vectors that follow from it. Every
// orientation is stated once; frames without a common ancestor cannot be compared, and the message says what is missing.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kane/mechanics/orientation.hpp"

namespace kane {

class Frames {
 public:
  /// One frame and the edge to its parent.
  struct Frame {
    std::string name;
    bool hidden = false;       ///< an intermediate frame of a rotation sequence
    FrameId parent;            ///< invalid for a frame that is not oriented relative to another
    std::optional<Axis> axis;  ///< set for a simple rotation: `angle` about this axis
    Expr angle;                ///< angle of a rotation about a fixed axis, simple or not
    Expr3 rotation_axis;       ///< unit vector of a rotation about a fixed axis
    Expr cosine, sine;         ///< of the angle of a simple rotation
    Expr33 rotation;           ///< parent components = rotation * components
    /// The orientation as stated, unless it is a rotation about a fixed axis.
    std::variant<std::monostate, EulerParameters, RodriguesParameters, DirectionCosines> definition;
    /// Euler or Rodrigues parameters that are coordinates: symbols of the components (in the frame that was stated as
    /// child) of the angular velocity, which take the place of the rates of the parameters.
    bool quasi = false;
    Expr3 quasi_rates;
    /// The edge was stated from child to parent and turned round.
    bool reversed = false;
  };

  /// Starts with the inertial frame.
  Frames(Graph& graph, std::string inertial_name);

  [[nodiscard]] static FrameId inertial() { return FrameId(0); }
  FrameId add_frame(std::string name, bool hidden = false);
  /// States the orientation of `child` relative to `parent`. Throws ModelError if the two are already related.
  /// `quasi`: the Euler or Rodrigues parameters are coordinates, so their rates follow from three angular velocities.
  void orient(FrameId child, FrameId parent, const Orientation& orientation, bool quasi = false);

  [[nodiscard]] std::size_t size() const { return frames_.size(); }
  [[nodiscard]] const Frame& operator[](FrameId f) const { return frames_[f.index()]; }
  [[nodiscard]] const std::string& name(FrameId f) const { return frames_[f.index()].name; }
  [[nodiscard]] std::optional<FrameId> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  [[nodiscard]] bool related(FrameId a, FrameId b) const { return root(a) == root(b); }
  /// Throws ModelError naming the frames and what to add.
  void check_related(FrameId a, FrameId b) const;
  [[nodiscard]] int depth(FrameId f) const;
  [[nodiscard]] FrameId common_ancestor(FrameId a, FrameId b) const;
  /// a, then the frames along the path, then b.
  [[nodiscard]] std::vector<FrameId> path(FrameId a, FrameId b) const;
  /// Whether `f` is `ancestor` or oriented relative to it, directly or not.
  [[nodiscard]] bool descends(FrameId f, FrameId ancestor) const;

  /// Components of the same vector in another frame, one rotation after the other.
  [[nodiscard]] Expr3 express(const Expr3& c, FrameId from, FrameId to) const;
  [[nodiscard]] Expr3 express(const Vector& v, FrameId to) const;
  [[nodiscard]] Expr33 express(const Expr33& c, FrameId from, FrameId to) const;
  [[nodiscard]] Expr33 express(const Dyadic& d, FrameId to) const;
  /// Components in `to` = rotation * components in `from`: the columns are the basis vectors of `from`.
  [[nodiscard]] Expr33 rotation(FrameId from, FrameId to) const;

  [[nodiscard]] Expr dot(const Vector& a, const Vector& b) const;
  [[nodiscard]] Vector cross(const Vector& a, const Vector& b) const;
  [[nodiscard]] Vector dot(const Dyadic& d, const Vector& v) const;

  /// One step along an edge: components in `f` to components in its parent, and back.
  [[nodiscard]] Expr3 to_parent(FrameId f, const Expr3& c) const;
  [[nodiscard]] Expr3 from_parent(FrameId f, const Expr3& c) const;

 private:
  [[nodiscard]] FrameId root(FrameId f) const;
  void attach(FrameId child, FrameId parent, Frame edge);
  void reroot(FrameId f);
  [[nodiscard]] Frame turned_round(const Frame& edge, FrameId new_parent, FrameId child) const;
  Frame make_edge(FrameId child, FrameId parent, const Orientation& orientation, bool quasi);
  void orient_sequence(FrameId child, FrameId parent, const RotationSequence& sequence);
  [[nodiscard]] FrameId meeting_frame(const Vector& a, const Vector& b) const;

  Graph* graph_;
  std::vector<Frame> frames_;
};

}  // namespace kane
