#include "kane/mechanism/part_place.hpp"

namespace kane {

namespace {

Where constraint_place(const Constraint& constraint) {
  const auto* rows = std::get_if<ExpressionConstraint>(&constraint.what);
  if (rows != nullptr && rows->configuration.size() + rows->motion.size() == 1)
    return (rows->motion.empty() ? rows->configuration : rows->motion).front().where;
  return constraint.where;
}

}  // namespace

Where part_place(const Mechanism& mechanism, const Subject& subject) {
  if (subject.kind == Subject::Kind::Constraint) {
    // Rows of a constraint are named after it: "loop.x".
    for (const Constraint& c : mechanism.constraints)
      if (subject.name == c.name || subject.name.starts_with(c.name + ".")) return constraint_place(c);
    for (const Joint& j : mechanism.joints)
      if (j.closing && (subject.name == j.name || subject.name.starts_with(j.name + "."))) return j.where;
  }
  if (subject.kind == Subject::Kind::Load) {
    // Parts of a load are named after it: "stay.damper", and loads of joints after those: "pin.law".
    const auto belongs = [&](const std::string& name) {
      return subject.name == name || subject.name.starts_with(name + ".");
    };
    for (std::size_t i = 0; i < mechanism.loads.size(); ++i)
      if (belongs(mechanism.loads[i].name) || belongs(fmt::format("load{}", i + 1))) return mechanism.loads[i].where;
    for (const Joint& j : mechanism.joints)
      if (belongs(j.name)) return j.where;
  }
  if (subject.kind == Subject::Kind::Speed)
    for (const NamedQuantity& u : mechanism.speeds)
      if (u.name == subject.name) return u.value.where;
  return mechanism.where;
}

}  // namespace kane
