#pragma once
// Forces and torques to generalized forces: for every column r (a generalized speed)
//
//     sum over points P of f_P . v_r^P  +  sum over frames F of t_F . w_r^F.
//
// The sum is not formed column by column. Since v^P = v^Q + c' + w^G x c for a point located from Q, a force at P is the
// same force at Q, a torque c x f on G, and contributes f . (coefficient of rate k in c') to rate k; and a torque on a
// frame is the same torque on its parent and contributes its component along the axis to the rate of the angle. So
// forces are handed down the trees of points and frames once, for all columns together, and in the end
// F_r = sum_k W_kr Phi_k. Where the speeds are measure numbers of a velocity the sum ends there. With few columns the
// textbook way, f . v_r and t . w_r at every body, is shorter (Method::Textbook).

#include <vector>

#include "kane/mechanics/kinematics.hpp"

namespace kane {

class Projection {
 public:
  enum class Method : std::uint8_t { HandDown, Textbook };
  explicit Projection(Kinematics& kinematics, Method method = Method::HandDown);

  /// Force at a point, components in the basis of Kinematics::point(p).
  void add_force(PointId p, const Expr3& force);
  /// The same as factor times a vector: equal vectors coming together add their factors (masses).
  void add_force(PointId p, const Expr& factor, const Expr3& vector);
  void add_force(PointId p, const Vector& force);
  /// Kept in the basis it is given in on the way down; best the frame itself or an ancestor.
  void add_torque(FrameId f, const Vector& torque);
  /// A generalized force that belongs to a rate directly (potentials).
  void add_rate_force(int rate, const Expr& value) { add_to_rate(rate, value); }

  /// One generalized force per column; those of columns that are not wanted are left zero. Call once.
  [[nodiscard]] std::vector<Expr> project(const std::vector<bool>& wanted);

 private:
  struct Scaled {
    Expr factor;
    Expr3 vector;
  };
  struct ForceSum {
    Expr3 plain;
    std::vector<Scaled> scaled;
    [[nodiscard]] bool empty() const;
  };

  void add(ForceSum& sum, const ForceSum& more);
  void add(ForceSum& sum, const Expr& factor, const Expr3& vector);
  [[nodiscard]] ForceSum moved(const ForceSum& sum, FrameId from, FrameId to) const;
  [[nodiscard]] static Expr dot(const ForceSum& sum, const Expr3& c);
  [[nodiscard]] static Expr3 moment(const Expr3& arm, const ForceSum& sum);
  void hand_down_force(PointId p);
  void hand_down_torque(FrameId f);
  [[nodiscard]] bool project_direct_torque(FrameId f, const Vector& torque);
  void project_torque(FrameId f, FrameId basis, const Expr3& torque);
  void add_to_rate(int rate, const Expr& value);
  void add_to_column(int column, const Expr& value);

  Kinematics& kinematics_;
  Method method_;
  std::vector<ForceSum> forces_;
  std::vector<Vector> torques_;
  std::vector<bool> wanted_;
  std::vector<bool> wanted_rate_;
  std::vector<Expr> rate_forces_;
  std::vector<Expr> column_forces_;
};

}  // namespace kane
