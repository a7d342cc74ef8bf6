#include "kane/formats/yaml/yaml_writer.hpp"

#include <algorithm>
#include <set>

#include "kane/formats/yaml/read_switching.hpp"
#include "kane/formats/yaml/write_parts.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {

namespace {

std::string number_text(double value) { return fmt::format("{}", value); }

class ModelWriter {
 public:
  explicit ModelWriter(const Mechanism& mechanism) : m_(mechanism), root_(yaml_map()) {}

  std::string write() {
    add_entry(root_, "kane", "1");
    add_entry(root_, "name", m_.name);
    if (!m_.description.empty()) add_entry(root_, "description", m_.description);
    if (m_.ground != "N") add_entry(root_, "ground", m_.ground);
    write_names();
    write_parts();
    write_joints();
    write_forces();
    write_motion();
    write_rest();
    return notes() + emit_yaml(root_);
  }

 private:
  [[nodiscard]] std::string notes() const {
    std::string text;
    for (const auto& note : m_.notes) {
      std::string line = note;
      std::replace(line.begin(), line.end(), '\n', ' ');
      text += "# note: " + line + "\n";
    }
    return text;
  }

  void section(const char* name, YamlNode node) {
    if (!node.entries.empty() || !node.items.empty()) add_entry(root_, name, std::move(node));
  }

  [[nodiscard]] YamlNode value_node(const std::string& name, const Expr& value) const {
    const auto unit = m_.units.find(name);
    if (unit != m_.units.end() && unit->second == "rad" && !value.is_number())
      if (const Expr degrees = value * 180 / m_.graph->pi(); degrees.is_number())
        return yaml_scalar(scalar_text(degrees) + " deg");
    const bool plain = unit == m_.units.end() || !value.is_number();
    return yaml_scalar(plain ? scalar_text(value) : scalar_text(value) + " " + unit->second);
  }

  /// The first input that an FMU drives describes it; the others name it.
  [[nodiscard]] YamlNode fmu_node(const FmuController& fmu, const std::string& output, bool first) const {
    YamlNode node = yaml_map(), inputs = yaml_map(), parameters = yaml_map();
    add_entry(node, "fmu", fmu.given);
    add_entry(node, "output", output);
    if (!first) return node;
    for (const auto& [variable, symbol] : fmu.measured)
      for (const NamedQuantity& law : m_.input_laws)
        if (law.name == symbol) add_entry(inputs, variable, law.value.text);
    for (const auto& [variable, value] : fmu.start) add_entry(parameters, variable, number_text(value));
    if (!inputs.entries.empty()) add_entry(node, "inputs", std::move(inputs));
    if (!parameters.entries.empty()) add_entry(node, "parameters", std::move(parameters));
    add_entry(node, "step", number_text(fmu.period));
    if (fmu.delay > 0) add_entry(node, "delay", number_text(fmu.delay));
    return node;
  }

  /// Inputs that represent the measurements of an FMU are written with it.
  [[nodiscard]] bool is_measured(const std::string& name) const {
    return std::any_of(m_.fmus.begin(), m_.fmus.end(), [&](const FmuController& fmu) {
      return std::any_of(fmu.measured.begin(), fmu.measured.end(), [&](const auto& m) { return m.second == name; });
    });
  }

  /// The value alone, or a map with its sampling.
  [[nodiscard]] YamlNode input_node(const std::string& name, YamlNode value) const {
    YamlNode node = yaml_map();
    for (const FmuController& fmu : m_.fmus)
      for (const auto& [input, output] : fmu.outputs)
        if (input == name) return fmu_node(fmu, output, &output == &fmu.outputs.front().second);
    for (const InputSeries& series : m_.input_series) {
      if (series.input != name) continue;
      YamlNode points = yaml_list();
      for (std::size_t k = 0; k < series.t.size(); ++k)
        points.items.push_back(
            yaml_list({yaml_scalar(number_text(series.t[k])), yaml_scalar(number_text(series.value[k]))}));
      add_entry(node, "points", std::move(points));
      if (series.hold) add_entry(node, "hold", "true");
      return node;
    }
    for (const InputSampling& sampling : m_.sampled_inputs) {
      if (sampling.input != name) continue;
      add_entry(node, "value", std::move(value));
      add_entry(node, "sampled", number_text(sampling.period));
      if (sampling.delay > 0) add_entry(node, "delay", number_text(sampling.delay));
      return node;
    }
    return value;
  }

