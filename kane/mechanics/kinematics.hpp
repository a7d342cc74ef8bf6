#pragma once
// Velocities and accelerations in the generalized speeds, stored the way Kane's method uses them:
//
//     w = sum_r w_r u_r + w_t,     v = sum_r v_r u_r + v_t                (partial velocities and remainder)
//     alpha = sum_r w_r u_r' + alpha_t,     a = sum_r v_r u_r' + a_t
//
// Partial velocities are read off, never differentiated for; accelerations come from the vector formulas. For a frame F
// that moves relative to its parent P with w_rel, and a point P located from Q by c, fixed or moving in frame G:
//
//     w_F = w_P + w_rel                       alpha_F = alpha_P + w_rel' + w_P x w_rel
//     v_P = v_Q + c' + w_G x c                a_P = a_Q + c'' + alpha_G x c + 2 w_G x c' + w_G x (w_G x c)
//
// where ' is the derivative of the components. Where the speeds themselves are the measure numbers of a velocity in
// some basis, that representation is used and nothing is carried along from the root ("direct").

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "kane/mechanics/bases.hpp"
#include "kane/mechanics/rates.hpp"

namespace kane {

struct PartialVelocity {
  int column;
  Expr3 c;
};

/// A velocity in one basis.
struct VelocityForm {
  FrameId basis;
  std::vector<PartialVelocity> partials;  ///< columns ascending, none zero
  Expr3 remainder;                        ///< w_t, v_t
  Expr3 value;                            ///< with the speeds put in
  Expr3 acceleration;                     ///< alpha_t, a_t
  bool direct = false;                    ///< partial velocities depend on parameters only in this basis

  [[nodiscard]] Expr3 partial(int column) const;
  [[nodiscard]] bool at_rest() const;
};

/// The part of a velocity that one edge (of the tree of frames or points) adds, in terms of the rates.
struct RateForm {
  std::vector<std::pair<int, Expr3>> terms;  ///< (rate, coefficient)
  Expr3 remainder;
};

class Kinematics {
 public:
  /// `base_acceleration` is given to the origin: with -g, the accelerations are those felt in uniform gravity.
  Kinematics(const System& system, const Bases& bases, RateModel model, const Substitution& time_rates,
             Vector base_acceleration = {});

  [[nodiscard]] const System& system() const { return *system_; }
  [[nodiscard]] const Bases& bases() const { return *bases_; }
  [[nodiscard]] const RateModel& model() const { return model_; }

  /// Angular velocity in the inertial frame, components in the frame itself.
  const VelocityForm& frame(FrameId f) { return frame(f, f); }
  /// The same, components in an ancestor.
  const VelocityForm& frame(FrameId f, FrameId basis);
  /// Velocity of a point, components in the basis chosen for the point.
  const VelocityForm& point(PointId p);

  /// A point of the system, or one added here.
  [[nodiscard]] const PointRecord& record(PointId p) const;
  [[nodiscard]] std::size_t point_count() const { return system_->points().size() + extra_points_.size(); }
  /// A further point fixed in a frame, for the use of this object only (the mass centre of several bodies).
  PointId add_point(PointId parent, FrameId f, const Expr3& offset);

  /// Angular velocity added by the edge of a frame, components in the frame.
  const RateForm& frame_edge(FrameId f);
  /// Derivative of the components of one term of the offset of a point.
  const RateForm& offset_rate(PointId p, std::size_t term);
  /// Auxiliary speeds of an edge: (column, direction).
  [[nodiscard]] std::vector<std::pair<int, Vector>> frame_auxiliaries(FrameId f) const;
  [[nodiscard]] std::vector<std::pair<int, Vector>> point_auxiliaries(PointId p) const;

  /// Derivative along the motion with u' = 0.
  Expr along(const Expr& e) { return along_(e); }
  Expr3 along(const Expr3& c) { return {along_(c[0]), along_(c[1]), along_(c[2])}; }
  Dependence& dependence() { return dependence_; }

  /// Teaches along() the derivatives of the direction cosines: the components c of an inertial basis vector in a frame F
  /// change at the rate c x w_F, which is shorter than differentiating products of sines and cosines.
  void know_direction_cosines();
  /// Derivative of the velocity v(p) with u' = 0, components in the basis of the point. It is the acceleration for
  /// ordinary points; "the point of a body that is just there" is another one a moment later, and there
  /// (v_Q + w x r)' = a_Q + alpha x r + w x r'.
  Expr3 velocity_rate(PointId p);
  /// Point fixed in a frame (for points of a carrier); throws ModelError if none is known.
  [[nodiscard]] PointId anchor(FrameId f) const;
  /// alpha_t x c + w x (w x c), the acceleration of a point at c fixed in a frame whose own point is at rest.
  [[nodiscard]] static Expr3 centripetal(const VelocityForm& w, const Expr3& c);

 private:
  using Key = std::pair<FrameId, FrameId>;

  VelocityForm form_frame(FrameId f, FrameId basis);
  VelocityForm form_point(PointId p);
  VelocityForm form_located(PointId p, FrameId basis);
  VelocityForm form_carried(PointId p, FrameId basis);
  void add_rate_form(VelocityForm& v, const RateForm& edge, FrameId from);
  void make_direct(VelocityForm& v);
  void find_direct_point(PointId p, VelocityForm& v);
  [[nodiscard]] std::vector<FrameId> direct_candidates(PointId p) const;
  [[nodiscard]] RateForm rate_form(const Expr3& velocity);
  [[nodiscard]] Expr3 rate_value(const RateForm& edge) const;
  [[nodiscard]] Expr3 rate_acceleration(const RateForm& edge);
  [[nodiscard]] VelocityForm in_basis(const VelocityForm& v, FrameId basis) const;
  [[nodiscard]] Expr column_symbol(int column) const;
  [[nodiscard]] FrameId basis_of(PointId p) const;
  [[nodiscard]] bool constant_partials(const VelocityForm& v);

  const System* system_;
  const Bases* bases_;
  RateModel model_;
  Tangent along_;
  Dependence dependence_;
  Vector base_acceleration_;
  std::deque<PointRecord> extra_points_;
  std::map<Key, VelocityForm> frames_;
  std::map<PointId, VelocityForm> points_;
  std::map<FrameId, RateForm> frame_edges_;
  std::map<std::pair<PointId, std::size_t>, RateForm> offset_rates_;
};

}  // namespace kane
