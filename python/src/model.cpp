// Models: reading, contents, equations in symbols, pages, source code, functions for many states.

#include "python/src/model.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanics/derivation_page.hpp"
#include "kane/mechanics/equations_page.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/part_place.hpp"
#include "kane/mechanism/report.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/simulate/system/independent_constraints.hpp"
#include "python/src/expression.hpp"
#include "python/src/function.hpp"

namespace kane::python {

ModelOptions model_options(const py::dict& given) {
  ModelOptions options;
  if (given.contains("set")) options.set = option<std::vector<std::string>>(given, "set");
  if (given.contains("guess")) options.guess = option<std::vector<std::string>>(given, "guess");
  if (given.contains("formulation")) options.formulation = formulation_from(option<std::string>(given, "formulation"));
  if (given.contains("strict")) options.strict = option<bool>(given, "strict");
  if (given.contains("interpreter")) options.interpreter = option<bool>(given, "interpreter");
  if (given.contains("allow_fmu")) options.allow_fmu = option<bool>(given, "allow_fmu");
  if (given.contains("ignore_limits")) options.stops = options.motor_limits = !option<bool>(given, "ignore_limits");
  return options;
}

Model with_reports(const Model& model, const std::function<void(Mechanism&)>& add) {
  Mechanism mechanism = copy_mechanism(model.mechanism());
  add(mechanism);
  ModelOptions options = model.options();
  options.set.clear();  // they are in the mechanism already
  options.guess.clear();
  return Model(std::move(mechanism), std::move(options));
}

namespace {

ReadOptions read_options(const py::dict& given) {
  ReadOptions options;
  if (given.contains("floating_base")) options.urdf.floating_base = option<bool>(given, "floating_base");
  if (given.contains("repair_inertia")) options.urdf.repair_inertia = option<bool>(given, "repair_inertia");
  if (given.contains("lenient")) options.mjcf.lenient = option<bool>(given, "lenient");
  if (given.contains("keyframe")) options.mjcf.keyframe = option<std::string>(given, "keyframe");
  if (given.contains("with_contacts")) options.mjcf.contacts = option<bool>(given, "with_contacts");
  return options;
}

PyModel read_file(const std::string& path, const py::dict& options) {
  const ModelOptions how = model_options(options);
  const ReadOptions reading = read_options(options);
  return unlocked([&] { return PyModel{read_model(path, how, reading), path}; });
}

PyModel read_text(const std::string& text, const std::string& name, const py::dict& options) {
  const ModelOptions how = model_options(options);
  const ReadOptions reading = read_options(options);
  return unlocked([&] { return PyModel{read_model_text(text, name, how, reading), name}; });
}

std::vector<std::string> names_of(const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const Expr& e : symbols) names.push_back(e.name());
  return names;
}

py::dict describe_model(const PyModel& m) {
  const Model& model = m.model;
  const EquationsOfMotion& e = model.equations();
  const Mechanism& mechanism = model.mechanism();
  py::dict d;
  const auto list = [](const auto& parts) {
    py::list names;
    for (const auto& part : parts) names.append(part.name);
    return names;
  };
  d["name"] = model.name();
  d["description"] = mechanism.description;
  d["file"] = m.file;
  d["coordinates"] = names_of(e.q);
  d["speeds"] = names_of(e.u);
  py::list inputs;
  for (const auto& input : e.inputs) inputs.append(input.symbol.name());
  d["inputs"] = inputs;
  d["free_inputs"] = model.system()->inputs();
  py::dict parameters;
  for (const auto& [name, value] : model.parameters(model.start())) parameters[py::str(name)] = value;
  d["parameters"] = parameters;
  d["bodies"] = list(mechanism.bodies);
  d["joints"] = list(mechanism.joints);
  d["points"] = list(e.points);
  d["outputs"] = list(e.outputs);
  d["constraints"] = list(e.constraints);
  d["modes"] = list(e.modes);
  d["formulation"] = e.formulation;
  d["switched"] = e.switched();
  d["notes"] = model.notes();
  std::vector<std::string> reading = mechanism.notes;
  d["reading_notes"] = reading;
  d["warnings"] = e.warnings;
  py::dict units;
  for (const auto& [name, unit] : symbol_units(mechanism)) units[py::str(name)] = unit;
  d["units"] = units;
  return d;
}

/// Reactions in symbols: those of the joints named, or of all.
std::vector<ReactionOutput> reactions_of(const Mechanism& mechanism, const LoweredMechanism& lowered,
                                         const EquationsOfMotion& equations, const std::vector<std::string>& joints) {
  std::vector<std::string> known;
  for (const Joint& joint : mechanism.joints) known.push_back(joint.name);
  const bool all = joints == std::vector<std::string>{"all"};
  for (const std::string& name : joints)
    require(all || mechanism.find_joint(name) != nullptr, "there is no joint '{}'{}", name, suggestion(name, known));
  const bool statics = equations.u.empty() && equations.states == 0;
  const auto named = [&](const std::string& joint) {
    return std::any_of(lowered.given.begin(), lowered.given.end(),
                       [&](const GivenForce& g) { return g.name == joint; });
  };
  if (joints.empty() && !statics && lowered.given.empty()) return {};
  auto reactions = form_reactions(mechanism, lowered, equations.constraints, {});
  std::erase_if(reactions, [&](const ReactionOutput& r) {
    return !all && !(joints.empty() && statics) && !named(r.name) &&
           std::find(joints.begin(), joints.end(), r.name) == joints.end();
  });
  return reactions;
}

Page derivation_page(const Mechanism& mechanism, std::size_t terms, const std::vector<int>& steps,
                     const std::vector<std::string>& joints) {
  return with_part_place(mechanism, [&] {
    if (mechanism.equations) {
      for (const int step : steps)
        require(step == 8, "step {}: '{}' is given by its equations, which are step 8; nothing was derived", step,
                mechanism.name);
      return form_equations_page(form_equations(mechanism), terms);
    }
    const LoweredMechanism lowered = lower_mechanism(mechanism);
    KaneDerivation derivation(lowered.system);
    std::set<std::string, std::less<>> switched;  // rows of contacts, stops and frictions
    for (const auto& contact : lowered.switching.contacts) switched.insert(contact.row);
    for (const auto& friction : lowered.switching.frictions)
      switched.insert(friction.rows.begin(), friction.rows.end());
    return form_derivation_page(derivation,
                                {.max_terms = terms,
                                 .units = symbol_units(mechanism),
                                 .steps = steps,
                                 .joint_reactions = reactions_of(mechanism, lowered, derivation.equations(), joints),
                                 .switched_rows = switched});
  });
}

py::dict derive(const PyModel& m, std::size_t terms, const std::vector<int>& steps,
                const std::vector<std::string>& joints) {
  for (const int step : steps) require(step >= 1 && step <= 8, "Kane's method has steps 1 to 8, not {}", step);
  std::string text, latex, html, markdown;
  unlocked([&] {
    const Page page = derivation_page(copy_mechanism(m.model.mechanism()), terms, steps, joints);
    text = write_text(page), latex = write_latex(page), html = write_html(page), markdown = write_markdown(page);
  });
  py::dict d;
  d["text"] = text, d["latex"] = latex, d["html"] = html, d["markdown"] = markdown;
  return d;
}

/// The equations as expressions of Python's own graph.
py::dict equations(const PyModel& m) {
  const EquationsOfMotion& e = m.model.equations();
  const auto graph = shared_graph();
  const auto list = [&](std::span<const Expr> es) {
    py::list result;
    for (const Expr& x : copy_to(*graph, es)) result.append(PyExpr{graph, graph->bind(x)});
    return result;
  };
  py::dict d;
  d["q"] = list(e.q), d["u"] = list(e.u), d["udot"] = list(e.udot), d["qdot"] = list(e.qdot);
  d["M"] = list(e.M.entries), d["rhs"] = list(e.rhs);
  py::list rows, b, gamma;
  for (const ConstraintEquation& c : e.constraints) {
    if (c.given) continue;
    rows.append(list(c.a));
    const Expr two[] = {c.b, c.gamma};
    const py::list pair = list(two);
    b.append(pair[0]), gamma.append(pair[1]);
  }
  d["A"] = rows, d["b"] = b, d["gamma"] = gamma;
  const Expr kinetic[] = {e.kinetic};
  d["kinetic"] = list(kinetic)[0];
  d["potential"] = py::none();
  if (e.potential) {
    const Expr potential[] = {*e.potential};
    d["potential"] = list(potential)[0];
  }
  return d;
}

// ---- functions for many states -----------------------------------------------------------------------------------------------

/// Contacts, frictions, events and modes by name, the first few of them.
std::string switched_parts(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const auto& c : e.contacts) names.push_back(fmt::format("contact '{}'", c.name));
  for (const auto& c : e.contact_pairs) names.push_back(fmt::format("contact '{}'", c.name));
  for (const auto& f : e.frictions) names.push_back(fmt::format("friction '{}'", f.name));
  for (const auto& s : e.switches) names.push_back(fmt::format("event '{}'", s.name));
  for (const auto& m : e.modes) names.push_back(fmt::format("mode '{}'", m.name));
  constexpr std::size_t kMostNamed = 4;
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

/// The motion (qdot, udot) with the constraints active at the start, as expressions of t, q, u, inputs and parameters in a
/// graph of their own; and on request its derivatives by the states and inputs.
class MotionFunction {
 public:
  explicit MotionFunction(const Model& given) : model_(given.with_options(given.options())) {
    const EquationsOfMotion& e = model_.equations();
    require(!e.switched(), "'{}' has {}: its motion is no single function of the state{}", e.name, switched_parts(e),
            std::any_of(e.contacts.begin(), e.contacts.end(), [](const auto& c) { return !c.coordinate.empty(); })
                ? " (ignore_limits=True reads it without limits of joints)"
                : "");
    require(!e.has_given_forces(), "'{}' has loads that depend on constraint forces: its motion is not explicit",
            model_.name());
    if (!e.u.empty()) udot_ = form_explicit_motion(e, independent_rows()).udot;
  }