  void write_names() {
    YamlNode parameters = yaml_map(), inputs = yaml_map(), tables = yaml_map();
    for (const auto& p : m_.parameters) add_entry(parameters, p.symbol.name(), value_node(p.symbol.name(), p.value));
    for (const auto& i : m_.inputs) {
      if (is_measured(i.symbol.name())) continue;
      const auto law = std::find_if(m_.input_laws.begin(), m_.input_laws.end(),
                                    [&](const NamedQuantity& l) { return l.name == i.symbol.name(); });
      add_entry(inputs, i.symbol.name(),
                input_node(i.symbol.name(), law != m_.input_laws.end() ? yaml_scalar(law->value.text)
                                                                       : value_node(i.symbol.name(), i.value)));
    }
    for (const auto& t : m_.tables) {
      YamlNode table = yaml_map(), x = yaml_list(), y = yaml_list();
      for (const double value : t.x) x.items.push_back(yaml_scalar(number_text(value)));
      for (const double value : t.y) y.items.push_back(yaml_scalar(number_text(value)));
      add_entry(table, "x", std::move(x));
      add_entry(table, "y", std::move(y));
      if (t.cubic || t.monotone) add_entry(table, "interpolation", t.cubic ? "cubic" : "monotone");
      add_entry(tables, t.name, std::move(table));
    }
    section("parameters", std::move(parameters));
    section("inputs", std::move(inputs));
    section("tables", std::move(tables));
    YamlNode let = yaml_map();
    for (const auto& e : m_.expressions) add_entry(let, e.name, e.value.text);
    section("let", std::move(let));
    if (!m_.gravity.empty()) add_entry(root_, "gravity", m_.gravity.text);
  }

  void write_parts() {
    YamlNode bodies = yaml_map(), particles = yaml_map(), points = yaml_map(), frames = yaml_map();
    for (const auto& body : m_.bodies) add_entry(bodies, body.name, body_node(m_, body));
    for (const auto& p : m_.particles) {
      YamlNode node = yaml_map();
      add_entry(node, "mass", scalar_text(p.mass));
      add_entry(node, "on", p.on);
      if (!is_zero(p.at)) add_entry(node, "at", vector_node(p.at));
      add_entry(particles, p.name, std::move(node));
    }
    // Those of bodies are written with their bodies.
    for (const auto& p : m_.points) {
      if (p.on != m_.ground) continue;
      YamlNode node = yaml_map();
      add_entry(node, "on", p.on);
      add_entry(node, "at", vector_node(p.at));
      add_entry(points, p.name, std::move(node));
    }
    for (const auto& f : m_.frames) {
      if (f.on != m_.ground) continue;
      YamlNode node = yaml_map();
      add_entry(node, "on", f.on);
      add_placement(node, f.place, "at", "orientation");
      add_entry(frames, f.name, std::move(node));
    }
    section("bodies", std::move(bodies));
    section("particles", std::move(particles));
    section("points", std::move(points));
    section("frames", std::move(frames));
  }

  void write_joints() {
    YamlNode joints = yaml_map();
    for (const auto& joint : m_.joints) add_entry(joints, joint.name, joint_node(m_, joint));
    section("joints", std::move(joints));
  }

  void write_forces() {
    std::set<std::string> names;
    bool unique = true;
    for (const auto& load : m_.loads) unique = names.insert(load.name).second && !load.name.empty() && unique;
    YamlNode loads = unique ? yaml_map() : yaml_list();
    for (const auto& load : m_.loads) {
      if (unique)
        add_entry(loads, load.name, load_node(m_, load));
      else
        loads.items.push_back(load_node(m_, load));
    }
    section("loads", std::move(loads));
  }

