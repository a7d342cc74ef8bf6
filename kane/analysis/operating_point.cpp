#include "kane/analysis/operating_point.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kane/analysis/equilibrium.hpp"
#include "kane/analysis/joint_ranges.hpp"
#include "kane/analysis/motion_tangent.hpp"
#include "kane/analysis/signals.hpp"
#include "kane/analysis/situation.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/motion/run_failure.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Sampled laws act at every instant.
Model with_continuous_laws(const Model& model) {
  ModelOptions options = model.options();
  if (options.sampled_laws == SampledLaws::Continuous || model.mechanism().sampled_inputs.empty()) return model;
  options.sampled_laws = SampledLaws::Continuous;
  return model.with_options(std::move(options));
}

std::vector<std::string> law_names(const CompiledSystem& system) {
  std::vector<std::string> names;
  for (const auto& law : system.laws()) names.push_back(law.symbol.name());
  return names;
}

/// Zero where the function jumps or has a corner; none if it is smooth.
std::optional<Expr> place_of(const Expr& node) {
  switch (node.op()) {
    case Op::Sign:
    case Op::Abs: return node.arg(0);
    case Op::Floor: return node.arg(0) - floor(node.arg(0) + Expr(1) / 2);
    case Op::Mod: return node.arg(0) / node.arg(1) - floor(node.arg(0) / node.arg(1) + Expr(1) / 2);
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual: return node.arg(0) - node.arg(1);
    default: return std::nullopt;
  }
}

}  // namespace

void warn_of_jumps(const SystemEvaluator& evaluator, const State& state, std::vector<std::string>& warnings) {
  constexpr double kAt = 1e-9;
  constexpr std::size_t kLongest = 80;
  const KernelWorkshop shop(evaluator.system());
  const Values values = named_values(evaluator, state);
  for (const NodeId id : topological_order(motion_rows(shop))) {
    const Expr node = shop.graph().at(id);
    const std::optional<Expr> place = place_of(node);
    if (!place) continue;
    const auto symbols = symbols_of({&node, 1});
    const bool moves = std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) {
      const EquationsOfMotion& e = shop.equations();
      return std::find(e.q.begin(), e.q.end(), s) != e.q.end() || std::find(e.u.begin(), e.u.end(), s) != e.u.end();
    });
    const bool known =
        std::all_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return values.contains(s.name()); });
    if (!moves || !known) continue;
    const Expr here = shop.graph().bind(*place);
    if (!(std::abs(evaluate(here, values, evaluator.system().functions())) <= kAt)) continue;
    const std::string text = node.to_string();
    const bool corner = node.op() == Op::Abs || node.op() == Op::Min || node.op() == Op::Max;
    const std::string sentence =
        fmt::format("{}{} {} at this state; the linear equations and the verdict on stability do not know it",
                    text.substr(0, kLongest), text.size() > kLongest ? " ..." : "", corner ? "has a corner" : "jumps");
    if (!is_among(warnings, sentence)) warnings.push_back(sentence);
  }
}

std::string describe_loop(const ControlLoop& loop) {
  const std::string open = fmt::format("{}", fmt::join(loop.open, ", "));
  if (loop.closed.empty()) return open.empty() ? "" : fmt::format("open loop: laws of {} left out", open);
  const std::string closed = fmt::format("closed loop: laws of {}", fmt::join(loop.closed, ", "));
  return open.empty() ? closed : fmt::format("{}; left out: {}", closed, open);
}

OperatingPoint::OperatingPoint(const Model& model, const StartState& state, const OperatingPointOptions& options)
    : closed_(std::make_unique<Situation>(with_continuous_laws(model), state)), state_(closed_->state()) {
  const EquationsOfMotion& e = closed_->equations();
  require(!e.u.empty() || e.states > 0, "nothing moves in '{}': evaluate and forces give its reactions", model.name());
  find_state(options.place);
  const std::vector<std::string> laws = law_names(*closed_->system());
  std::vector<std::string> names = options.open_loop ? laws : std::vector<std::string>{};
  for (const auto& name : options.open)
    if (is_among(laws, name) && !is_among(names, name)) names.push_back(name);
  if (!names.empty()) open_inputs(state, names);
  summarize();
}

OperatingPoint::OperatingPoint(OperatingPoint&&) noexcept = default;
OperatingPoint& OperatingPoint::operator=(OperatingPoint&&) noexcept = default;
OperatingPoint::~OperatingPoint() = default;

const Model& OperatingPoint::model() const { return (opened_ ? opened_ : closed_)->model(); }
SystemEvaluator& OperatingPoint::evaluator() { return (opened_ ? opened_ : closed_)->evaluator(); }
const Start& OperatingPoint::start() const { return (opened_ ? opened_ : closed_)->start(); }
SystemEvaluator& OperatingPoint::closed_evaluator() { return closed_->evaluator(); }

void OperatingPoint::find_state(StatePlace place) {
  if (place == StatePlace::AsGiven) return;
  if (place == StatePlace::Assembled) {
    AssemblyReport report;
    state_ = closed_->assembled(&report);
    summary_.assembled = report.to_string();
    if (!report.warning.empty()) summary_.warnings.push_back(report.warning);
    return;
  }
  EquilibriumOptions options;
  options.steady = place == StatePlace::Steady;
  EquilibriumReport report = EquilibriumFinder(closed_->evaluator(), options).find(state_);
  if (report.ok())
    state_ = std::move(report.found.front().state);
  else
    failure_ = std::move(report.message);
}

