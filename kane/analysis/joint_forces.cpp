#include "kane/analysis/joint_forces.hpp"

#include <algorithm>
#include <utility>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/given_forces.hpp"

namespace kane {

namespace {

void check_joint_name(const Mechanism& mechanism, const std::string& joint) {
  if (joint.empty() || mechanism.find_joint(joint) != nullptr) return;
  std::vector<std::string> known;
  for (const Joint& j : mechanism.joints) known.push_back(j.name);
  throw ModelError(fmt::format("there is no joint '{}'{}", joint, suggestion(joint, known)));
}

std::optional<std::size_t> place(int index) {
  return index < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(index));
}

std::string name_at(const std::vector<std::string>& names, std::optional<std::size_t> place) {
  return place ? names[*place] : std::string();
}

}  // namespace

JointForcesEvaluator::JointForcesEvaluator(const Model& model, JointForcesOptions options)
    : model_(model), options_(std::move(options)) {
  check_joint_name(model.mechanism(), options_.joint);
  if (model.mechanism().equations) {  // no joints: the multipliers of its constraints are all there is
    table_.free_count = static_cast<int>(model.equations().u.size());
    for (const ConstraintEquation& c : model.equations().constraints) table_.free_count -= c.active ? 1 : 0;
    first_force_ = model.equations().auxiliary_forces.size();
    evaluator_.emplace(model_);
    return;
  }
  Mechanism mechanism = copy_mechanism(model.mechanism());
  FormOptions form;
  form.formulation = model.options().formulation;
  form.outputs = false;
  EquationsOfMotion equations = form_equations(mechanism, form);
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  table_ = form_dof_table(mechanism, lowered, equations);
  equations.reactions = form_reactions(mechanism, lowered, equations.constraints, options_.view);
  first_force_ = equations.auxiliary_forces.size();
  const auto names = table_.constraint_names();
  const auto forces = table_.constraint_forces();
  for (std::size_t i = 0; i < names.size(); ++i) equations.auxiliary_forces.push_back({names[i], forces[i]});
  if (const Substitution known = find_eliminated_forces(lowered, equations); !known.empty()) {
    for (ReactionOutput& r : equations.reactions)
      for (Expr3* c : {&r.force, &r.torque})
        for (Expr& x : *c) x = substitute(x, known);
    for (AuxiliaryForce& f : equations.auxiliary_forces) f.value = substitute(f.value, known);
  }
  model_ = Model(std::move(mechanism), std::move(equations), model.options());
  evaluator_.emplace(model_);
}

JointForcesReport JointForcesEvaluator::calc(const StartState& state) {
  const Evaluation at = evaluator_->calc(state);
  JointForcesReport report;
  report.model = at.model, report.t = at.t, report.warnings = at.warnings, report.failure = at.failure;
  report.assembly = at.assembly;
  report.degrees_of_freedom = table_.free_count;
  if (!at.failure.empty()) return report;
  report.constraint_forces.assign(at.auxiliary_forces.begin() + static_cast<std::ptrdiff_t>(first_force_),
                                  at.auxiliary_forces.end());
  for (const ConstraintValue& c : at.constraints) report.multipliers.push_back({c.name, c.multiplier});
  std::size_t tree_joint = 0;
  for (const Joint& joint : model_.mechanism().joints) {
    const DofEntry* const entry = joint.closing ? nullptr : &table_.entries[tree_joint++];
    if (options_.joint.empty() || joint.name == options_.joint) report.joints.push_back(describe(joint, entry, at));
  }
  return report;
}

JointForces JointForcesEvaluator::describe(const Joint& joint, const DofEntry* entry, const Evaluation& at) const {
  JointForces r;
  r.joint = joint.name, r.type = joint.kind, r.parent = joint.parent, r.child = joint.child;
  r.closing = joint.closing;
  if (entry != nullptr) {
    r.rotation_sequence = entry->rotation_sequence, r.translation_sequence = entry->translation_sequence;
    r.fourth_euler_parameter = name_at(at.coordinates, place(entry->spherical_coordinate));
    for (const DofAxis& axis : entry->axes) {
      JointAxisForce row;
      row.axis = axis.name, row.free = axis.free;
      row.speed = place(axis.speed), row.coordinate = place(axis.coordinate), row.constraint = place(axis.constraint);
      row.speed_name = name_at(at.speeds, row.speed), row.coordinate_name = name_at(at.coordinates, row.coordinate);
      if (row.constraint) row.force = at.auxiliary_forces[first_force_ + *row.constraint].value;
      r.axes.push_back(std::move(row));
    }
  }
  const auto reaction = std::find_if(at.reactions.begin(), at.reactions.end(),
                                     [&](const ReactionValue& value) { return value.name == joint.name; });
  ensure(reaction != at.reactions.end(), "joint '{}' has no reaction", joint.name);
  r.reaction = *reaction;
  if (options_.view.frame.empty()) r.reaction.frame = joint.child;
  if (options_.view.point.empty()) r.reaction.point = joint.name;
  return r;
}

}  // namespace kane
