// ContactSet: what a run may begin with, and names for messages.

#include <algorithm>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/switching/contact_set.hpp"

namespace kane {

void ContactSet::check_coefficients() const {
  const EquationsOfMotion& e = evaluator.system().equations();
  const auto check = [](double value, double most, const std::string& what, const std::string& name) {
    require(value >= 0 && value <= most, "the {} '{}' is {}; it must {}", what, name, value,
            most == 1 ? "lie between 0 and 1" : "be zero or more, and finite");
  };
  const auto check_rest = [](double kinetic, double stiction, const std::string& what, const std::string& name) {
    require(
        stiction >= kinetic,
        "the {} '{}' is {} at rest, less than {} while sliding: it would neither hold nor slide. Make the one at rest "
        "as large at least",
        what, name, stiction, kinetic);
  };
  constexpr double kAny = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < e.contacts.size(); ++k)
    check(values[2 * k], 1, "restitution of the contact", e.contacts[k].name);
  for (std::size_t i = 0; i < e.frictions.size(); ++i) {
    check(kinetic(i), kAny, "friction", e.frictions[i].name);
    check(stiction(i), kAny, "friction at rest", e.frictions[i].name);
    check_rest(kinetic(i), stiction(i), "friction", e.frictions[i].name);
  }
  for (std::size_t i = 0; i < e.contact_pairs.size(); ++i) {
    const PairValues v = shapes->pair_values(i);
    const std::string& name = e.contact_pairs[i].name;
    check(v.restitution, 1, "restitution of the contact", name);
    for (const double value : {v.kinetic, v.stiction}) check(value, kAny, "friction of the contact", name);
    check_rest(v.kinetic, v.stiction, "friction of the contact", name);
    for (const double value : {v.rolling, v.spinning}) check(value, kAny, "rolling or spinning friction", name);
    for (const double value : {v.stiffness, v.dissipation, v.damping})
      check(value, kAny, "stiffness, dissipation or damping", name);
  }
}

void ContactSet::check_overlaps() {
  constexpr double kShare = 1e-3;  // of the smaller shape
  ContactScene& scene = shapes->scene();
  for (std::size_t i = 0; i < scene.pairs().size(); ++i) {
    const ContactPair& pair = scene.pairs()[i];
    const auto &a = scene.shapes()[pair.first], &b = scene.shapes()[pair.second];
    if (!evaluator.system().equations().contact_pairs[i].stiffness.is_zero() || scene.clearly_apart(i)) continue;
    const double depth = -scene.calc_distance(i);
    require(depth <= kShare * std::min(a.size(), b.size()),
            "the run begins with '{}' {:.3g} m inside of '{}' (the contact '{}'); begin where they do not overlap",
            a.name, depth, b.name, pair.name);
  }
}

void ContactSet::check_start(std::span<const double> q, std::span<const double> u) {
  constexpr double kInside = 1e-6;
  evaluate_rows(q, u);
  for (const auto& c : evaluator.system().equations().contacts) {
    const double gap = evaluator.phi()[at(c.normal)];
    require(c.coordinate.empty() || gap >= -kInside,
            "the run begins with '{}' {:.6g} beyond its limit (the stop '{}'); begin within the limits, or ignore them "
            "(--ignore-limits)",
            c.coordinate, -gap, c.name);
    require(c.force.has_value() || gap >= -kInside,
            "the run begins with the contact '{}' {} m inside; begin with a gap that is not negative", c.name, -gap);
  }
  if (!values.empty()) check_coefficients();
  if (shapes) check_overlaps();
}

std::string ContactSet::contact_name(std::size_t k) const {
  std::string name;
  write_contact_name(k, name);
  return name;
}

std::string ContactSet::friction_name(std::size_t f) const {
  std::string name;
  write_friction_name(f, name);
  return name;
}

void ContactSet::write_contact_name(std::size_t k, std::string& name) const {
  const SwitchedContact& c = contacts[k];
  if (c.slot < 0)
    name = evaluator.system().equations().contacts[k].name;
  else
    shapes->write_slot_name(at(c.slot), name);
}

void ContactSet::write_friction_name(std::size_t f, std::string& name) const {
  static constexpr const char* kSuffixes[] = {"", ".friction", ".rolling", ".spinning"};
  const SwitchedFriction& friction = frictions[f];
  if (friction.kind == SwitchedFriction::Kind::Own) {
    name = evaluator.system().equations().frictions[f].name;
    return;
  }
  write_contact_name(at(friction.contact), name);
  if (!name.empty()) name += kSuffixes[at(friction.kind)];
}

std::string ContactSet::row_name(std::size_t row) const {
  const auto& constraints = evaluator.system().equations().constraints;
  return row < constraints.size() ? constraints[row].name : shapes->row_name(row);
}

}  // namespace kane
