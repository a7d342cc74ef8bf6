#include "kane/analysis/signals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kane/expr/parse.hpp"
#include "kane/simulate/system/equations_copy.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

std::vector<Signal> named_signals(const EquationsOfMotion& e) {
  std::vector<Signal> all;
  const auto add = [&](const std::string& name, const Expr& value) { all.push_back({name, value}); };
  for (const auto* symbols : {&e.q, &e.u, &e.udot})
    for (const auto& s : *symbols) add(s.name(), s);
  for (std::size_t i = 0; i < e.q.size(); ++i) add(e.q[i].name() + "'", e.qdot[i]);
  for (const auto* symbols : {&e.parameters, &e.inputs})
    for (const auto& s : *symbols) add(s.symbol.name(), s.symbol);
  add(e.t.name(), e.t);
  for (const auto& o : e.outputs) add(o.name, o.value);
  for (const auto& f : e.auxiliary_forces) add(f.name, f.value);
  add("kinetic", e.kinetic);
  if (e.potential) add("potential", *e.potential), add("energy", e.kinetic + *e.potential);
  const auto add_vector = [&](const std::string& prefix, const Expr3& v) {
    for (std::size_t k = 0; k < 3; ++k) add(prefix + "xyz"[k], v[k]);
  };
  for (const auto& p : e.points) {
    add_vector(p.name + ".", p.position);
    add_vector(p.name + ".v", p.velocity);
    add_vector(p.name + ".a", p.acceleration);
  }
  for (const auto& b : e.bodies) add_vector(b.name + ".w", b.angular_velocity);
  for (const auto& r : e.reactions) {
    add_vector(r.name + ".F", r.force);
    add_vector(r.name + ".T", r.torque);
  }
  for (const auto& c : e.constraints) add("lambda." + c.name, c.multiplier);
  return all;
}

Signal parse_signal(const EquationsOfMotion& equations, const std::string& text, const std::string& what) {
  const EquationsOfMotion e = copy_equations(equations);
  const std::vector<Signal> known = named_signals(e);
  ParseOptions options;
  options.where.file = what.empty() ? "'" + text + "'" : what + " '" + text + "'";
  for (const auto& s : known) options.known_names.push_back(s.name);
  options.resolve = [&](std::string_view name) -> std::optional<Expr> {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Signal& s) { return s.name == name; });
    return found == known.end() ? std::nullopt : std::optional(found->value);
  };
  return {text, parse(*e.graph, text, options), e.graph};
}

SignalEvaluator::SignalEvaluator(const SystemEvaluator& evaluator, const std::vector<Signal>& signals)
    : runner_(nullptr, evaluator.context()) {
  std::vector<Expr> values;
  for (const auto& s : signals) values.push_back(s.value);
  kernel_ = std::make_unique<Kernel>(KernelWorkshop(evaluator.system()).compile("signals", values));
  runner_ = KernelRunner(kernel_.get(), evaluator.context());
}

}  // namespace kane
