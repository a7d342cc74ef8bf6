#pragma once
// Forces along coordinates that an MJCF file describes besides springs and dampers of joints: actuators and tendons, as
// texts in the names of a Mechanism.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kane/formats/mjcf/mjcf_bodies.hpp"

namespace kane {

/// A coordinate with one degree of freedom, by the name of its joint in the file.
struct MjcfAxis {
  std::string coordinate;
  std::string speed;
  const MjcfElement* element = nullptr;
  double reference = 0;
  double inertia = 0;  ///< diagonal entry of the mass matrix in the described pose, with armature
  bool rotates = false;
};

/// A straight part of a spatial tendon between points of two bodies.
struct MjcfStretch {
  std::string from, to;  ///< points; `to` is on a body that moves
  double share = 1;      ///< of the tension, divided by pulleys
};

/// A linear combination of coordinates: a joint with its gear, or a fixed tendon; or the path of a spatial tendon.
struct MjcfLength {
  std::vector<std::pair<const MjcfAxis*, double>> terms;
  std::vector<MjcfStretch> path = {};
  double factor = 1;                       ///< of the path: the gear
  std::string path_text = {};              ///< length of the path, the name of an expression
  std::string path_rate = {};              ///< likewise
  double path_reference = 0;               ///< in the described pose
  [[nodiscard]] std::string text() const;  ///< of the length
  [[nodiscard]] std::string rate() const;
  [[nodiscard]] double reference() const;  ///< in the described pose
};

/// gain * u + bias, with what limits them.
struct MjcfActuator {
  const MjcfElement* element = nullptr;
  std::string name;
  bool gain_affine = false, bias_affine = false;
  std::vector<double> gain{1, 0, 0}, bias{0, 0, 0};
  std::vector<double> gear{1, 0, 0, 0, 0, 0};
  std::vector<double> control_range, force_range;  ///< empty if not limited
  std::string joint, tendon, site;
  bool in_parent = false;
  double damping_ratio = 0;
  double inherited_range = 0;
  /// "none", or a state of its own that takes the place of the control: "integrator" (its rate is the control), "filter" (it
  /// follows the control with the time constant).
  std::string dynamics = "none";
  double time_constant = 1;
  std::vector<double> state_range;  ///< empty if not limited
};

/// Nothing if Kane cannot represent it (the refusals then say so).
[[nodiscard]] std::optional<MjcfActuator> read_actuator(const MjcfActuatorText& text, const MjcfCompiler& compiler,
                                                        MjcfRefusals& refusals);

/// The number as it stands in an expression: in parentheses if it is negative.
[[nodiscard]] std::string number_text(double value);
/// min(max(text, low), high)
[[nodiscard]] std::string clamped(const std::string& text, const std::vector<double>& range);

/// The force of an actuator along a length; null for a length that it does not have (a site or a free body). `signal` is
/// the control within its range, or the state of the actuator.
[[nodiscard]] std::string actuator_force(const MjcfActuator& actuator, const std::string& signal,
                                         const MjcfLength* length);
/// The rate of the state of an actuator that has one; it stops at the ends of its range.
[[nodiscard]] std::string actuator_state_rate(const MjcfActuator& actuator, const std::string& state,
                                              const std::string& control);

}  // namespace kane