  [[nodiscard]] static YamlNode equations_node(const GeneralEquations& g) {
    YamlNode node = yaml_map(), coordinates = yaml_map(), forcing = yaml_map(), matrix = yaml_list();
    for (std::size_t i = 0; i < g.coordinates.size(); ++i) add_entry(coordinates, g.coordinates[i], g.rates[i].text);
    for (std::size_t i = 0; i < g.speeds.size(); ++i) add_entry(forcing, g.speeds[i], g.forcing[i].text);
    for (const auto& row : g.mass_matrix) {
      YamlNode entries = yaml_list();
      for (const Quantity& q : row) entries.items.push_back(yaml_scalar(q.text));
      matrix.items.push_back(std::move(entries));
    }
    add_entry(node, "coordinates", std::move(coordinates));
    add_entry(node, "forcing", std::move(forcing));
    if (!g.mass_matrix.empty()) add_entry(node, "mass_matrix", std::move(matrix));
    if (!g.kinetic.empty()) add_entry(node, "kinetic", g.kinetic.text);
    if (!g.potential.empty()) add_entry(node, "potential", g.potential.text);
    return node;
  }

  void write_motion() {
    YamlNode extra = yaml_list(), speeds = yaml_map(), constraints = yaml_map(), auxiliary = yaml_map();
    if (m_.equations)
      add_entry(root_, "equations", equations_node(*m_.equations));
    else
      for (const Expr& q : m_.extra_coordinates) extra.items.push_back(yaml_scalar(q.name()));
    section("extra_coordinates", std::move(extra));
    section("coordinates", names_node(m_.coordinate_order));
    if (m_.automatic_speeds)
      add_entry(root_, "speeds", "auto");
    else if (m_.speeds.empty())
      section("speeds", names_node(m_.speed_order));
    for (const auto& u : m_.speeds)
      if (!m_.equations) add_entry(speeds, u.name, u.value.text);
    section("speeds", std::move(speeds));
    YamlNode states = yaml_map();
    for (const auto& x : m_.states) add_entry(states, x.name, x.rate.text);
    section("states", std::move(states));
    for (const auto& c : m_.constraints) add_entry(constraints, c.name, constraint_node(c));
    section("constraints", std::move(constraints));
    write_switching(m_.switching, root_);
    section("dependent", names_node(m_.dependent_speeds));
    for (const auto& a : m_.auxiliary) {
      YamlNode node = yaml_map();
      if (!a.body.empty()) add_entry(node, "body", a.body);
      if (!a.point.empty()) add_entry(node, "point", a.point);
      if (!a.direction.empty()) add_entry(node, "direction", a.direction.text);
      add_entry(auxiliary, a.name, a.definition.empty() ? std::move(node) : yaml_scalar(a.definition.text));
    }
    section("auxiliary", std::move(auxiliary));
  }

  void write_rest() {
    YamlNode outputs = yaml_map(), simulate = yaml_map();
    for (const auto& o : m_.outputs) add_entry(outputs, o.name, o.value.text);
    section("outputs", std::move(outputs));
    write_start("initial", m_.initial);
    write_start("guess", m_.guess);
    const SimulationSettings& s = m_.simulation;
    const auto add_number = [&](const char* key, std::optional<double> value) {
      if (value) add_entry(simulate, key, number_text(*value));
    };
    add_number("from", s.from);
    add_number("until", s.until);
    if (!s.method.empty()) add_entry(simulate, "method", s.method);
    add_number("tolerance", s.tolerance);
    add_number("absolute_tolerance", s.absolute_tolerance);
    add_number("step", s.step);
    add_number("sample", s.sample);
    if (!s.constraints.empty()) add_entry(simulate, "constraints", s.constraints);
    section("simulate", std::move(simulate));
  }

  void write_start(const char* name, const std::map<std::string, double>& values) {
    YamlNode node = yaml_map();
    for (const std::string& symbol : state_names())
      if (const auto value = values.find(symbol); value != values.end())
        add_entry(node, symbol, number_text(value->second));
    section(name, std::move(node));
  }

  /// Everything that may have an initial value, in the order people expect.
  [[nodiscard]] std::vector<std::string> state_names() const {
    std::vector<std::string> names;
    for (const Expr& q : m_.all_coordinates()) names.push_back(q.name());
    for (const auto& x : m_.states) names.push_back(x.name);
    for (const auto& u : m_.speeds) names.push_back(u.name);
    if (m_.speeds.empty())
      for (const Expr& u : m_.joint_speeds()) names.push_back(u.name());
    names.emplace_back("t");
    return names;
  }

  const Mechanism& m_;
  YamlNode root_;
};

}  // namespace

std::string write_yaml(const Mechanism& mechanism) { return ModelWriter(mechanism).write(); }

}  // namespace kane
