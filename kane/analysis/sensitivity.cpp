#include "kane/analysis/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/simulate/motion/method.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/auto_switch.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

SensitivityRun::SensitivityRun(std::shared_ptr<const CompiledSystem> system, SensitivityOptions options)
    : system_(std::move(system)),
      shop_(std::make_unique<KernelWorkshop>(*system_)),
      options_(std::move(options)),
      evaluator_(system_),
      inputs_(system_->inputs(), system_->default_inputs(), options_.inputs, {}),
      projector_(evaluator_),
      signals_(nullptr, evaluator_.context()),
      constraints_(nullptr, evaluator_.context()),
      n_(system_->coordinate_count() + system_->speed_count()) {
  for (const auto& source : options_.inputs)
    require(std::holds_alternative<SeriesInput>(source),
            "a run with a sampled controller cannot be differentiated; write its law into the model");
  require(options_.tolerance > 0 && options_.tolerance < 1, "the tolerance must be between 0 and 1, not {}",
          options_.tolerance);
  require(n_ > 0, "'{}' has no coordinates and no speeds: there is nothing to simulate", system_->equations().name);
  sort_names();
  const std::size_t np = options_.parameters.size(), size = n_ * (1 + np);
  const EquationsOfMotion& e = system_->equations();
  y_.resize(size), sample_.resize(size), rates_.resize(n_);
  dlambda_.resize(e.constraints.size());
  change_.resize(e.q.size() + 2 * e.u.size() + e.constraints.size());
  derivatives_ = Matrix(options_.signals.size(), np);
  AdaptiveOptions adaptive;
  const double relative = std::max(local_tolerance(options_.tolerance), 1e-14);
  adaptive.tolerance = {{relative}, {std::min(relative, options_.tolerance) * 1e-3}};
  adaptive.max_steps = options_.max_steps;
  integrator_ = std::make_unique<AdaptiveIntegrator>(
      size, [this](double t, std::span<const double> y, std::span<double> ydot) { return calc_rates(t, y, ydot); },
      AutoSwitchOptions{adaptive, {}});
  integrator_->set_projection([this](double t, std::span<double> y) {
    evaluator_.set_inputs(inputs_.calc(t), t);
    const std::size_t nq = system_->coordinate_count();
    return projector_.project(y.first(nq), y.subspan(nq, n_ - nq));
  });
}

/// Every name is a parameter, or a coordinate or speed.
void SensitivityRun::sort_names() {
  const EquationsOfMotion& e = system_->equations();
  const auto parameters = system_->parameters();
  std::vector<std::string> state;
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) state.push_back(s.name());
  for (const auto& name : options_.parameters) {
    const auto p = std::find(parameters.begin(), parameters.end(), name);
    const auto s = std::find(state.begin(), state.end(), name);
    require(std::count(options_.parameters.begin(), options_.parameters.end(), name) == 1, "'{}' is named twice", name);
    if (p != parameters.end()) {
      direction_.push_back(static_cast<int>(model_parameters_.size()));
      model_parameters_.push_back(static_cast<std::size_t>(p - parameters.begin()));
    } else if (s != state.end()) {
      direction_.push_back(-1 - static_cast<int>(s - state.begin()));
    } else {
      std::vector<std::string> known = parameters;
      known.insert(known.end(), state.begin(), state.end());
      throw ModelError(fmt::format("there is no parameter, coordinate or speed '{}'{}", name, suggestion(name, known)));
    }
  }
}

void SensitivityRun::set_inputs(std::span<const double> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs_.set_constant(i, inputs[i]);
}

/// Rates of all parameters when one changes: those computed from it follow, unless they were given a value.
Substitution SensitivityRun::direction_of(std::size_t parameter) const {
  const EquationsOfMotion& e = shop_->equations();
  Substitution rates;
  for (std::size_t i = parameter; i < e.parameters.size(); ++i) {
    if (i == parameter) {
      rates.set(e.parameters[i].symbol, Expr(1));
      continue;
    }
    const Expr rate = time_derivative(e.parameters[i].value, rates);
    if (!rate.is_zero()) rates.set(e.parameters[i].symbol, rate);
  }
  return rates;
}

