#include "kane/export/page_export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <live_page_assets.hpp>  // written by the build from web/
#include <nlohmann/json.hpp>

#include "kane/base/html_parts.hpp"
#include "kane/codegen/emit/emit_wasm.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/export/export_start.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/derivation_page.hpp"
#include "kane/mechanics/equations_page.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/pull.hpp"
#include "kane/model/simulation.hpp"
#include "kane/picture/live_picture.hpp"
#include "kane/picture/page_json.hpp"
#include "kane/picture/scene.hpp"
#include "kane/program/lower.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/system/report_list.hpp"

namespace kane {

namespace {

using PageJson = nlohmann::ordered_json;

/// Series the page follows by itself; everything else that is left out would make another motion.
void refuse_left_out(const Model& model, const StartState& start) {
  std::string list;
  bool limits = false;
  for (const std::string& note : find_left_out(model.mechanism(), start)) {
    if (note.find("points in time") != std::string::npos) continue;
    limits = limits || note.starts_with("limits of joint");
    list += fmt::format("\n  {}", note);
  }
  require(list.empty(),
          "'{}' cannot become a page, whose equations are smooth:{}\n{}kane simulate --report writes a page of a run "
          "of any "
          "model, and kane serve runs it live",
          model.name(), list, limits ? "--ignore-limits leaves the limits of joints out; " : "");
}

class PagePlanner {
 public:
  PagePlanner(const Model& model, const StartState& start, const PageOptions& options)
      : found_(find_export_start(model, start)), model_(found_.model), options_(options), shop_(*model_.system()) {}

  PageExport run() {
    PageJson data;
    const Mechanism& mechanism = model_.mechanism();
    data["name"] = model_.name();
    data["description"] = mechanism.description;
    data["file"] = options_.file, data["text"] = options_.text;
    data["equations"] = options_.equations;
    add_state(data);
    add_parameters(data);
    add_inputs(data);
    add_kernels(data);
    PageExport page;
    page.title = model_.name();
    page.html = fill(data);
    if (found_.redundant > 0)
      page.notes.push_back(
          fmt::format("{} of the constraints repeat others at the start and are left out", found_.redundant));
    return page;
  }

 private:
  void add_state(PageJson& data) const {
    const EquationsOfMotion& e = model_.equations();
    const State& state = found_.start.state;
    data["t"] = state.t, data["q"] = state.q, data["u"] = state.u;
    data["until"] = end_time(model_, state.t, options_.until);
    data["coordinates"] = data["speeds"] = PageJson::array();
    for (const auto& q : e.q) data["coordinates"].push_back(q.name());
    for (const auto& u : e.u) data["speeds"].push_back(u.name());
    data["quaternions"] = e.quaternions;
    const SimulationSettings& settings = model_.mechanism().simulation;
    data["tolerance"] = std::min(1e-12, settings.tolerance.value_or(1e-12));
  }

  void add_parameters(PageJson& data) {
    const auto units = symbol_units(model_.mechanism());
    const std::vector<double> values = model_.system()->calc_parameters(found_.start.parameters);
    data["parameters"] = PageJson::array();
    std::vector<Expr> symbols, laws;
    const auto& parameters = shop_.equations().parameters;
    for (const auto& p : parameters) {
      const bool free = symbols_of({&p.value, 1}).empty();
      symbols.push_back(p.symbol), laws.push_back(free ? p.symbol : p.value);
      const auto unit = units.find(p.symbol.name());
      data["parameters"].push_back({{"name", p.symbol.name()},
                                    {"value", values[symbols.size() - 1]},
                                    {"unit", unit == units.end() ? std::string() : unit->second}});
      if (found_.start.parameters.contains(p.symbol.name())) laws.back() = p.symbol;  // given, so it follows nothing
      data["parameters"].back()["free"] = laws.back() == p.symbol;
    }
    // Those that follow others, in terms of the free ones.
    for (std::size_t i = 0; i < laws.size(); ++i) {
      if (laws[i] == symbols[i]) continue;
      Substitution known;
      for (std::size_t k = 0; k < i; ++k)
        if (!(laws[k] == symbols[k])) known.set(symbols[k], laws[k]);
      laws[i] = substitute(laws[i], known);
    }
    std::vector<NamedExpr> outputs;
    for (std::size_t i = 0; i < laws.size(); ++i) outputs.push_back({symbols[i].name(), laws[i]});
    ProgramInputs names;
    names.state = model_.system()->parameters();
    data["follow"] = module_json(lower("parameters", outputs, names));
  }

  void add_inputs(PageJson& data) const {
    const auto& inputs = model_.system()->inputs();
    const auto units = symbol_units(model_.mechanism());
    data["inputs"] = PageJson::array();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      PageJson input{{"name", inputs[i]}, {"value", found_.start.inputs[i]}};
      if (const auto unit = units.find(inputs[i]); unit != units.end()) input["unit"] = unit->second;
      input["pull"] = is_pull_input(inputs[i]);
      for (const InputSource& source : model_.input_sources())
        if (const auto* series = std::get_if<SeriesInput>(&source); series != nullptr && series->input == inputs[i])
          input["series"] = {
              {"t", series->t}, {"value", series->value}, {"hold", series->interpolation == Interpolation::Hold}};
      data["inputs"].push_back(std::move(input));
    }
  }

