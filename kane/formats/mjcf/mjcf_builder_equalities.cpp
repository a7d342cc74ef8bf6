// Equalities, keyframes and notes.

#include <algorithm>
#include <cmath>

#include "kane/expr/number.hpp"
#include "kane/formats/mjcf/mjcf_builder.hpp"

namespace kane {

void MjcfBuilder::add_equalities() {
  for (const MjcfElement& e : file_.equalities) {
    const std::string name = constraints_.add(e.text("name", fmt::format("equality_{}", ++equality_count_)),
                                              "constraint", e.find("name") != nullptr ? &refusals_.notes() : nullptr);
    if (e.name == "joint") add_coupling(e, name);
    if (e.name == "connect") add_connection(e, name);
    if (e.name == "weld") add_weld(e, name);
    if (e.name == "tendon") add_tendon_coupling(e, name);
  }
}

std::vector<double> MjcfBuilder::coefficients(const MjcfElement& e) {
  std::vector<double> a = e.numbers("polycoef", 1, 5).value_or(std::vector<double>{0, 1, 0, 0, 0});
  return a;
}

void MjcfBuilder::add_rows(const MjcfElement& e, const std::string& name, const std::string& first,
                           const std::string& second) {
  Constraint constraint;
  constraint.name = name;
  constraint.where = e.where;
  constraint.active = e.flag("active", true);
  ExpressionConstraint rows;
  rows.configuration.push_back({fmt::format("{} - ({})", first, second), e.where});
  constraint.what = std::move(rows);
  m_.constraints.push_back(std::move(constraint));
}

void MjcfBuilder::add_coupling(const MjcfElement& e, const std::string& name) {
  const MjcfAxis& one = find_part(axes_, e.text("joint1"), e, "joint with one degree of freedom").axis;
  std::vector<double> a = coefficients(e);
  std::string other = "0";
  if (e.find("joint2") != nullptr) {
    const MjcfAxis& two = find_part(axes_, e.text("joint2"), e, "joint with one degree of freedom").axis;
    other = polynomial_text(a, from_reference(two.coordinate, two.reference));
  } else {
    other = number_text(a[0]);
  }
  add_rows(e, name, from_reference(one.coordinate, one.reference), other);
  if (e.flag("active", true)) m_.dependent_speeds.push_back(one.speed);
}

void MjcfBuilder::add_tendon_coupling(const MjcfElement& e, const std::string& name) {
  const auto length = [&](const char* attribute) {
    std::optional<MjcfLength> l = tendon_length(e, e.text(attribute), 1);
    if (!l) refusals_.refuse(e, fmt::format("{} uses a tendon that is left out", e.describe()));
    return l;
  };
  const auto one = length("tendon1");
  if (!one) return;
  std::string other = number_text(coefficients(e)[0]);
  if (e.find("tendon2") != nullptr) {
    const auto two = length("tendon2");
    if (!two) return;
    other = polynomial_text(coefficients(e), from_reference(fmt::format("({})", two->text()), two->reference()));
  }
  add_rows(e, name, from_reference(fmt::format("({})", one->text()), one->reference()), other);
}

std::size_t MjcfBuilder::find_body(const MjcfElement& e, const char* attribute) const {
  const std::string name = e.text(attribute);
  if (name.empty() || name == "world") return 0;
  std::vector<std::string> known;
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return i;
    known.push_back(bodies_[i].name);
  }
  e.fail(fmt::format("there is no body '{}'{}", shown(name), suggestion(name, known)));
}

MjcfBuilder::Meeting MjcfBuilder::find_meeting(const MjcfElement& e) const {
  if (e.find("site1") != nullptr || e.find("site2") != nullptr) {
    const MjcfSite& one = find_part(sites_, e.text("site1"), e, "site");
    const MjcfSite& two = find_part(sites_, e.text("site2"), e, "site");
    return {bodies_[one.body].owner, bodies_[two.body].owner, one.pose, two.pose};
  }
  if (compiler_.global_coordinates && (e.find("anchor") != nullptr || e.find("relpose") != nullptr))
    e.fail("an 'anchor' or 'relpose' in global coordinates is not supported");
  const std::size_t b1 = find_body(e, "body1"), b2 = find_body(e, "body2");
  MjcfPose local1{mjcf_vector(e, "anchor"), {}};
  MjcfPose local2 = compose(inverse(bodies_[b2].world), compose(bodies_[b1].world, local1));
  if (e.name == "weld") {
    // relpose: body 2 in body 1; anchor: a point of body 2. A zero quaternion means "as described".
    local1 = {};
    const std::vector<double> r = e.numbers("relpose", 7, 7).value_or(std::vector<double>{0, 1, 0, 0, 0, 0, 0});
    const bool given = r[3] != 0 || r[4] != 0 || r[5] != 0 || r[6] != 0;
    MjcfPose two_in_one = compose(inverse(bodies_[b1].world), bodies_[b2].world);
    if (given) two_in_one = {{r[0], r[1], r[2]}, rotation_from_quaternion(r[3], r[4], r[5], r[6])};
    local1 = two_in_one;
    local2 = {};
  }
  return {bodies_[b1].owner, bodies_[b2].owner, compose(bodies_[b1].in_owner, local1),
          compose(bodies_[b2].in_owner, local2)};
}

