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
  return units;
}

}  // namespace kane
