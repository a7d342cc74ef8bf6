#include "kane/mechanism/speed_definitions.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace kane {
namespace {

/// Returns false if the definitions are more than rates of the joints' coordinates.
bool rename_joint_speeds(Mechanism& mechanism, std::span<Joint* const> joints,
                         const std::vector<NamedQuantity>& definitions) {
  std::map<std::string, ElementaryMotion*> motions;
  for (Joint* joint : joints) {
    if (joint->closing) continue;
    for (ElementaryMotion& motion : joint->motions) {
      if (!motion.free) continue;
      if (motion.kind == MotionKind::Ball) return false;
      motions.emplace(motion.coordinates.front().name(), &motion);
    }
  }
  if (motions.size() != definitions.size() || !mechanism.extra_coordinates.empty()) return false;
  std::map<std::string, std::string> names;
  for (const NamedQuantity& speed : definitions) {
    const std::string coordinate = rate_of(speed.value.text);
    if (!motions.contains(coordinate) || !names.emplace(coordinate, speed.name).second) return false;
  }
  for (auto& [coordinate, motion] : motions) motion->speeds = {mechanism.graph->symbol(names.at(coordinate))};
  for (const NamedQuantity& speed : definitions) mechanism.speed_order.push_back(speed.name);
  return true;
}

}  // namespace

std::string rate_of(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() < 2 || text.back() != '\'') return {};
  text.remove_suffix(1);
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  return plain ? std::string(text) : std::string();
}

void define_speeds(Mechanism& mechanism, std::span<Joint* const> joints, std::vector<NamedQuantity> definitions,
                   bool flexible) {
  for (const MechanismBody& body : mechanism.bodies) flexible = flexible || body.flexible;
  if (!flexible && rename_joint_speeds(mechanism, joints, definitions)) return;
  for (Joint* joint : joints)
    for (ElementaryMotion& motion : joint->motions) motion.speeds.clear();
  mechanism.speeds = std::move(definitions);
}

}  // namespace kane