  [[nodiscard]] std::shared_ptr<VectorFunction> make(bool derivatives) const {
    const EquationsOfMotion& e = model_.equations();
    std::vector<Expr> rates = e.qdot;
    rates.insert(rates.end(), udot_.begin(), udot_.end());
    // Laws of inputs are part of the motion.
    rates = substitute(rates, model_.system()->setting().laws);
    const std::vector<std::string>& inputs = model_.system()->inputs();
    std::vector<std::string> symbols{e.t.name()};
    for (const Expr& s : e.q) symbols.push_back(s.name());
    for (const Expr& s : e.u) symbols.push_back(s.name());
    symbols.insert(symbols.end(), inputs.begin(), inputs.end());
    const std::size_t states = e.q.size() + e.u.size();
    if (derivatives) rates = differentiate(rates, std::span(symbols).subspan(1, states + inputs.size()));
    for (const std::string& p : model_.system()->parameters()) symbols.push_back(p);
    const auto axis = [](std::size_t n) { return std::vector<py::ssize_t>{static_cast<py::ssize_t>(n)}; };
    const std::size_t parameters = symbols.size() - 1 - states - inputs.size();
    std::vector<Argument> arguments{{"t", {}, 1},
                                    {"x", axis(states), states},
                                    {"u", axis(inputs.size()), inputs.size()},
                                    {"p", axis(parameters), parameters}};
    // The functions that tables call belong to the compiled system, which lives as long as the function.
    return std::make_shared<VectorFunction>(rates, arguments, symbols, model_.system()->setting().functions,
                                            model_.system());
  }

