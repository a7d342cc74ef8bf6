#pragma once
// Operational space: Jacobians of points and bodies, and the inertia felt there (Khatib, A unified
// approach for motion and force control of robot manipulators, IEEE J. Robotics and Automation RA-3, 1987).
//
//     v = J u + v_t         J: partial velocities (of points) and partial angular velocities (of bodies), in N
//     a = J udot + a_t      a_t at udot = 0
//     Lambda^-1 = J M^-1 J^T     (51), with constraints M^-1 -> C (C^T M C)^-1 C^T
//
// A force f at the point accelerates it by Lambda^-1 f; in the null directions of Lambda^-1 the point cannot move.

#include <memory>
#include <string>
#include <vector>

#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {

struct Task {
  std::string name;       ///< name of a point or a body
  bool rotation = false;  ///< angular velocity of the body instead of the velocity of the point
};

struct TaskReport {
  std::vector<std::string> rows;       ///< "tip.x", ..., "hand.wz"
  std::vector<double> velocity, bias;  ///< v and a_t
  Matrix jacobian;                     ///< rows x speeds, without constraints
  Matrix constrained_jacobian;         ///< rows x independent speeds: J C
  std::vector<std::string> independent;
  Matrix inverse_inertia;               ///< Lambda^-1
  Matrix inertia;                       ///< its pseudo-inverse: the inverse on the directions that can move
  int rank = 0;                         ///< rank of Lambda^-1
  std::vector<double> singular_values;  ///< singular values of J C, descending
  double manipulability = 0;            ///< product of the singular values (as many as there are rows), Yoshikawa 1985
};

class OperationalSpace {
 public:
  /// Throws ModelError for unknown names. Adds expressions to the graph of the equations.
  OperationalSpace(SystemEvaluator& evaluator, const std::vector<Task>& tasks);

  /// Uses the evaluator's parameters, inputs, time and active constraints. Throws ModelError if M cannot be inverted.
  [[nodiscard]] TaskReport calc(std::span<const double> q, std::span<const double> u);

 private:
  SystemEvaluator& evaluator_;
  std::vector<std::string> rows_;
  std::unique_ptr<Kernel> kernel_;
  KernelRunner runner_;
};

}  // namespace kane
