#include "kane/analysis/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/expr/names.hpp"
#include "kane/simulate/motion/run_failure.hpp"

namespace kane {

namespace {

Vec3 vector_at(std::span<const double> y, std::size_t first) { return {y[first], y[first + 1], y[first + 2]}; }

Matrix copy_of(ConstMatrixView from) {
  Matrix to(from.rows, from.columns);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) to(i, j) = from(i, j);
  return to;
}

/// Both triangles of a matrix whose upper one is given.
Matrix symmetric(ConstMatrixView from) {
  Matrix to(from.rows, from.columns);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) to(i, j) = i <= j ? from(i, j) : from(j, i);
  return to;
}

KernelCount count_of(const char* name, const Kernel* kernel) {
  if (kernel == nullptr) return {name, std::nullopt};
  OperationCount count = kernel->program().operations(Stage::State);
  count += kernel->program().operations(Stage::Inputs);
  return {name, count};
}

}  // namespace

std::string describe_unlocated(const EquationsOfMotion& e, const std::vector<ContactForce>* touching) {
  if (e.reactions.empty()) return {};
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    const auto counts = [&](const ContactForce& force) {
      const bool own = force.name == name || force.name.starts_with(name + ".");
      return own && !force.is_friction && force.state == ContactForceState::Closed;
    };
    if (touching == nullptr || std::any_of(touching->begin(), touching->end(), counts))
      names.push_back(fmt::format("'{}'", name));
  };
  for (const ContactEquation& c : e.contacts)
    if (!c.located) note(c.name);
  if (names.empty()) return {};
  return fmt::format(
      "reactions of joints do not know where these contacts act, and are shown with their forces added: {}",
      fmt::join(names, ", "));
}

Evaluator::Evaluator(Model model) : model_(std::move(model)) {
  if (model_.equations().switched())
    switched_ = make_simulator(model_.system(), {.watch = false});
  else
    plain_ = std::make_unique<SystemEvaluator>(model_.system());
}

Evaluation Evaluator::calc(const StartState& state) {
  const EquationsOfMotion& e = model_.equations();
  const CompiledSystem& system = *model_.system();
  start_ = model_.start(state);
  Evaluation a;
  a.model = e.name, a.formulation = e.formulation;
  assemble_state(a);
  a.t = start_.state.t, a.q = start_.state.q, a.u = start_.state.u;
  a.coordinates = names_of(e.q), a.speeds = names_of(e.u);
  a.warnings = e.warnings;
  if (!a.assembly.warning.empty()) a.warnings.push_back(a.assembly.warning);
  a.qdot.resize(e.q.size()), a.udot.resize(e.u.size());
  lambda_.assign(e.constraints.size(), 0.0);
  const auto reports = switched_ ? calc_switched(a) : calc_plain(a);
  if (!a.failure.empty()) return a;
  if (system.has_mass()) {
    a.mass = copy_of(evaluator().mass_matrix());
    a.rhs.assign(evaluator().rhs().begin(), evaluator().rhs().end());
  }
  fill_constraints(a);
  if (!reports.empty()) fill_reports(a, reports);
  fill_forces(a);
  a.operations = {count_of("motion", system.motion()), count_of("mass_matrix_and_rhs", system.mass()),
                  count_of("inverse", system.inverse()), count_of("constraints", system.constraints())};
  return a;
}

/// As a run does before its first step.
void Evaluator::assemble_state(Evaluation& a) {
  if (plain_) {
    set_evaluator(*plain_, start_);
    a.assembly = assemble_start(*plain_, start_);
    return;
  }
  switched_->set_parameters(start_.parameters);
  switched_->set_inputs(start_.inputs);
  switched_->set_active(start_.active);
  start_.state = switched_->assemble(start_.state, start_.given, &a.assembly);
}

std::span<const double> Evaluator::calc_plain(Evaluation& a) {
  const MotionReport report = plain_->calc_motion(a.q, a.u, a.qdot, a.udot);
  if (!report.ok()) {
    a.failure = describe(report, model_.equations());
    const bool value = report.status == MotionStatus::NotFinite || report.status == MotionStatus::RateNotFinite;
    if (const std::string cause = value ? find_not_finite(*plain_, {a.t, a.q, a.u}) : ""; !cause.empty())
      a.failure += fmt::format(": {}", cause);
    return {};
  }
  if (model_.system()->has_mass()) plain_->calc_mass(a.q, a.u);
  plain_->calc_multipliers(a.udot, lambda_);
  if (model_.system()->reports() == nullptr) return {};
  return plain_->calc_reports(a.q, a.u, a.udot, lambda_);
}

