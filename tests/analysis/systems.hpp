#pragma once
// Systems to analyse: from the model files, and from YAML text, with an evaluator at their initial state.

#include <memory>
#include <string>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/simulate/motion/simulator.hpp"

namespace kane::test {

struct Subject {
  Mechanism mechanism;
  std::shared_ptr<const CompiledSystem> system;
  std::unique_ptr<SystemEvaluator> evaluator;
  State state;  ///< the model's initial values, not assembled
  GivenValues given;

  explicit Subject(Mechanism m, CompileOptions options = {}) : mechanism(std::move(m)) {
    options.functions = table_functions(mechanism);
    system = std::make_shared<const CompiledSystem>(form_equations(mechanism), options);
    evaluator = std::make_unique<SystemEvaluator>(system);
    evaluator->set_parameters(system->calc_parameters({}));
    evaluator->set_inputs(system->default_inputs(), 0);
    const auto read = [&](const std::vector<Expr>& symbols, std::vector<double>& values, std::vector<bool>& flags) {
      for (const auto& s : symbols) {
        values.push_back(mechanism.start_value(s.name()));
        flags.push_back(mechanism.initial.contains(s.name()));
      }
    };
    read(equations().q, state.q, given.q), read(equations().u, state.u, given.u);
  }
  [[nodiscard]] const EquationsOfMotion& equations() const { return system->equations(); }
  [[nodiscard]] std::size_t q(const std::string& name) const { return place(equations().q, name); }
  [[nodiscard]] std::size_t u(const std::string& name) const { return place(equations().u, name); }
  [[nodiscard]] State assembled() {
    State s = state;
    if (!assemble(*evaluator, s, given).ok) throw std::runtime_error("cannot be assembled");
    return s;
  }

 private:
  static std::size_t place(const std::vector<Expr>& symbols, const std::string& name) {
    for (std::size_t k = 0; k < symbols.size(); ++k)
      if (symbols[k].name() == name) return k;
    throw std::runtime_error("no " + name);
  }
};

inline Subject load(const std::string& id, const CompileOptions& options = {}) {
  return Subject(read_yaml_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"), options);
}
inline Subject parse_yaml(const std::string& text, const CompileOptions& options = {}) {
  return Subject(read_yaml_text(text), options);
}

inline const char* const kPendulum = R"yaml(
kane: 1
name: pendulum
parameters: {m: 2 kg, l: 0.5 m, g: 9.81 m/s^2, b: 0 N*m*s}
inputs: {T: 0 N*m}
gravity: -g*N.y
bodies: {rod: {}}
particles: {P: {mass: m, on: rod, at: [0, -l, 0]}}
joints: {pivot: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, damping: b, actuator: T}}
outputs: {x: "dot(position(P), N.x)"
}
initial: {q: 0.3}
)yaml";

}  // namespace kane::test