void OperatingPoint::open_inputs(const StartState& state, const std::vector<std::string>& names) {
  open_ = names;
  std::vector<Signal> laws;
  for (const auto& name : open_)
    for (const auto& law : closed_->system()->laws())
      if (law.symbol.name() == name) laws.push_back({name, law.value});
  laws_ = std::make_unique<SignalEvaluator>(closed_->evaluator(), laws);
  StartState opened = state;
  const std::vector<double> values = calc_laws();
  for (std::size_t k = 0; k < open_.size(); ++k) opened.inputs[open_[k]] = values[k];
  opened_ = std::make_unique<Situation>(closed_->model(), opened);
}

/// Values of the laws that are cut open, at the state.
std::vector<double> OperatingPoint::calc_laws() {
  const EquationsOfMotion& e = closed_->equations();
  const std::vector<double> udot(e.u.size(), 0.0), lambda(e.constraints.size(), 0.0);
  const auto values = laws_->calc(state_.q, state_.u, udot, lambda);
  return {values.begin(), values.end()};
}

void OperatingPoint::set_parameters(std::span<const double> parameters) {
  closed_->evaluator().set_parameters(parameters);
  if (opened_) opened_->evaluator().set_parameters(parameters);
}

void OperatingPoint::move_to(const State& state) {
  state_ = state;
  closed_->evaluator().set_time(state.t);
  if (!opened_) return;
  const std::vector<double> laws = calc_laws();
  const auto& names = opened_->system()->inputs();
  std::vector<double> inputs(opened_->evaluator().inputs().begin(), opened_->evaluator().inputs().end());
  for (std::size_t k = 0; k < open_.size(); ++k)
    inputs[static_cast<std::size_t>(std::find(names.begin(), names.end(), open_[k]) - names.begin())] = laws[k];
  opened_->evaluator().set_inputs(inputs, state.t);
}

void OperatingPoint::summarize() {
  const EquationsOfMotion& e = closed_->equations();
  PointSummary& s = summary_;
  s.model = e.name, s.t = state_.t, s.q = state_.q, s.u = state_.u;
  s.coordinates = names_of(e.q), s.speeds = names_of(e.u);
  s.inputs = model().system()->inputs();
  const auto inputs = evaluator().inputs();
  s.input_values.assign(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(s.inputs.size()));
  s.loop = {law_names(*model().system()), open_};
  s.notes = closed_->model().notes();
  for (const InputSource& source : closed_->model().input_sources())
    if (const auto* series = std::get_if<SeriesInput>(&source))
      s.notes.push_back(
          fmt::format("the input '{}' keeps the value that its points have at t = {} s", series->input, state_.t));
  if (const std::string switching = describe_switching(e); !switching.empty())
    s.warnings.push_back("not part of the equations here: " + switching);
  std::vector<JointRange> stops = find_joint_ranges(closed_->model(), closed_->start());
  if (closed_->model().mechanism().motor_limits && ok())
    for (auto& sentence : describe_saturation(stops, closed_->evaluator(), state_))
      s.warnings.push_back(std::move(sentence));
  std::erase_if(stops, [](const JointRange& range) { return !range.rigid; });
  if (!closed_->model().mechanism().stops) stops.clear();
  if (const std::string outside = describe_outside(stops, state_.q, true); !outside.empty())
    s.warnings.push_back(outside + ", and the stop is not part of the equations here");
}

void OperatingPoint::warn_of_time(std::vector<std::string>& warnings) const {
  const KernelWorkshop shop(*model().system());
  const auto symbols = symbols_of(motion_rows(shop));
  if (std::find(symbols.begin(), symbols.end(), shop.equations().t) != symbols.end())
    warnings.push_back(fmt::format("the equations depend on time; the linear ones hold at t = {} s only", state_.t));
}

OperatingPoint::Rate OperatingPoint::calc_largest_rate(const std::vector<std::string>& coordinates, bool steady) {
  const EquationsOfMotion& e = closed_->equations();
  std::vector<double> qdot(e.q.size()), udot(e.u.size());
  closed_->evaluator().set_time(state_.t);
  Rate largest;
  if (!closed_->evaluator().calc_motion(state_.q, state_.u, qdot, udot).ok()) return largest;
  const auto take = [&](const std::string& name, double value) {
    if (std::abs(value) > std::abs(largest.value)) largest = {name + "'", value};
  };
  for (std::size_t k = 0; k < udot.size(); ++k) take(e.u[k].name(), udot[k]);
  std::vector<bool> matters(e.q.size(), true);
  if (steady) matters = Linearizer(closed_->evaluator()).find_essential(state_);
  for (std::size_t k = 0; k < qdot.size(); ++k)
    if (matters[k] && is_among(coordinates, e.q[k].name())) take(e.q[k].name(), qdot[k]);
  return largest;
}

void OperatingPoint::warn_of_motion(const Rate& rate, bool steady, ConstMatrixView a,
                                    std::vector<std::string>& warnings) {
  constexpr double kRest = 1e-6;
  double size = 1;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) size = std::max(size, std::abs(a(i, j)));
  if (std::abs(rate.value) <= kRest * size) return;
  warnings.push_back(
      fmt::format("the state is not {} (the largest rate is {} = {:.3g}), so the verdict on stability holds for an "
                  "instant only",
                  steady ? "a steady motion" : "an equilibrium", rate.name, rate.value));
}

}  // namespace kane
