#include "kane/analysis/joint_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

std::vector<JointRange> find_joint_ranges(const Model& model, const Start& start) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const Mechanism& mechanism = model.mechanism();
  std::vector<JointRange> ranges;
  const std::vector<std::string> names = names_of(model.equations().q);
  const Values parameters = model.parameters(start);
  const FunctionTable functions = table_functions(mechanism);
  for (const Joint& joint : mechanism.joints)
    for (const ElementaryMotion& motion : joint.motions) {
      const AxisLaw& law = motion.law;
      if (joint.closing || !motion.free || motion.coordinates.size() != 1) continue;
      if (!law.limited() && !law.max_force && !law.max_speed) continue;
      const auto name = std::find(names.begin(), names.end(), motion.coordinates.front().name());
      if (name == names.end()) continue;
      const auto number = [&](const std::optional<Expr>& limit, double otherwise) {
        return limit ? evaluate(*limit, parameters, functions) : otherwise;
      };
      JointRange range;
      range.joint = joint.name, range.coordinate = *name;
      range.place = static_cast<std::size_t>(name - names.begin());
      range.lower = number(law.lower, -kFar), range.upper = number(law.upper, kFar);
      range.rigid = law.has_rigid_stops();
      if (!law.actuator.is_zero() && law.law.empty()) range.actuator = law.actuator.name();
      range.max_force = number(law.max_force, kFar), range.max_speed = number(law.max_speed, kFar);
      ranges.push_back(std::move(range));
    }
  return ranges;
}

std::string describe_outside(std::span<const JointRange> ranges, std::span<const double> q, bool touching) {
  constexpr double kTouch = 1e-9, kRounding = 1e-6;
  const JointRange* worst = nullptr;
  double most = touching ? -kTouch : kRounding;
  for (const JointRange& r : ranges) {
    const double beyond = std::max(r.lower - q[r.place], q[r.place] - r.upper);
    if (beyond > most) most = beyond, worst = &r;
  }
  if (worst == nullptr) return {};
  const bool below = worst->lower - q[worst->place] > q[worst->place] - worst->upper;
  const std::string limit = fmt::format("its {} limit {:.6g} (joint '{}')", below ? "lower" : "upper",
                                        below ? worst->lower : worst->upper, worst->joint);
  return most > kRounding ? fmt::format("'{}' is {:.6g} beyond {}", worst->coordinate, most, limit)
                          : fmt::format("'{}' is at {}", worst->coordinate, limit);
}

}  // namespace kane
