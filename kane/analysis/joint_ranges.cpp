#include "kane/analysis/joint_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/analysis/signals.hpp"
#include "kane/base/error.hpp"
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
      if (!law.actuator.is_zero()) range.motor = law.actuator.to_string();
      if (!law.law.empty()) range.motor += (range.motor.empty() ? "(" : " + (") + law.law.text + ")";
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

namespace {

/// What the motor of a joint is asked for, and the rate of its coordinate. None if its law needs names that only the joint has.
std::optional<std::pair<double, double>> calc_motor(const JointRange& r, const SystemEvaluator& evaluator,
                                                    const State& state) {
  const EquationsOfMotion& e = evaluator.system().equations();
  try {
    SignalEvaluator signals(evaluator, {parse_signal(e, r.motor), parse_signal(e, r.coordinate + "'")});
    const std::vector<double> udot(e.u.size(), 0.0), lambda(e.constraints.size(), 0.0);
    const auto values = signals.calc(state.q, state.u, udot, lambda);
    return std::pair(values[0], values[1]);
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> describe_saturation(std::span<const JointRange> ranges, const SystemEvaluator& evaluator,
                                             const State& state) {
  std::vector<std::string> sentences;
  for (const JointRange& r : ranges) {
    if (r.motor.empty() || !(std::isfinite(r.max_force) || std::isfinite(r.max_speed))) continue;
    const auto motor = calc_motor(r, evaluator, state);
    if (!motor) continue;
    const auto [force, rate] = *motor;
    if (std::abs(force) >= r.max_force)
      sentences.push_back(
          fmt::format("the motor of joint '{}' is saturated at this state (it is asked for {:.6g}, its max_force is "
                      "{:.6g}): small changes of what it is asked for have no effect",
                      r.joint, force, r.max_force));
    else if (force * rate > 0 && std::abs(rate) >= r.max_speed)
      sentences.push_back(
          fmt::format("the motor of joint '{}' is beyond its max_speed at this state ({:.6g}, the limit is {:.6g}): it "
                      "gives no force that would speed the joint up",
                      r.joint, rate, r.max_speed));
  }
  return sentences;
}

}  // namespace kane
