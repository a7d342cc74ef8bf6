#include "kane/analysis/situation.hpp"

#include <algorithm>

#include "kane/base/error.hpp"

namespace kane {

Situation::Situation(const Model& model, const StartState& state)
    : model_(model.driving(state)), start_(model_.start(state)), evaluator_(model_.make_evaluator(start_)) {}

State Situation::assembled(AssemblyReport* report) {
  State state = start_.state;
  const AssemblyReport own = assemble(*evaluator_, state, start_.given);
  if (report != nullptr) *report = own;
  require(own.ok, "{}", own.message);
  return state;
}

std::string describe_switching(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  const auto is_coordinate = [&](const std::string& name) {
    return std::any_of(e.q.begin(), e.q.end(), [&](const Expr& q) { return q.name() == name; });
  };
  for (const auto& c : e.contacts)
    if (!is_coordinate(c.coordinate))
      names.push_back(fmt::format("{} '{}'", c.coordinate.empty() ? "contact" : "stop", c.name));
  for (const auto& p : e.contact_pairs) names.push_back(fmt::format("contact '{}'", p.name));
  for (const auto& f : e.frictions)
    if (f.contact < 0) names.push_back(fmt::format("friction '{}'", f.name));
  for (const auto& s : e.switches) names.push_back(fmt::format("event '{}'", s.name));
  if (e.switches.empty())
    for (const auto& m : e.modes) names.push_back(fmt::format("mode '{}'", m.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

void require_smooth(const EquationsOfMotion& equations, const std::string& analysis) {
  const std::string switching = describe_switching(equations);
  require(switching.empty(), "{} does not support parts of '{}' that switch during a motion: {}", analysis,
          equations.name, switching);
}

}  // namespace kane