void MjcfBuilder::add_connection(const MjcfElement& e, const std::string& name) {
  const Meeting meeting = find_meeting(e);
  if (meeting.body1 == meeting.body2)
    return refusals_.note(e, "the equality connects a body with itself and does nothing");
  Constraint constraint;
  constraint.name = name;
  constraint.where = e.where;
  constraint.active = e.flag("active", true);
  PointConstraint points;
  points.point = add_point(name + "_1", meeting.body1, meeting.pose1.position, e.where);
  points.reference = add_point(name + "_2", meeting.body2, meeting.pose2.position, e.where);
  if (meeting.body1 == 0) std::swap(points.point, points.reference);
  for (const char* axis : {"x", "y", "z"})
    points.directions.push_back({fmt::format("{}.{}", m_.ground, axis), e.where});
  constraint.what = std::move(points);
  m_.constraints.push_back(std::move(constraint));
}

void MjcfBuilder::add_weld(const MjcfElement& e, const std::string& name) {
  const Meeting meeting = find_meeting(e);
  if (meeting.body1 == meeting.body2)
    return refusals_.note(e, "the equality connects a body with itself and does nothing");
  Joint joint;
  joint.name = joint_names_.add(name, "joint");
  joint.kind = "weld";
  joint.where = e.where;
  joint.parent = name_of(meeting.body1);
  joint.child = name_of(meeting.body2);
  joint.on_parent = mjcf_placement(meeting.pose1);
  joint.on_child = mjcf_placement(meeting.pose2);
  if (meeting.body2 == 0) std::swap(joint.parent, joint.child), std::swap(joint.on_parent, joint.on_child);
  joint.closing = true;
  joint.active = e.flag("active", true);
  m_.add_joint(std::move(joint));
}

void MjcfBuilder::use_keyframe() {
  if (options_.keyframe.empty()) return;
  std::vector<std::string> known;
  for (std::size_t k = 0; k < file_.keys.size(); ++k) {
    const MjcfElement& key = file_.keys[k];
    known.push_back(key.text("name", std::to_string(k)));
    if (options_.keyframe != known.back() && options_.keyframe != std::to_string(k)) continue;
    set_values(key, "qpos", qpos_, [&](const std::string& name, double x) { m_.initial[name] = x; });
    set_values(key, "qvel", qvel_, [&](const std::string& name, double x) { m_.initial[name] = x; });
    set_values(key, "act", activations_, [&](const std::string& name, double x) { m_.initial[name] = x; });
    set_values(key, "ctrl", controls_, [&](const std::string& name, double x) {
      for (auto& input : m_.inputs)
        if (input.symbol.name() == name) input.value = Expr(x);
    });
    return;
  }
  throw ModelError(file_.where, fmt::format("there is no keyframe '{}'{}", shown(options_.keyframe),
                                            suggestion(options_.keyframe, known)));
}

void MjcfBuilder::begin_within_ranges() {
  std::vector<std::string> moved;
  for (const auto& [name, place] : axes_) {
    const AxisLaw& law = m_.joints[place.joint_index].motions[place.motion].law;
    if (!law.limited()) continue;
    const double lower = to_double(law.lower->number()), upper = to_double(law.upper->number());
    double& start = m_.initial[place.axis.coordinate];
    if (lower <= start && start <= upper) continue;
    start = start < lower ? lower + (upper - lower) / 100 : upper - (upper - lower) / 100;
    moved.push_back(name);
  }
  if (!moved.empty())
    refusals_.note(fmt::format("{} would start beyond {} range and start{} inside it (--ignore-limits: as in the file)",
                               fmt::join(moved, ", "), moved.size() == 1 ? "its" : "their",
                               moved.size() == 1 ? "s" : ""));
}

void MjcfBuilder::add_notes() {
  if (!options_.contacts && (!touching_.empty() || !file_.pairs.empty()))
    refusals_.note(fmt::format("{} shape{} nothing unless --with-contacts is given", touching_.size(),
                               touching_.size() == 1 ? " touches" : "s touch"));
  if (file_.sensors > 0)
    refusals_.note(fmt::format("{} sensor{} ignored", file_.sensors, file_.sensors == 1 ? " is" : "s are"));
  if (!file_.keys.empty() && options_.keyframe.empty()) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < file_.keys.size(); ++k) names.push_back(file_.keys[k].text("name", std::to_string(k)));
    refusals_.note(
        fmt::format("the motion starts in the described pose; --keyframe chooses another: {}", fmt::join(names, ", ")));
  }
}

}  // namespace kane
