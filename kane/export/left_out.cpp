#include "kane/export/export_plan.hpp"

namespace kane {

namespace {

/// Friction and limits of a joint's axes, which the joint itself or a load may state.
void note_joint(const Mechanism& mechanism, const Joint& joint, std::vector<std::string>& notes) {
  bool friction = false, limits = false;
  const auto look = [&](const AxisLaw& law) {
    friction = friction || !law.friction.is_zero();
    limits = limits || (mechanism.stops && law.has_rigid_stops());
  };
  for (const auto& motion : joint.motions) look(motion.law);
  for (const Load& load : mechanism.loads)
    if (const auto* on_joint = std::get_if<JointLoad>(&load.what); on_joint != nullptr && on_joint->joint == joint.name)
      look(on_joint->law);
  if (friction)
    notes.push_back(fmt::format("Coulomb friction of joint '{}' is not in the exported equations", joint.name));
  if (limits) notes.push_back(fmt::format("limits of joint '{}' are not in the exported equations", joint.name));
}

}  // namespace

std::vector<std::string> find_switched_parts(const Mechanism& mechanism) {
  std::vector<std::string> notes;
  for (const Joint& joint : mechanism.joints) note_joint(mechanism, joint, notes);
  for (const MechanismBody& body : mechanism.bodies)
    for (const Shape& shape : body.shapes)
      if (shape.contact) {
        notes.push_back(fmt::format("contact of body '{}' is not in the exported equations", body.name));
        break;
      }
  for (const ContactRule& rule : mechanism.switching.contacts)
    notes.push_back(fmt::format("contact '{}' is not in the exported equations", rule.name));
  for (const FrictionRule& rule : mechanism.switching.frictions)
    notes.push_back(fmt::format("dry friction '{}' is not in the exported equations", rule.name));
  return notes;
}

std::vector<std::string> find_left_out(const Mechanism& mechanism, const StartState& start) {
  std::vector<std::string> notes = find_switched_parts(mechanism);
  const Switching& switching = mechanism.switching;
  for (const SwitchRule& rule : switching.switches)
    notes.push_back(fmt::format("event '{}' is not in the exported equations", rule.name));
  if (switching.modes.size() > 1)
    notes.emplace_back("the exported equations stay in the mode in which the model starts");
  for (const InputSampling& sampled : mechanism.sampled_inputs)
    if (!start.inputs.contains(sampled.input))
      notes.push_back(fmt::format("input '{}' follows its law at every instant, not sampled", sampled.input));
  for (const InputSeries& series : mechanism.input_series)
    if (!start.inputs.contains(series.input))
      notes.push_back(fmt::format("input '{}' is constant in the driver, not given by points in time", series.input));
  for (const FmuController& fmu : mechanism.fmus)
    for (const auto& [input, output] : fmu.outputs)
      if (!start.inputs.contains(input))
        notes.push_back(fmt::format("input '{}' is constant, not driven by the FMU '{}'", input, fmu.given));
  return notes;
}

}  // namespace kane
