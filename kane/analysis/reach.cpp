#include "kane/analysis/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/analysis/joint_ranges.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

void ReachOptions::check() const {
  require(std::isfinite(length) && length > 0, "the length of a radian must be positive, not {}", length);
  require(starts >= 0 && starts <= 100'000, "the number of other starts must lie between 0 and 100000, not {}", starts);
}

namespace {

void set_limits(const OperatingPoint& point, const ReachOptions& options, InverseKinematicsOptions& to) {
  const std::vector<std::string>& names = point.summary().coordinates;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  to.lower.assign(names.size(), -kFar), to.upper.assign(names.size(), kFar);
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (options.joint_limits)
    for (const JointRange& range : find_joint_ranges(point.model(), point.start()))
      to.lower[range.place] = range.lower, to.upper[range.place] = range.upper;
  for (const CoordinateLimit& limit : options.limits) {
    const std::size_t k = place(limit.coordinate);
    if (k == names.size())
      throw ModelError(
          fmt::format("limits: there is no coordinate '{}'{}", limit.coordinate, suggestion(limit.coordinate, names)));
    if (limit.lower) to.lower[k] = *limit.lower;
    if (limit.upper) to.upper[k] = *limit.upper;
  }
}

}  // namespace

std::string ReachReport::message() const {
  if (reached() || solutions.empty()) return {};
  const KinematicSolution& s = solutions.front();
  std::string away;
  if (positions) away = fmt::format("{:.6g} m", s.distance);
  if (orientations) away += fmt::format("{}{:.6g} rad", away.empty() ? "" : " and ", s.angle);
  return fmt::format("the target is out of reach: at best, from {} starts, it stays {} away{}", starts + 1, away,
                     s.at_limit.empty() ? "" : " (some coordinates are at their limits)");
}

ReachReport find_reach(const Model& model, const StartState& start, const ReachOptions& options) {
  options.check();
  OperatingPointOptions place;
  place.place = StatePlace::AsGiven;
  OperatingPoint point(model, start, place);
  InverseKinematicsOptions kinematics;
  kinematics.positions = options.positions, kinematics.orientations = options.orientations;
  kinematics.held = options.held, kinematics.length = options.length;
  kinematics.starts = options.starts, kinematics.all = options.all, kinematics.on_start = options.on_start;
  set_limits(point, options, kinematics);
  ReachReport report;
  static_cast<KinematicReport&>(report) = InverseKinematics(point.evaluator(), kinematics).solve(point.state());
  report.summary = point.summary();
  report.positions = !options.positions.empty(), report.orientations = !options.orientations.empty();
  return report;
}

}  // namespace kane
