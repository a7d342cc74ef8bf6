#include "kane/mechanism/symbol_units.hpp"

namespace kane {

std::map<std::string, std::string, std::less<>> symbol_units(const Mechanism& mechanism) {
  auto units = mechanism.units;
  for (const Joint& joint : mechanism.joints) {
    if (joint.closing) continue;
    for (const ElementaryMotion& motion : joint.motions) {
      const std::string unit = motion.kind == MotionKind::Translation ? "m" : "rad";
      if (motion.kind != MotionKind::Ball)
        for (const Expr& q : motion.coordinates) units.emplace(q.name(), unit);
      for (const Expr& u : motion.speeds) units.emplace(u.name(), unit + "/s");
    }
  }
  for (const MechanismBody& body : mechanism.bodies) {
    if (!body.flexible) continue;
    std::size_t i = 0;
    for (const BeamModes& modes : body.flexible->modes) {
      const std::string unit = modes.motion == BeamMotion::Twist ? "rad" : "m";
      for (int k = 0; k < modes.count; ++k, ++i) {
        units.emplace(body.flexible->coordinates[i].name(), unit);
        if (mechanism.speeds.empty()) units.emplace(body.flexible->speeds[i].name(), unit + "/s");
      }
    }
  }
  return units;
}

}  // namespace kane