 private:
  /// The active constraints without those that repeat others at the start, which no expression could tell.
  [[nodiscard]] std::vector<bool> independent_rows() const {
    Start start = model_.start();
    if (std::find(start.active.begin(), start.active.end(), true) == start.active.end()) return start.active;
    const auto evaluator = model_.make_evaluator(start);
    (void)assemble_start(*evaluator, start);
    const IndependentConstraints chosen = IndependentConstraintFinder(*evaluator).choose(start.state.q, start.state.u);
    std::vector<bool> rows = start.active;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows[i] && chosen.motion[i];
    return rows;
  }
  [[nodiscard]] std::vector<Expr> differentiate(const std::vector<Expr>& rates,
                                                std::span<const std::string> symbols) const {
    Graph& graph = *model_.equations().graph;
    std::vector<std::vector<Expr>> columns;
    for (const std::string& s : symbols) columns.push_back(derivative(rates, graph.symbol(s)));
    std::vector<Expr> rows;
    for (std::size_t i = 0; i < rates.size(); ++i)
      for (const auto& column : columns) rows.push_back(column[i]);
    return rows;
  }

  Model model_;  ///< a copy, to whose graph nothing else adds
  std::vector<Expr> udot_;
};

std::shared_ptr<VectorFunction> motion_function(const PyModel& m, bool derivatives) {
  return unlocked([&] { return MotionFunction(m.model).make(derivatives); });
}

py::dict export_code(const PyModel& m, const std::string& state, const std::string& language, const std::string& folder,
                     const py::dict& given) {
  ExportOptions options;
  options.language = language_from(language);
  if (given.contains("name")) options.name = option<std::string>(given, "name");
  if (given.contains("until")) options.until = option<double>(given, "until");
  if (given.contains("step")) options.step = option<double>(given, "step");
  if (given.contains("output_step")) options.output_step = option<double>(given, "output_step");
  options.check();
  const bool force = given.contains("force") && option<bool>(given, "force");
  const StartState start = read_start(state);
  ExportPlan plan = unlocked([&] { return plan_export(m.model, start, options); });
  py::dict d;
  py::dict files;
  for (const SourceFile& file : plan.files) files[py::str(file.name)] = file.text;
  d["files"] = files;
  d["notes"] = plan.notes;
  if (!folder.empty())
    d["written"] =
        unlocked([&] { return write_export(plan, folder, force ? ExistingFiles::Replace : ExistingFiles::Refuse); });
  return d;
}

}  // namespace

void bind_model(py::module_& m) {
  m.def("read_file", &read_file);
  m.def("read_text", &read_text);
  py::class_<PyModel>(m, "Model")
      .def("describe", &describe_model)
      .def("yaml", [](const PyModel& a) { return unlocked([&] { return write_yaml(a.model.mechanism()); }); })
      .def("derive", &derive)
      .def("equations", &equations)
      .def("motion_function", &motion_function)
      .def("export_code", &export_code)
      .def("with_options",
           [](const PyModel& a, const py::dict& options) {
             const ModelOptions how = model_options(options);
             return unlocked([&] { return PyModel{a.model.with_options(how), a.file}; });
           })
      .def("start", [](const PyModel& a, const std::string& state) {
        const Start start = a.model.start(read_start(state));
        py::dict d;
        d["t"] = start.state.t, d["q"] = start.state.q, d["u"] = start.state.u;
        d["inputs"] = start.inputs;
        const Values parameters = a.model.parameters(start);
        d["parameters"] = std::map<std::string, double>(parameters.begin(), parameters.end());
        d["parameter_order"] = a.model.system()->parameters();
        return d;
      });
}

}  // namespace kane::python
