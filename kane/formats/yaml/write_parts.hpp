#pragma once
// The parts of a model as nodes, which yaml_writer.cpp puts together.

#include "kane/formats/yaml/yaml_emit.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

[[nodiscard]] std::string scalar_text(const Expr& value);
[[nodiscard]] YamlNode vector_node(const Expr3& v);
[[nodiscard]] YamlNode names_node(const std::vector<std::string>& names);
[[nodiscard]] YamlNode quantities_node(const std::vector<Quantity>& quantities);

/// {axis, angle} or {rpy} if the matrix is such a rotation, {matrix} otherwise.
[[nodiscard]] YamlNode orientation_node(const Expr33& rotation);
/// Adds the position and the orientation to a map, unless they are zero and the identity.
void add_placement(YamlNode& group, const Placement& place, const char* position_key, const char* orientation_key);

[[nodiscard]] YamlNode body_node(const Mechanism& m, const MechanismBody& body);
[[nodiscard]] YamlNode joint_node(const Mechanism& m, const Joint& joint);
[[nodiscard]] YamlNode load_node(const Mechanism& m, const Load& load);
[[nodiscard]] YamlNode constraint_node(const Constraint& constraint);

/// The keys of a motor, spring, damper or stop.
void add_axis_law(YamlNode& group, const AxisLaw& law);

}  // namespace kane