void SensitivityRun::compile() {
  const EquationsOfMotion& e = shop_->equations();
  std::vector<Substitution> directions;
  for (const std::size_t p : model_parameters_) directions.push_back(direction_of(p));
  tangent_ = std::make_unique<MotionTangent>(evaluator_, *shop_, directions);

  // Values of the signals, then their derivatives by q, u, udot, lambda and along the directions, row by row.
  std::vector<Expr> values;
  for (const auto& s : options_.signals) values.push_back(s.value);
  values = shop_->with_laws(values);
  std::vector<Expr> by = e.q;
  for (const auto* symbols : {&e.u, &e.udot}) by.insert(by.end(), symbols->begin(), symbols->end());
  for (const auto& c : e.constraints) by.push_back(c.multiplier);
  std::vector<Tangent> along;
  for (const auto& d : directions) along.emplace_back(d);
  std::vector<Expr> outputs = values;
  const Jacobian j = jacobian(values, by);
  const std::size_t width = by.size() + directions.size();
  outputs.resize(values.size() * (1 + width));
  for (const auto& entry : j.entries)
    outputs[values.size() + static_cast<std::size_t>(entry.row) * width + static_cast<std::size_t>(entry.column)] =
        entry.value;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t d = 0; d < along.size(); ++d)
      outputs[values.size() + i * width + by.size() + d] = along[d](values[i]);
  signal_kernel_ = std::make_unique<Kernel>(shop_->compile("signal_tangent", outputs));
  signals_ = KernelRunner(signal_kernel_.get(), evaluator_.context());
  if (e.constraints.empty()) return;

  // For every constraint: dphi along the directions, d(A u + b) by q and along the directions.
  outputs.clear();
  for (const auto& c : e.constraints) {
    Expr v = c.b;
    for (std::size_t k = 0; k < e.u.size(); ++k) v += c.a[k] * e.u[k];
    const std::vector<Expr> rows = shop_->with_laws(std::vector<Expr>{c.phi.value_or(Expr()), v});
    for (auto& d : along) outputs.push_back(d(rows[0]));
    for (const auto& q : e.q) outputs.push_back(derivative(rows[1], q));
    for (auto& d : along) outputs.push_back(d(rows[1]));
  }
  constraint_kernel_ = std::make_unique<Kernel>(shop_->compile("constraint_tangent", outputs));
  constraints_ = KernelRunner(constraint_kernel_.get(), evaluator_.context());
}

void SensitivityRun::start(const Values& given, State state, const GivenValues& given_values) {
  const EquationsOfMotion& e = shop_->equations();
  const std::vector<double> parameters = system_->calc_parameters(given);
  for (const std::size_t p : model_parameters_)
    for (std::size_t i = p + 1; i < e.parameters.size(); ++i)
      require(!given.contains(e.parameters[i].symbol.name()) ||
                  time_derivative(e.parameters[i].value, direction_of(p)).is_zero() ||
                  e.parameters[i].value.is_number(),
              "'{}' is computed from '{}', but was given a separate value", e.parameters[i].symbol.name(),
              e.parameters[p].symbol.name());
  evaluator_.set_parameters(parameters);
  projector_.update_active();
  inputs_.start(state);
  evaluator_.set_inputs(inputs_.calc(state.t), state.t);
  origin_ = state;
  const AssemblyReport assembly = assemble(evaluator_, state, given_values);
  require(assembly.ok, "{}", assembly.message);
  initial_ = state;
  if (tangent_ == nullptr) compile();
  values_.clear(), unit_.clear();
  for (const int d : direction_) {
    const auto index = static_cast<std::size_t>(d >= 0 ? 0 : -1 - d);
    values_.push_back(d >= 0               ? parameters[model_parameters_[at(d)]]
                      : index < e.q.size() ? state.q[index]
                                           : state.u[index - e.q.size()]);
    unit_.push_back(d >= 0 && values_.back() != 0 ? std::abs(values_.back()) : 1.0);
  }
  std::fill(y_.begin(), y_.end(), 0.0);
  std::copy(state.q.begin(), state.q.end(), y_.begin());
  std::copy(state.u.begin(), state.u.end(), y_.begin() + static_cast<std::ptrdiff_t>(state.q.size()));
  find_initial_tangents(given, given_values);
  integrator_->start(state.t, y_);
}

