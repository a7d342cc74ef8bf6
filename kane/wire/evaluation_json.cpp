// Evaluations and joint forces.

#include <nlohmann/json.hpp>

#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/joint_forces.hpp"
#include "kane/wire/json.hpp"

namespace kane::wire {

namespace {

Json vector(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json by_name(const std::vector<NamedValue>& values) {
  Json object = Json::object();
  for (const NamedValue& v : values) object[v.name] = v.value;
  return object;
}

Json reaction(const ReactionValue& r) {
  return {{"force", vector(r.force)}, {"torque", vector(r.torque)}, {"frame", r.frame}, {"point", r.point}};
}

void add_constraints(const Evaluation& e, Json& a) {
  a["independent_speeds"] = e.independent_speeds;
  if (e.mass.rows() > 0 || !e.constraints.empty())
    a["M_embedded"] = rows(e.embedded_mass), a["rhs_embedded"] = e.embedded_rhs;
  a["constraint_names"] = a["constraint_jacobian"] = a["constraint_multipliers"] = a["constraint_residuals"] =
      Json::array();
  for (const ConstraintValue& c : e.constraints) {
    a["constraint_names"].push_back(c.name);
    a["constraint_multipliers"].push_back(c.multiplier);
    a["constraint_residuals"].push_back(c.residual);
  }
  if (!e.constraints.empty()) a["constraint_jacobian"] = rows(e.constraint_jacobian);
}

void add_motion(const Evaluation& e, Json& a) {
  const auto optional = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  a["kinetic"] = optional(e.kinetic), a["potential"] = optional(e.potential);
  a["points"] = a["bodies"] = a["reactions"] = Json::object();
  if (e.linear_momentum) a["linear_momentum"] = vector(*e.linear_momentum);
  if (e.angular_momentum) a["angular_momentum"] = vector(*e.angular_momentum);
  for (const PointValue& p : e.points)
    a["points"][p.name] = {
        {"position", vector(p.position)}, {"velocity", vector(p.velocity)}, {"acceleration", vector(p.acceleration)}};
  for (const BodyValue& b : e.bodies)
    a["bodies"][b.name] = {
        {"rotation", Json::array({vector(b.rotation.rows[0]), vector(b.rotation.rows[1]), vector(b.rotation.rows[2])})},
        {"angular_velocity", vector(b.angular_velocity)},
        {"angular_acceleration", vector(b.angular_acceleration)}};
  for (const ReactionValue& r : e.reactions) a["reactions"][r.name] = reaction(r);
  if (!e.auxiliary_forces.empty()) a["auxiliary_forces"] = by_name(e.auxiliary_forces);
  a["outputs"] = by_name(e.outputs);
}

Json counts(const std::optional<OperationCount>& c) {
  if (!c) return nullptr;
  return {{"mul", c->mul}, {"add", c->add}, {"div", c->div}, {"func", c->func}};
}

Json index(const std::optional<std::size_t>& i) { return i ? Json(*i) : Json(nullptr); }
Json name(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json joint_json(const JointForces& joint) {
  Json a{{"joint", joint.joint}, {"type", joint.type}, {"parent", joint.parent}, {"child", joint.child}};
  if (joint.closing) {
    a["closing"] = true;
  } else {
    a["rotation_sequence"] = joint.rotation_sequence;
    a["translation_sequence"] = joint.translation_sequence;
    a["axes"] = Json::array();
    for (const JointAxisForce& axis : joint.axes)
      a["axes"].push_back({{"axis", axis.axis},
                           {"free", axis.free},
                           {"speed", name(axis.speed_name)},
                           {"speed_index", index(axis.speed)},
                           {"coordinate", name(axis.coordinate_name)},
                           {"coordinate_index", index(axis.coordinate)},
                           {"constraint_index", index(axis.constraint)},
                           {"force", axis.constraint ? Json(axis.force) : Json(nullptr)}});
    if (!joint.fourth_euler_parameter.empty()) a["fourth_euler_parameter"] = joint.fourth_euler_parameter;
  }
  a["reaction"] = reaction(joint.reaction);
  return a;
}

}  // namespace

Json to_json(const Evaluation& e) {
  Json a;
  a["model"] = e.model, a["formulation"] = e.formulation, a["t"] = e.t;
  a["coordinates"] = e.coordinates, a["speeds"] = e.speeds;
  a["q"] = e.q, a["u"] = e.u, a["qdot"] = e.qdot;
  if (e.mass.rows() > 0 || e.udot.empty()) a["M"] = rows(e.mass), a["rhs"] = e.rhs;
  a["udot"] = e.udot;
  if (!e.active_forces.empty() || e.udot.empty())
    a["generalized_active_forces"] = e.active_forces, a["generalized_inertia_forces"] = e.inertia_forces;
  add_constraints(e, a);
  add_motion(e, a);
  if (!e.contacts.empty()) a["contacts"] = contacts_json(e.contacts);
  for (const KernelCount& k : e.operations) a["operations"][k.kernel] = counts(k.operations);
  if (!e.assembly.moved.empty()) a["assembly"] = to_json(e.assembly);
  if (!e.warnings.empty()) a["warnings"] = e.warnings;
  return a;
}

Json to_json(const JointForcesReport& report) {
  Json a;
  a["model"] = report.model, a["t"] = report.t;
  a["degrees_of_freedom"] = report.degrees_of_freedom;
  a["joints"] = Json::array();
  for (const JointForces& joint : report.joints) a["joints"].push_back(joint_json(joint));
  a["constraint_names"] = a["constraint_forces"] = Json::array();
  for (const NamedValue& f : report.constraint_forces)
    a["constraint_names"].push_back(f.name), a["constraint_forces"].push_back(f.value);
  a["multipliers"] = by_name(report.multipliers);
  if (!report.assembly.moved.empty()) a["assembly"] = to_json(report.assembly);
  if (!report.warnings.empty()) a["warnings"] = report.warnings;
  return a;
}

}  // namespace kane::wire
