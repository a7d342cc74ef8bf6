#pragma once
// Limits of joints and motors in numbers: for analyses that do not follow stops, and for inverse problems, which find
// motions and forces without regard to the limits of joints and motors.

#include <span>
#include <string>
#include <vector>

#include "kane/model/model.hpp"

namespace kane {

/// Limits of one coordinate; infinite where there is none.
struct JointRange {
  std::string joint, coordinate;
  std::size_t place = 0;  ///< index of the coordinate among all
  double lower = 0, upper = 0;
  bool rigid = false;    ///< the stops are rigid: not part of the smooth equations
  std::string actuator;  ///< input of the motor; "": there is none, or a law acts as well
  double max_force = 0, max_speed = 0;
  std::string motor;  ///< what it is asked for, as an expression; "": there is none
};

/// Ranges of all coordinates that have limits, in the order of the joints.
[[nodiscard]] std::vector<JointRange> find_joint_ranges(const Model& model, const Start& start);

/// "'q' is 0.2 beyond its upper limit 0.785 (joint 'hinge')" of the coordinate that is farthest outside; "" if all are inside.
/// At a limit counts as outside if the stop should not even be touched.
[[nodiscard]] std::string describe_outside(std::span<const JointRange> ranges, std::span<const double> q,
                                           bool touching = false);

/// A sentence for every motor that is at its max_force or max_speed: forces asked of it have no effect there. `evaluator`
/// has the inputs and the time of the state.
[[nodiscard]] std::vector<std::string> describe_saturation(std::span<const JointRange> ranges,
                                                           const SystemEvaluator& evaluator, const State& state);

}  // namespace kane