  /// The motion, the picture, and the constraints: functions of parameters, inputs and time, and the state.
  void add_kernels(PageJson& data) {
    const ExplicitMotion motion = form_explicit_motion(model_.equations(), found_.rows);
    const EquationsOfMotion& e = shop_.equations();
    const std::vector<Expr> udot = shop_.own(motion.udot), multipliers = shop_.own(motion.multipliers);
    std::vector<Expr> rates = e.qdot;
    rates.insert(rates.end(), udot.begin(), udot.end());
    data["motion"] = kernel_json("motion", rates);

    const LivePicture picture(model_.mechanism(), *model_.system(), model_.parameters(found_.start));
    data["scene"] = PageJson::parse(picture.to_json(true));
    Substitution known;
    for (std::size_t i = 0; i < e.udot.size(); ++i) known.set(e.udot[i], udot[i]);
    for (std::size_t i = 0; i < e.constraints.size(); ++i) known.set(e.constraints[i].multiplier, multipliers[i]);
    const ReportList reports = list_reports(e);
    std::vector<Expr> row;
    for (const std::size_t place : picture.columns()) row.push_back(reports.values[place]);
    data["picture"] = kernel_json("picture", substitute(row, known));

    std::vector<Expr> rows;
    PageJson constraints = PageJson::array();
    for (std::size_t i = 0; i < e.constraints.size(); ++i) {
      if (!found_.start.active[i]) continue;  // those that repeat others, too: elsewhere they may not
      const ConstraintEquation& c = e.constraints[i];
      constraints.push_back({{"name", c.name}, {"configuration", c.phi.has_value()}});
      rows.push_back(c.phi.value_or(Expr())), rows.push_back(c.b);
      rows.insert(rows.end(), c.a.begin(), c.a.end());
    }
    data["constraints"] = std::move(constraints);
    if (!rows.empty()) data["closing"] = kernel_json("constraints", rows);
  }

  PageJson kernel_json(const std::string& name, std::span<const Expr> expressions) {
    std::vector<Expr> values = shop_.with_laws(expressions);
    Graph without_calls;
    if (!model_.mechanism().tables.empty()) values = write_out_tables(model_.mechanism(), without_calls, values);
    std::vector<NamedExpr> outputs;
    for (std::size_t i = 0; i < values.size(); ++i) outputs.push_back({fmt::format("y{}", i), values[i]});
    ProgramInputs names;
    names.parameters = model_.system()->parameters();
    names.inputs = model_.system()->inputs();
    names.inputs.push_back(model_.equations().t.name());
    for (const auto& q : model_.equations().q) names.state.push_back(q.name());
    for (const auto& u : model_.equations().u) names.state.push_back(u.name());
    LowerOptions options;
    options.passes.contract = false;  // there are no fused instructions to select
    return module_json(lower(name, outputs, names, options));
  }

  static PageJson module_json(const Program& program) {
    const WasmModule module = emit_wasm(program);
    return {{"code", base64(module.bytes)},
            {"counts", {program.input_count[0], program.input_count[1], program.input_count[2]}},
            {"outputs", program.outputs.size()},
            {"first", module.first_output},
            {"operations", program.operations(Stage::State).total()}};
  }

  static std::string fill(const PageJson& data) {
    std::string page(kLiveHtml);
    const auto put = [&](std::string_view mark, std::string_view what) {
      const std::size_t at = page.find(mark);
      ensure(at != std::string::npos, "the template of the page has no mark {}", mark);
      page.replace(at, mark.size(), what);
    };
    put("@TITLE@", escape_html(data["name"].get<std::string>()));
    put("@STYLE@", math_style() + std::string(kLiveCss));
    put("@SCRIPT@", kLiveJs);
    put("@DATA@", embeddable(data));
    return page;
  }

  ExportStart found_;
  const Model& model_;
  const PageOptions& options_;
  KernelWorkshop shop_;
};

}  // namespace

void prepare_page(Mechanism& mechanism) {
  add_scene_outputs(mechanism);
  add_pull_inputs(mechanism);
}

std::string form_equation_html(const Mechanism& mechanism) {
  constexpr std::size_t kMostTerms = 60, kMostSpeeds = 10;
  constexpr double kPaneWidth = 34;  // letters
  if (mechanism.equations)
    return write_html_blocks(form_equations_page(form_equations(mechanism), kMostTerms), kPaneWidth);
  if (mechanism.joint_speeds().size() + mechanism.speeds.size() > kMostSpeeds)
    return "<p>The equations of so many speeds are too long to read here; <code>kane derive</code> writes them.</p>";
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  KaneDerivation derivation(lowered.system);
  return write_html_blocks(
      form_derivation_page(derivation, {.max_terms = kMostTerms, .units = symbol_units(mechanism), .steps = {8}}),
      kPaneWidth);
}

PageExport plan_page(const Model& model, const StartState& start, const PageOptions& options) {
  require(
      !kLiveJs.empty(),
      "this program was built without its page, because Node.js and npm were missing; install them and build it again");
  refuse_left_out(model, start);
  return PagePlanner(model, start, options).run();
}

}  // namespace kane
