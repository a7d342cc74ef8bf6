#pragma once
// Systems to simulate: from the model files, and from YAML text.

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/simulate/motion/simulator.hpp"

namespace kane::test {

using nlohmann::json;

struct Model {
  Mechanism mechanism;
  std::shared_ptr<const CompiledSystem> system;

  explicit Model(Mechanism m, CompileOptions options = {}, const FormOptions& form = {}) : mechanism(std::move(m)) {
    options.functions = table_functions(mechanism);
    system = std::make_shared<const CompiledSystem>(form_equations(mechanism, form), options);
  }
  [[nodiscard]] const EquationsOfMotion& equations() const { return system->equations(); }

  /// The model's own initial values, not assembled.
  [[nodiscard]] State initial() const {
    State s;
    const auto value = [&](const Expr& symbol) { return mechanism.start_value(symbol.name()); };
    for (const auto& q : equations().q) s.q.push_back(value(q));
    for (const auto& u : equations().u) s.u.push_back(value(u));
    return s;
  }
  [[nodiscard]] GivenValues given() const {
    GivenValues g;
    for (const auto& q : equations().q) g.q.push_back(mechanism.initial.contains(q.name()));
    for (const auto& u : equations().u) g.u.push_back(mechanism.initial.contains(u.name()));
    return g;
  }
};

inline std::string source_path(const std::string& name) { return std::string(KANE_SOURCE_DIR) + "/" + name; }

inline Model load_model(const std::string& id, const CompileOptions& options = {}, const FormOptions& form = {}) {
  return Model(read_yaml_model(source_path("models/" + id + ".yaml")), options, form);
}

inline Model parse_model(const std::string& text, const CompileOptions& options = {}, const FormOptions& form = {}) {
  return Model(read_yaml_text(text), options, form);
}

inline json load_oracle(const std::string& id) {
  std::ifstream in(source_path("tests/oracles/" + id + ".json"));
  if (!in) throw std::runtime_error("no oracle " + id);
  return json::parse(in);
}

/// Numbers by name in the order of the symbols; a list has that order already.
inline std::vector<double> in_order(const json& values, const std::vector<Expr>& symbols) {
  if (values.is_array()) return values.get<std::vector<double>>();
  std::vector<double> r;
  for (const auto& s : symbols) r.push_back(values.at(s.name()).get<double>());
  return r;
}

}  // namespace kane::test