std::span<const double> Evaluator::calc_switched(Evaluation& a) {
  const EquationsOfMotion& e = model_.equations();
  switched_->start(start_.state);
  if (switched_->stepping()) {
    // Steps will be taken, and for those energy and jumps are watched.
    active_.reset();
    switched_ = make_simulator(model_.system());
    switched_->set_parameters(start_.parameters);
    switched_->set_inputs(start_.inputs);
    switched_->set_active(start_.active);
    switched_->start(start_.state);
  }
  const State& at = switched_->state();
  if (at.u != a.u) {
    // An impact: the accelerations before it are not determined.
    std::string cause;
    if (switched_->event() != nullptr) cause = ": " + describe(*switched_->event());
    a.warnings.push_back(fmt::format("the speeds jump at this state{}; u and u' are those just after", cause));
    a.u = at.u;
  }
  if (switched_->stepping()) {
    // Too many places touch for forces at an instant: those of a short step stand for them.
    constexpr double kSpan = 1e-4;
    if (const RunReport run = switched_->run({.until = at.t + kSpan, .intervals = 1}); run.failure) {
      a.failure = run.failure->message(e);
      return {};
    }
    a.warnings.push_back(
        fmt::format("contacts are followed by stepping here; u' and forces are means over {:g} s", kSpan));
  }
  const auto reports = switched_->calc_reports(at);
  if (reports.empty() && model_.system()->reports() != nullptr) {
    a.failure = switched_->explain_last_step().message(e);
    return {};
  }
  a.udot.assign(switched_->udot().begin(), switched_->udot().end());
  lambda_.assign(switched_->multipliers().begin(), switched_->multipliers().end());
  for (const ContactForce& force : switched_->contact_forces())
    if (!force.name.empty()) a.contacts.push_back(force);
  if (std::string unlocated = describe_unlocated(e, &a.contacts); !unlocated.empty())
    a.warnings.push_back(std::move(unlocated));
  SystemEvaluator& evaluator = switched_->evaluator();
  if (model_.system()->has_mass()) {
    evaluator.calc_mass(at.q, at.u);
    a.qdot.assign(evaluator.qdot().begin(), evaluator.qdot().end());
  }
  return reports;
}

void Evaluator::fill_constraints(Evaluation& a) {
  const EquationsOfMotion& e = model_.equations();
  SystemEvaluator& at = evaluator();
  const auto& rows = at.active_rows();
  if (rows.empty()) {
    a.independent_speeds = a.speeds;
    a.embedded_mass = a.mass, a.embedded_rhs = a.rhs;
    return;
  }
  for (const int i : at.independent()) a.independent_speeds.push_back(e.u[static_cast<std::size_t>(i)].name());
  a.embedded_mass = e.symmetric ? symmetric(at.embedding().embedded_mass()) : copy_of(at.embedding().embedded_mass());
  a.embedded_rhs.assign(at.embedding().embedded_rhs().begin(), at.embedding().embedded_rhs().end());
  a.constraint_jacobian = copy_of(at.active_jacobian());
  for (const int i : rows) {
    const auto k = static_cast<std::size_t>(i);
    if (k >= e.constraints.size()) continue;  // shapes that touch
    double residual = at.b()[k];
    for (std::size_t j = 0; j < a.u.size(); ++j) residual += at.jacobian()(k, j) * a.u[j];
    if (e.constraints[k].phi) residual = std::hypot(at.phi()[k], residual);
    a.constraints.push_back({e.constraints[k].name, lambda_[k], residual});
  }
}

// F_r + F*_r = -(M u' - rhs), by the inverse dynamics and not by the equations that u' was solved from.
void Evaluator::fill_forces(Evaluation& a) {
  const Kernel* kernel = model_.system()->extra().active();
  if (kernel == nullptr || model_.system()->inverse() == nullptr) return;
  if (!active_) active_ = std::make_unique<KernelRunner>(kernel, evaluator().context());
  const auto active = active_->run(a.q, a.u, a.udot, lambda_);
  a.active_forces.assign(active.begin(), active.end());
  a.inertia_forces.resize(a.u.size());
  evaluator().calc_inverse(a.q, a.u, a.udot, a.inertia_forces);
  for (std::size_t i = 0; i < a.u.size(); ++i) a.inertia_forces[i] = -a.inertia_forces[i] - a.active_forces[i];
}

void Evaluator::fill_reports(Evaluation& a, std::span<const double> y) const {
  const EquationsOfMotion& e = model_.equations();
  std::size_t reaction = 0;
  for (const ReportItem& item : model_.system()->report_items()) {
    const std::size_t k = item.first;
    switch (item.kind) {
      case ReportItem::Kind::Kinetic: a.kinetic = y[k]; break;
      case ReportItem::Kind::Potential: a.potential = y[k]; break;
      case ReportItem::Kind::Momentum:
        a.linear_momentum = vector_at(y, k), a.angular_momentum = vector_at(y, k + 3);
        break;
      case ReportItem::Kind::Point:
        a.points.push_back({item.name, vector_at(y, k), {}, {}});
        if (item.count > 3)
          a.points.back().velocity = vector_at(y, k + 3), a.points.back().acceleration = vector_at(y, k + 6);
        break;
      case ReportItem::Kind::Body:
        a.bodies.push_back({item.name, Mat3{{vector_at(y, k), vector_at(y, k + 3), vector_at(y, k + 6)}},
                            vector_at(y, k + 9), vector_at(y, k + 12)});
        break;
      case ReportItem::Kind::Reaction: {
        const ReactionOutput& r = e.reactions[reaction++];
        a.reactions.push_back({item.name, r.frame, r.point, vector_at(y, k), vector_at(y, k + 3)});
        break;
      }
      case ReportItem::Kind::Auxiliary: a.auxiliary_forces.push_back({item.name, y[k]}); break;
      case ReportItem::Kind::Output: a.outputs.push_back({item.name, y[k]}); break;
    }
  }
}

Evaluation evaluate(const Model& model, const StartState& state) { return Evaluator(model.driving(state)).calc(state); }

}  // namespace kane