RhsStatus SensitivityRun::calc_rates(double t, std::span<const double> y, std::span<double> ydot) {
  const std::size_t nq = system_->coordinate_count();
  evaluator_.set_inputs(inputs_.calc(t), t);
  failure_ = tangent_->calc(y.first(nq), y.subspan(nq, n_ - nq));
  if (!failure_.ok()) return RhsStatus::Retry;
  std::ranges::copy(tangent_->qdot(), ydot.begin());
  std::ranges::copy(tangent_->udot(), ydot.begin() + static_cast<std::ptrdiff_t>(nq));
  for (std::size_t k = 0; k < direction_.size(); ++k) {
    const std::span<double> rate = ydot.subspan(n_ * (1 + k), n_);
    // S is measured in units of the parameter: a direction of that length.
    if (!tangent_->apply(y.subspan(n_ * (1 + k), n_), std::max(direction_[k], -1), rate, {}, unit_[k]))
      return RhsStatus::Retry;
  }
  return RhsStatus::Ok;
}

bool SensitivityRun::show(double t, const Vector& y, const std::function<void(const SensitivitySample&)>& on_sample) {
  const EquationsOfMotion& e = system_->equations();
  const std::size_t nq = e.q.size(), nu = e.u.size(), nc = e.constraints.size();
  const std::span<const double> q(y.data(), nq), u(y.data() + nq, nu);
  evaluator_.set_inputs(inputs_.calc(t), t);
  failure_ = tangent_->calc(q, u);
  if (!failure_.ok()) return false;
  const std::size_t m = options_.signals.size(), width = n_ + nu + nc + model_parameters_.size();
  const auto all = signals_.run(q, u, tangent_->udot(), tangent_->lambda());
  signal_values_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
  for (std::size_t k = 0; k < direction_.size(); ++k) {
    const std::span<const double> s{y.data() + n_ * (1 + k), n_};
    const std::span<double> dlambda = std::span(change_).subspan(n_ + nu, nc);
    if (!tangent_->apply(s, std::max(direction_[k], -1), rates_, dlambda, unit_[k])) return false;
    std::copy(s.begin(), s.end(), change_.begin());
    std::copy_n(rates_.begin() + static_cast<std::ptrdiff_t>(nq), nu,
                change_.begin() + static_cast<std::ptrdiff_t>(n_));
    for (std::size_t i = 0; i < m; ++i) {
      const double* const row = all.data() + m + i * width;
      double sum = dot(row, change_.data(), change_.size()) / unit_[k];
      if (direction_[k] >= 0) sum += row[change_.size() + static_cast<std::size_t>(direction_[k])];
      derivatives_(i, k) = sum;
    }
  }
  on_sample({t, q, u, signal_values_, derivatives_.view()});
  return true;
}

std::string SensitivityRun::explain(const StepReport& report) const {
  const std::string why =
      failure_.ok() ? std::string(to_string(report.status)) : describe(failure_, system_->equations());
  return fmt::format("the run stopped at t = {:.9g} s: {}", report.t, why);
}

std::string SensitivityRun::run(std::span<const double> times,
                                const std::function<void(const SensitivitySample&)>& on_sample) {
  bool at_break = false;
  const auto failed = [&](double t) {
    return fmt::format("the equations cannot be evaluated at t = {:.9g} s: {}", t,
                       describe(failure_, system_->equations()));
  };
  for (const double t : times) {
    require(t >= integrator_->previous_time(), "sample times must increase, starting from {} s", initial_.t);
    while (integrator_->time() < t) {
      if (at_break) {
        const std::size_t nq = system_->coordinate_count();
        std::ranges::copy(integrator_->state(), y_.begin());
        inputs_.pass(
            {integrator_->time(), Vector(y_.begin(), y_.begin() + static_cast<std::ptrdiff_t>(nq)),
             Vector(y_.begin() + static_cast<std::ptrdiff_t>(nq), y_.begin() + static_cast<std::ptrdiff_t>(n_))});
        integrator_->resume(integrator_->time(), y_);
      }
      const double next = inputs_.next_break();
      const StepReport& report = integrator_->step(std::min(times.back(), next));
      if (report.status != StepStatus::Ok) return explain(report);
      if (step_limit_ > 0 && totals().steps + totals().rejected > step_limit_)
        return fmt::format("the run was abandoned at t = {:.9g} s after {} steps", integrator_->time(), step_limit_);
      at_break = integrator_->time() >= next;
    }
    if (integrator_->interpolate(t, sample_) != StepStatus::Ok) return failed(t);
    const std::size_t nq = system_->coordinate_count();
    if (projector_.project(std::span(sample_).first(nq), std::span(sample_).subspan(nq, n_ - nq)) ==
        ProjectionStatus::Failed)
      return failed(t);
    if (!show(t, sample_, on_sample)) return failed(t);
  }
  return {};
}

}  // namespace kane
