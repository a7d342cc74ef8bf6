// Actuators and tendons.

#include <algorithm>
#include <cmath>

#include "kane/formats/mjcf/mjcf_builder.hpp"

namespace kane {

void MjcfBuilder::weigh_axes() {
  for (auto& [name, place] : axes_) {
    const MjcfBody& b = bodies_[place.body];
    const Vec3 axis = b.world.rotation * place.joint->axis;
    const Vec3 point = b.world.position + b.world.rotation * place.joint->position;
    for (std::size_t k = place.body; k < bodies_.size(); ++k) {
      std::size_t up = k;
      while (up > place.body) up = bodies_[up].parent;  // parents stand before children
      if (up != place.body) continue;
      const MjcfMass mass = placed(bodies_[k].mass, bodies_[k].world);
      place.axis.inertia += place.axis.rotates ? moment_about(mass, point, axis) : mass.mass;
    }
  }
}

MjcfLength MjcfBuilder::joint_length(const MjcfElement& e, const std::string& joint, double factor) const {
  return {{{&find_part(axes_, joint, e, "joint with one degree of freedom").axis, factor}}};
}

std::optional<MjcfLength> MjcfBuilder::tendon_length(const MjcfElement& user, const std::string& name, double factor) {
  for (const MjcfElement& t : file_.tendons) {
    if (t.text("name") != name) continue;
    if (t.name != "fixed") return path_length(t, factor);
    MjcfLength length;
    for (const MjcfElement& term : t.children)
      length.terms.emplace_back(&find_part(axes_, term.text("joint"), term, "joint with one degree of freedom").axis,
                                factor * term.number("coef", 1));
    return length;
  }
  user.fail(fmt::format("there is no tendon '{}'", shown(name)));
}

std::optional<MjcfLength> MjcfBuilder::path_length(const MjcfElement& t, double factor) {
  const std::string name = t.text("name");
  auto known = paths_.find(&t);
  if (known == paths_.end()) known = paths_.emplace(&t, find_path(t, plain_name(name))).first;
  if (known->second) known->second->factor = factor;
  return known->second;
}

std::optional<MjcfLength> MjcfBuilder::find_path(const MjcfElement& t, const std::string& name) {
  const auto site_of = [&](const MjcfElement& e) {
    const MjcfSite& site = find_part(sites_, e.text("site"), e, "site");
    const std::size_t owner = bodies_[site.body].owner;
    const MjcfPose& world = bodies_[owner].world;
    return MjcfPathSite{site.point, owner, world.position + world.rotation * site.pose.position};
  };
  const std::optional<MjcfPath> path = find_mjcf_path(t, site_of, refusals_);
  if (!path) return {};
  MjcfLength length;
  length.path = path->stretches;
  length.path_reference = path->reference;
  length.path_text = expressions_.add("length_" + name, "expression");
  length.path_rate = expressions_.add("rate_" + name, "expression");
  m_.expressions.push_back({length.path_text, Quantity(path->text, t.where)});
  m_.expressions.push_back({length.path_rate, Quantity(path->rate, t.where)});
  return length;
}

void MjcfBuilder::push_along(const MjcfLength& length, const std::string& force, const std::string& name,
                             const Where& where) {
  const std::string pull = expressions_.add("force_" + plain_name(name), "expression");
  m_.expressions.push_back({pull, Quantity(force, where)});
  for (const MjcfStretch& s : length.path) {
    Load load{loads_.add(name, "load"), {}, where};
    const std::string amount = scaled(length.factor * s.share, pull);
    load.what = ForceLoad{{fmt::format("{}*unit(position({}, {}))", amount, s.to, s.from), where}, {}, s.to, s.from};
    m_.loads.push_back(std::move(load));
  }
}

void MjcfBuilder::add_actuators() {
  ImportNames inputs;
  for (const Expr& q : m_.all_coordinates()) (void)inputs.add(q.name(), "");
  for (const Expr& u : m_.joint_speeds()) (void)inputs.add(u.name(), "");
  for (const char* name : {"g", "t"}) (void)inputs.add(name, "");
  for (std::size_t k = 0; k < file_.actuators.size(); ++k) {
    const MjcfElement& e = file_.actuators[k].element;
    std::optional<MjcfActuator> a = read_actuator(file_.actuators[k], compiler_, refusals_);
    controls_.emplace_back();
    if (!a) continue;
    const std::string name = e.text("name", fmt::format("ctrl_{}", k + 1));
    if (!enabled("clampctrl")) a->control_range.clear();
    a->name = name;
    if (!a->site.empty()) {
      act_on_site(*a, signal_of(*a, inputs, name));
    } else if (free_.contains(a->joint) || balls_.contains(a->joint)) {
      act_on_body(*a, signal_of(*a, inputs, name));
    } else {
      const std::optional<MjcfLength> length =
          a->tendon.empty() ? joint_length(e, a->joint, a->gear[0]) : tendon_length(e, a->tendon, a->gear[0]);
      if (!length) {
        refusals_.refuse(e, fmt::format("{} pulls on a tendon that is left out", e.describe()));
        continue;
      }
      if (!length->path.empty() && a->damping_ratio > 0) {
        refusals_.refuse(e, fmt::format("'dampratio' of {} is not supported on a spatial tendon", e.describe()));
        continue;
      }
      complete(*a, *length);
      const std::string force = actuator_force(*a, signal_of(*a, inputs, name), &*length);
      for (const auto& [axis, factor] : length->terms) actuation_[axis->coordinate].push_back(scaled(factor, force));
      if (!length->path.empty()) push_along(*length, force, name, e.where);
    }
  }
}

std::string MjcfBuilder::input_name(ImportNames& inputs, const std::string& name) {
  const std::string input = inputs.add(name, "actuator", &refusals_.notes());
  (void)m_.add_input(input);
  controls_.back() = input;
  return input;
}

std::string MjcfBuilder::signal_of(const MjcfActuator& a, ImportNames& inputs, const std::string& name) {
  const std::string control = clamped(input_name(inputs, name), a.control_range);
  if (a.dynamics == "none") return control;
  const std::string state = inputs.add("act_" + controls_.back(), "state");
  (void)m_.add_state(state, Quantity(actuator_state_rate(a, state, control), a.element->where));
  activations_.push_back(state);
  return state;
}

std::string MjcfBuilder::scaled(double factor, const std::string& force) {
  return factor == 1 ? fmt::format("({})", force) : fmt::format("{}*({})", number_text(factor), force);
}

void MjcfBuilder::complete(MjcfActuator& a, const MjcfLength& length) const {
  if (a.damping_ratio > 0) {
    double mass = 0;
    for (const auto& [axis, factor] : length.terms) mass += axis->inertia / (factor * factor);
    a.bias[2] = -2 * a.damping_ratio * std::sqrt(a.gain[0] * mass);
  }
  if (a.inherited_range > 0 && a.control_range.empty() && length.terms.size() == 1) {
    const MjcfAxis& axis = *length.terms.front().first;
    if (const auto range = axis.element->numbers("range", 2, 2)) {
      const double unit = axis.rotates ? compiler_.angle_unit : 1;
      const double middle = unit * ((*range)[0] + (*range)[1]) / 2;
      const double half = unit * a.inherited_range * ((*range)[1] - (*range)[0]) / 2;
      a.control_range = {middle - half, middle + half};
    }
  }
}

void MjcfBuilder::act_on_site(const MjcfActuator& a, const std::string& input) {
  const MjcfSite& site = find_part(sites_, a.site, *a.element, "site");
  if (bodies_[site.body].owner == 0)
    return refusals_.note(*a.element, "the actuator pushes the world and does nothing");
  const std::string force = actuator_force(a, input, nullptr);
  const std::string& body = owner_of(site.body);
  const auto along = [&](std::size_t k) { return site.pose.rotation * Vec3{a.gear[k], a.gear[k + 1], a.gear[k + 2]}; };
  push(a, force, body, site.point, along(0), body, along(3), body);
}

void MjcfBuilder::act_on_body(const MjcfActuator& a, const std::string& input) {
  const bool free = free_.contains(a.joint);
  const std::size_t i = free ? free_.at(a.joint) : balls_.at(a.joint);
  const std::string force = actuator_force(a, input, nullptr);
  const std::string& parent = owner_of(bodies_[i].parent);
  if (a.bias_affine && (a.bias[1] != 0 || a.bias[2] != 0) && !free)
    return refusals_.refuse(*a.element, "an actuator of a ball joint that depends on its angle is not supported");
  const Vec3 first{a.gear[0], a.gear[1], a.gear[2]}, second{a.gear[3], a.gear[4], a.gear[5]};
  if (free) {
    const std::string point = add_point(name_of(i) + "_origin", i, {}, a.element->where);
    push(a, force, name_of(i), point, first, m_.ground, second, a.in_parent ? m_.ground : name_of(i));
  } else {
    // Axes that stay with the parent are those of the body before the joint turns it, not the parent's own.
    const Mat3 at_rest = compose(bodies_[bodies_[i].parent].in_owner, bodies_[i].pose).rotation;
    push(a, force, name_of(i), "", {}, m_.ground, a.in_parent ? at_rest * first : first,
         a.in_parent ? parent : name_of(i), parent);
  }
}

void MjcfBuilder::push(const MjcfActuator& a, const std::string& amount, const std::string& body,
                       const std::string& point, const Vec3& force, const std::string& force_axes, const Vec3& torque,
                       const std::string& torque_axes, const std::string& reaction) {
  const Where& where = a.element->where;
  if (norm(force) != 0) {
    Load load{loads_.add(a.name + "_force", "load"), {}, where};
    load.what =
        ForceLoad{{fmt::format("({})*({})", amount, mjcf_vector_text(force, force_axes)), where}, {}, point, ""};
    m_.loads.push_back(std::move(load));
  }
  if (norm(torque) != 0) {
    Load load{loads_.add(a.name + "_torque", "load"), {}, where};
    load.what = TorqueLoad{{fmt::format("({})*({})", amount, mjcf_vector_text(torque, torque_axes)), where},
                           {},
                           body,
                           reaction == m_.ground ? "" : reaction};
    m_.loads.push_back(std::move(load));
  }
}

void MjcfBuilder::add_tendon_forces() {
  for (const MjcfElement& t : file_.tendons) {
    if (t.number("armature", 0) != 0) refusals_.refuse(t, "'armature' of a tendon is not supported");
    if (t.find("actuatorfrcrange") != nullptr) refusals_.refuse(t, "'actuatorfrcrange' of a tendon is not supported");
    const std::optional<MjcfLength> found = t.name == "fixed" ? tendon_length(t, t.text("name"), 1) : path_length(t, 1);
    if (!found) continue;
    const MjcfLength& length = *found;
    limit_tendon(t, length);
    const double k = passive("spring") ? t.number("stiffness", 0) : 0,
                 d = passive("damper") ? t.number("damping", 0) : 0;
    if (k == 0 && d == 0) continue;
    const std::vector<double> slack = t.numbers("springlength", 1, 2).value_or(std::vector<double>{-1});
    const double low = slack[0] < 0 ? length.reference() : slack[0], high = slack.size() == 2 ? slack[1] : low;
    const std::string stretch = low == high ? fmt::format("({} - {})", length.text(), number_text(low))
                                            : fmt::format("(max({0} - {2}, 0) + min({0} - {1}, 0))", length.text(),
                                                          number_text(low), number_text(high));
    std::string force = k != 0 ? fmt::format("{}*{}", number_text(-k), stretch) : "";
    if (d != 0) force += fmt::format("{}{}*({})", force.empty() ? "" : " + ", number_text(-d), length.rate());
    for (const auto& [axis, factor] : length.terms) forces_[axis->coordinate].push_back(scaled(factor, force));
    if (!length.path.empty()) push_along(length, force, t.text("name", "tendon"), t.where);
  }
}

void MjcfBuilder::limit_tendon(const MjcfElement& t, const MjcfLength& length) {
  if (!enabled("constraint")) return;
  const std::string name = plain_name(t.text("name", "tendon"));
  if (enabled("frictionloss") && t.number("frictionloss", 0) != 0) {
    FrictionRule rule;
    rule.name = "friction_" + name;
    rule.slip = {Quantity(length.rate(), t.where)};
    rule.limit = Quantity(number_text(t.number("frictionloss", 0)), t.where);
    rule.where = t.where;
    m_.switching.frictions.push_back(std::move(rule));
  }
  const auto range = t.numbers("range", 2, 2);
  if (!range || !compiler_.limited(t, "limited", "range") || !enabled("limit") || !options_.within_ranges) return;
  const auto stop = [&](const char* end, const std::string& gap) {
    ContactRule rule;
    rule.name = fmt::format("{}_{}", name, end);
    rule.kind = ContactRule::Kind::Gap;
    rule.gap = Quantity(gap, t.where);
    rule.where = t.where;
    m_.switching.contacts.push_back(std::move(rule));
  };
  stop("shortest", fmt::format("{} - {}", length.text(), number_text((*range)[0])));
  stop("longest", fmt::format("{} - ({})", number_text((*range)[1]), length.text()));
}

void MjcfBuilder::finish_laws() {
  for (auto& [name, place] : axes_) {
    const std::string& q = place.axis.coordinate;
    std::string text;
    if (const auto act = actuation_.find(q); act != actuation_.end()) {
      text = fmt::format("{}", fmt::join(act->second, " + "));
      const MjcfElement& e = *place.axis.element;
      const auto range = e.numbers("actuatorfrcrange", 2, 2);
      if (range && compiler_.limited(e, "actuatorfrclimited", "actuatorfrcrange")) text = clamped(text, *range);
    }
    if (const auto other = forces_.find(q); other != forces_.end())
      for (const std::string& force : other->second) text += (text.empty() ? "" : " + ") + force;
    if (text.empty()) continue;
    m_.joints[place.joint_index].motions[place.motion].law.law = {text, place.axis.element->where};
  }
}

}  // namespace kane
