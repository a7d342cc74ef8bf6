#include "kane/export/export_start.hpp"

#include <algorithm>

#include "kane/simulate/system/independent_constraints.hpp"

namespace kane {

namespace {

Model exported_model(const Model& model, const StartState& start, const std::vector<std::string>& opened) {
  if (model.mechanism().sampled_inputs.empty()) return model.driving(start).driving(opened);
  ModelOptions options = model.options();
  options.sampled_laws = SampledLaws::Continuous;
  for (const auto& [name, value] : start.inputs) options.driven.push_back(name);
  options.driven.insert(options.driven.end(), opened.begin(), opened.end());
  return model.with_options(std::move(options));
}

}  // namespace

ExportStart find_export_start(const Model& model, const StartState& given, const std::vector<std::string>& opened) {
  Model exported = exported_model(model, given, opened);
  Start start = exported.start(given);
  ExportStart s{std::move(exported), std::move(start), {}, {}, {}, 0, false};
  s.constrained = std::find(s.start.active.begin(), s.start.active.end(), true) != s.start.active.end();
  const auto evaluator = s.model.make_evaluator(s.start);
  s.assembly = assemble_start(*evaluator, s.start);
  s.rows = s.configuration = s.start.active;
  if (!s.constrained) return s;
  // Redundant rows cannot be recognised in the expressions, only at a state.
  const IndependentConstraints chosen =
      IndependentConstraintFinder(*evaluator).choose(s.start.state.q, s.start.state.u);
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    s.rows[i] = s.rows[i] && chosen.motion[i];
    s.configuration[i] = s.configuration[i] && chosen.configuration[i];
  }
  s.redundant = static_cast<std::size_t>(chosen.redundant);
  return s;
}

}  // namespace kane
