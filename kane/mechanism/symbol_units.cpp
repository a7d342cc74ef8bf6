#include "kane/mechanism/symbol_units.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/units.hpp"
#include "kane/expr/dimensional.hpp"

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

namespace {

/// Energies and torques have the same dimension; the text of the output tells them apart: a sum of energies and nothing else.
bool is_energy(const Mechanism& mechanism, std::string_view output) {
  const auto at = std::find_if(mechanism.outputs.begin(), mechanism.outputs.end(),
                               [&](const NamedQuantity& o) { return o.name == output; });
  if (at == mechanism.outputs.end()) return false;
  std::string rest = at->value.text;
  bool found = false;
  for (const std::string_view word : {"energy", "kinetic", "potential"})
    for (std::size_t i; (i = rest.find(word)) != std::string::npos; found = true) rest.erase(i, word.size());
  return found && rest.find_first_not_of(" +-()") == std::string::npos;
}

/// Units that C++ programs give are for display: unknown ones are ignored.
std::optional<Dimension> dimension_of(const std::string& unit) {
  try {
    return parse_unit(unit).dimension;
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

/// What is known of the symbols of the equations.
std::map<std::string, Dimensional, std::less<>> symbol_dimensions(
    const Mechanism& mechanism, const EquationsOfMotion& e,
    const std::map<std::string, std::string, std::less<>>& units) {
  std::map<std::string, Dimensional, std::less<>> known;
  for (const auto& [name, unit] : units)
    if (const auto dimension = dimension_of(unit)) known.emplace(name, Dimensional::known(*dimension));
  for (const auto* list : {&e.q, &e.u})
    for (const Expr& x : *list)
      if (const auto found = known.find(x.name()); found != known.end()) found->second.moving = true;
  for (std::size_t i = 0; i < e.u.size() && i < e.udot.size(); ++i)
    if (const auto u = known.find(e.u[i].name()); u != known.end()) known.emplace(e.udot[i].name(), rate(u->second));
  for (const int first : e.quaternions)
    for (int i = first; i < first + 4; ++i) known.emplace(e.q[at(i)].name(), Dimensional::known(kNone, true));
  const auto of = [&](std::string_view name) {
    const auto found = known.find(name);
    return found == known.end() ? Dimensional::open() : found->second;
  };
  // Parameters that are computed from others measure what their expressions do.
  for (const SymbolWithDefault& p : mechanism.parameters)
    if (!known.contains(p.symbol.name()) && !p.value.is_number())
      known.emplace(p.symbol.name(), infer_dimension(p.value, of));
  return known;
}

}  // namespace

std::map<std::string, std::string, std::less<>> known_units(const Mechanism& mechanism, const EquationsOfMotion& e) {
  auto units = symbol_units(mechanism);
  const auto known = symbol_dimensions(mechanism, e, units);
  const auto dimension = [&](std::string_view name) {
    const auto found = known.find(name);
    return found == known.end() ? Dimensional::open(true) : found->second;
  };
  for (const ScalarOutput& o : e.outputs) {
    if (units.contains(o.name)) continue;
    if (is_energy(mechanism, o.name)) {
      units.emplace(o.name, "J");
      continue;
    }
    if (const auto same = o.value.is_symbol() ? units.find(o.value.name()) : units.end(); same != units.end()) {
      units.emplace(o.name, same->second);
      continue;
    }
    const auto certain = infer_dimension(o.value, dimension).certain();
    if (certain && !certain->none()) units.emplace(o.name, si_unit(*certain));
  }
  return units;
}

}  // namespace kane
