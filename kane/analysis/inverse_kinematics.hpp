#pragma once
// Inverse kinematics: coordinates that bring points and bodies to given targets. Damped least squares
// (kane/solve/newton.hpp) on
//
//     x_P(q) - x*       given components                 R_B(q) - R*      all nine, times a length
//     phi(q, t)         active constraints, |e| = 1       weighted so that they dominate
//
// within limits of the coordinates, from the given start and from others. If the target is out of reach: the nearest configuration, and its distance.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

struct PositionTarget {
  std::string point;
  std::array<std::optional<double>, 3> position;  ///< in N; components left out are free
};

struct OrientationTarget {
  std::string body;
  std::array<double, 9> rotation{};  ///< by rows, body to N
};

/// Body-fixed angles about x, y, z in this order (rad), as a rotation matrix by rows: R = Rx Ry Rz.
[[nodiscard]] std::array<double, 9> rotation_xyz(double x, double y, double z);
/// Throws ModelError if the quaternion (vector part first) is zero.
[[nodiscard]] std::array<double, 9> rotation_from_quaternion(std::array<double, 4> quaternion);

struct InverseKinematicsOptions {
  std::vector<PositionTarget> positions{};
  std::vector<OrientationTarget> orientations{};
  /// One per coordinate, or empty.
  std::vector<double> lower{}, upper{};
  /// Coordinates held at their initial values.
  std::vector<std::string> held{};
  double length = 1;         ///< m: length equivalent to one radian
  double tolerance = 1e-10;  ///< m
  int starts = 40;
  bool all = false;  ///< search from all starts, for all solutions
  /// Called before each additional start. What it throws ends the search.
  std::function<void()> on_start{};
};

struct KinematicSolution {
  std::vector<double> q;
  bool reached = false;
  double distance = 0;  ///< m, root of the sum of squares over the points
  double angle = 0;     ///< rad, largest over the bodies
  std::vector<std::string> at_limit;
};

struct KinematicReport {
  std::vector<KinematicSolution> solutions;  ///< nearest to the start first; if out of reach: the closest configuration
  int starts = 0;
  int free = 0;  ///< dimension of the remaining motion at the first solution
  [[nodiscard]] bool reached() const { return !solutions.empty() && solutions.front().reached; }
};

class InverseKinematics {
 public:
  /// Throws ModelError for unknown names, and if there is no target. Adds expressions to the graph of the equations.
  InverseKinematics(SystemEvaluator& evaluator, InverseKinematicsOptions options);
  [[nodiscard]] KinematicReport solve(const State& start);

 private:
  using Vector = std::vector<double>;
  void add_targets();
  void check_limits() const;
  [[nodiscard]] bool try_start(Vector q);
  [[nodiscard]] KinematicSolution measure(const Vector& q);

  SystemEvaluator& evaluator_;
  InverseKinematicsOptions options_;
  ConstraintProjector projector_;
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
  Vector target_, scale_, zeros_, start_q_;
  std::vector<std::size_t> position_rows_;  ///< number of components of each point
  std::size_t rows_ = 0;
  std::optional<GaussNewton> newton_;
  std::vector<KinematicSolution> found_;
  std::optional<KinematicSolution> nearest_;
  int rank_ = 0;
};

}  // namespace kane
