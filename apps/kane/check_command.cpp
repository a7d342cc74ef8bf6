// kane check: reads a model, checks it, and says what it is.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane {
namespace {

struct CheckOptions {
  ModelSource source;
  bool json = false;
};

nlohmann::ordered_json describe_model(const Mechanism& mechanism, const EquationsOfMotion& e) {
  nlohmann::ordered_json a;
  a["model"] = mechanism.name;
  a["bodies"] = mechanism.bodies.size();
  a["particles"] = mechanism.particles.size();
  a["joints"] = mechanism.joints.size();
  a["coordinates"] = nlohmann::ordered_json::array();
  for (const auto& q : e.q) a["coordinates"].push_back(q.name());
  a["speeds"] = nlohmann::ordered_json::array();
  for (const auto& u : e.u) a["speeds"].push_back(u.name());
  std::size_t active = 0, redundant = 0;
  a["constraints"] = nlohmann::ordered_json::array();
  for (const auto& c : e.constraints) {
    a["constraints"].push_back({{"name", c.name}, {"active", c.active}, {"redundant", c.redundant}});
    active += c.active && !c.redundant ? 1 : 0;
    redundant += c.redundant ? 1 : 0;
  }
  a["degrees_of_freedom"] = e.u.size() - active;
  a["redundant_constraints"] = redundant;
  a["parameters"] = mechanism.parameters.size();
  a["inputs"] = mechanism.inputs.size();
  a["warnings"] = e.warnings;
  return a;
}

void run_check(const CheckOptions& options) {
  const Mechanism mechanism = options.source.read();
  FormOptions form;
  form.formulation = Formulation::Projection;
  form.solve = false;
  form.outputs = false;
  const EquationsOfMotion equations = form_equations(mechanism, form);
  const auto a = describe_model(mechanism, equations);
  if (options.json) {
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{}: {} bodies, {} particles, {} joints, {} parameters, {} inputs\n", mechanism.name,
             mechanism.bodies.size(), mechanism.particles.size(), mechanism.joints.size(), mechanism.parameters.size(),
             mechanism.inputs.size());
  fmt::print("{} coordinates, {} speeds, {} constraints, {} degrees of freedom\n", equations.q.size(),
             equations.u.size(), equations.constraints.size(), a["degrees_of_freedom"].get<std::size_t>());
  for (const auto& c : equations.constraints)
    if (c.redundant) fmt::print("note: constraint {} follows from the others\n", c.name);
  for (const auto& warning : equations.warnings) fmt::print("warning: {}\n", warning);
  fmt::print("the model is in order\n");
}

}  // namespace

void add_check_command(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Read a model, check it, and say what it is");
  options->source.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { run_check(*options); });
}

}  // namespace kane
