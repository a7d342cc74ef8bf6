#include "kane/simulate/system/kernel_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "kane/base/error.hpp"
#include "kane/expr/copy_without.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

KernelMaker::KernelMaker(const KernelSetting& setting) : setting_(setting) {
  const EquationsOfMotion& e = setting.equations;
  for (const auto& p : e.parameters) names_.parameters.push_back(p.symbol.name());
  names_.inputs = setting.inputs;
  names_.inputs.push_back(e.t.name());
  for (const auto& q : e.q) names_.state.push_back(q.name());
  for (const auto& u : e.u) names_.state.push_back(u.name());
}

void KernelMaker::add_accelerations() {
  for (const auto& s : setting_.equations.udot) names_.state.push_back(s.name());
}

void KernelMaker::add_multipliers() {
  for (const auto& c : setting_.equations.constraints) names_.state.push_back(c.multiplier.name());
}

void KernelMaker::add_arguments(std::span<const Expr> symbols) {
  for (const Expr& s : symbols) names_.state.push_back(s.name());
}

void KernelMaker::add_contact_wrenches() {
  for (const auto& body : setting_.equations.contact_bodies)
    for (std::size_t k = 0; k < 6; ++k) names_.state.push_back(contact_wrench_symbol(body.name, k));
  for (const auto& sensor : setting_.equations.contact_sensors)
    for (std::size_t k = 0; k < sensor_part::kCount; ++k) names_.state.push_back(contact_sensor_symbol(sensor, k));
}

/// Values of contacts are known where a run or a state is reported, and only there.
void KernelMaker::refuse_contact_sensors(std::span<const Expr> symbols) const {
  if (setting_.equations.contact_sensors.empty()) return;
  for (const Expr& s : symbols)
    require(!s.name().starts_with("contact(") ||
                std::find(names_.state.begin(), names_.state.end(), s.name()) != names_.state.end(),
            "an output uses {}, which is known along runs and at states only (kane simulate, forces, evaluate, sweep); "
            "this analysis needs derivatives or formulas of the outputs. Leave that output out",
            s.name().substr(0, s.name().rfind('.')));
}

/// Accelerations and constraint forces that the outputs are written with, but that are not among the arguments.
std::vector<Expr> KernelMaker::find_unknowns(std::span<const Expr> symbols) const {
  std::vector<Expr> unknowns;
  std::unordered_set<NodeId> used;
  for (const Expr& s : symbols) used.insert(s.id());
  const auto look_for = [&](const Expr& s) {
    if (used.contains(s.id()) && std::find(names_.state.begin(), names_.state.end(), s.name()) == names_.state.end())
      unknowns.push_back(s);
  };
  for (const Expr& s : setting_.equations.udot) look_for(s);
  for (const auto& c : setting_.equations.constraints) look_for(c.multiplier);
  return unknowns;
}

Kernel KernelMaker::make(const std::string& name, bool& uses_time) const {
  auto values = substitute(outputs_, setting_.laws);
  auto symbols = symbols_of(values);
  std::optional<Graph> apart;
  if (const auto unknowns = find_unknowns(symbols); !unknowns.empty())
    if (auto without = copy_without(unknowns, apart.emplace(), values))
      values = std::move(*without), symbols = symbols_of(values);
  std::vector<NamedExpr> named;
  for (std::size_t i = 0; i < values.size(); ++i) named.push_back({fmt::format("y{}", i), values[i]});
  refuse_contact_sensors(symbols);
  const Expr& t = setting_.equations.t;
  uses_time =
      uses_time || std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.name() == t.name(); });
  LowerOptions lowering;
  lowering.strict = setting_.strict;
  Program program = lower(setting_.equations.name + "." + name, named, names_, lowering);
  return compile_kernel(std::move(program),
                        {.functions = setting_.functions, .use_interpreter = setting_.use_interpreter});
}

}  // namespace kane
