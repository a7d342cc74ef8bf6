#include "kane/model/mode_systems.hpp"

#include <algorithm>

#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane {

std::vector<std::shared_ptr<const ModeEquations>> form_mode_systems(const Mechanism& mechanism,
                                                                    const CompileOptions& options) {
  std::vector<std::shared_ptr<const ModeEquations>> systems;
  const auto form = [&](const std::string& name, const std::vector<std::string>* active) {
    Mechanism copy = copy_mechanism(mechanism);
    if (active != nullptr)
      for (Constraint& c : copy.constraints)
        c.active = std::find(active->begin(), active->end(), c.name) != active->end();
    copy.dependent_speeds.clear();  // each mode has its own
    FormOptions form_options;
    form_options.formulation = Formulation::Projection;
    form_options.embedding = EmbeddingMethod::Recombination;
    form_options.outputs = false;
    systems.push_back(std::make_shared<const ModeEquations>(name, form_equations(copy, form_options), options));
  };
  for (const ModeRule& mode : mechanism.switching.modes) form(mode.name, &mode.active);
  if (mechanism.switching.modes.empty()) form("initial", nullptr);
  return systems;
}

}  // namespace kane
