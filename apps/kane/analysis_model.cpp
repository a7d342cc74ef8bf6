#include "apps/kane/analysis_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "kane/base/error.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {

AnalysisModel::AnalysisModel(const ModelSource& source, const std::string& state, std::vector<std::string> driven,
                             const std::vector<std::string>& settings)
    : mechanism_(source.read()) {
  apply_settings(mechanism_, settings);
  if (!state.empty()) state_ = read_state_file(state);
  compile(source.formulation, std::move(driven));
}

AnalysisModel::AnalysisModel(Mechanism mechanism, nlohmann::json state, const std::string& formulation)
    : mechanism_(std::move(mechanism)), state_(std::move(state)) {
  compile(formulation, {});
}

void AnalysisModel::compile(const std::string& formulation, std::vector<std::string> driven) {
  require(state_.is_object(), "expected one state, not a list of states");
  for (const auto& name : inputs_named(state_)) driven.push_back(name);
  FormOptions form;
  form.formulation = formulation_from(formulation);
  CompileOptions options;
  options.functions = table_functions(mechanism_);
  options.driven_inputs = std::move(driven);
  system_ = std::make_shared<const CompiledSystem>(form_equations(mechanism_, form), options);
  situation_ = make_situation(state_, mechanism_, *system_);
  const auto t = mechanism_.initial.find(equations().t.name());
  if (!state_.contains("t") && t != mechanism_.initial.end()) situation_.t = t->second;
  evaluator_ = std::make_unique<SystemEvaluator>(system_);
  evaluator_->set_parameters(system_->calc_parameters(situation_.parameters));
  evaluator_->set_inputs(situation_.inputs, situation_.t);
  if (situation_.active) evaluator_->set_active(active_rows(equations(), situation_));
}

Values AnalysisModel::parameters() const {
  const auto numbers = system_->calc_parameters(situation_.parameters);
  Values values;
  for (std::size_t i = 0; i < numbers.size(); ++i) values[equations().parameters[i].symbol.name()] = numbers[i];
  return values;
}

GivenValues AnalysisModel::given() const { return given_values(mechanism_, equations(), state_); }

State AnalysisModel::assembled(AssemblyReport* report) {
  State state = start();
  const AssemblyReport own = assemble(*evaluator_, state, given());
  require(own.ok, "{}", own.message);
  if (report != nullptr) *report = own;
  return state;
}

std::unique_ptr<Simulator> AnalysisModel::make_simulator(SimulatorOptions options) const {
  auto simulator = std::make_unique<Simulator>(system_, std::move(options));
  simulator->set_parameters(situation_.parameters);
  simulator->set_inputs(situation_.inputs);
  if (situation_.active) simulator->set_active(active_rows(equations(), situation_));
  return simulator;
}

SimulatorOptions AnalysisModel::simulator_options() const {
  const SimulationSettings& settings = mechanism_.simulation;
  SimulatorOptions o;
  if (!settings.method.empty()) o.method = method_from(settings.method);
  o.tolerance = settings.tolerance.value_or(o.tolerance);
  o.absolute_tolerance = settings.absolute_tolerance.value_or(o.absolute_tolerance);
  o.step = settings.step.value_or(o.step);
  return o;
}

double AnalysisModel::until(std::optional<double> asked) const {
  constexpr double kDefaultDuration = 10;
  return asked.value_or(mechanism_.simulation.until.value_or(situation_.t + kDefaultDuration));
}

nlohmann::ordered_json matrix_rows(ConstMatrixView m) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < m.rows; ++i) rows.push_back(std::vector<double>(m.row(i), m.row(i) + m.columns));
  return rows;
}

}  // namespace kane
