#include "kane/analysis/evaluation.hpp"

#include <cmath>
#include <utility>

#include "kane/expr/names.hpp"

namespace kane {

namespace {

Vec3 vector_at(std::span<const double> y, std::size_t first) { return {y[first], y[first + 1], y[first + 2]}; }

Matrix copy_of(ConstMatrixView from) {
  Matrix to(from.rows, from.columns);
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) to(i, j) = from(i, j);
  return to;
}

/// Both triangles of a matrix of which only the upper one is filled.
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

Evaluator::Evaluator(Model model) : model_(std::move(model)), evaluator_(model_.system()) {}

Evaluation Evaluator::calc(const StartState& state) {
  const EquationsOfMotion& e = model_.equations();
  const CompiledSystem& system = *model_.system();
  start_ = model_.start(state);
  set_evaluator(evaluator_, start_);
  const State& at = start_.state;

  Evaluation a;
  a.model = e.name, a.formulation = e.formulation;
  a.t = at.t, a.q = at.q, a.u = at.u;
  a.coordinates = names_of(e.q), a.speeds = names_of(e.u);
  a.warnings = e.warnings;
  a.qdot.resize(e.q.size()), a.udot.resize(e.u.size());
  lambda_.assign(e.constraints.size(), 0.0);
  const MotionReport report = evaluator_.calc_motion(at.q, at.u, a.qdot, a.udot);
  if (!report.ok()) {
    a.failure = describe(report, e);
    return a;
  }
  if (system.mass() != nullptr) {
    evaluator_.calc_mass(at.q, at.u);
    a.mass = copy_of(evaluator_.mass_matrix());
    a.rhs.assign(evaluator_.rhs().begin(), evaluator_.rhs().end());
  }
  if (!evaluator_.active_rows().empty()) evaluator_.calc_multipliers(a.udot, lambda_);
  fill_constraints(a);
  if (system.reports() != nullptr) fill_reports(a, evaluator_.calc_reports(at.q, at.u, a.udot, lambda_));
  a.operations = {count_of("motion", system.motion()), count_of("mass_matrix_and_rhs", system.mass()),
                  count_of("inverse", system.inverse()), count_of("constraints", system.constraints())};
  return a;
}

void Evaluator::fill_constraints(Evaluation& a) {
  const EquationsOfMotion& e = model_.equations();
  const auto& rows = evaluator_.active_rows();
  if (rows.empty()) {
    a.independent_speeds = a.speeds;
    a.embedded_mass = a.mass, a.embedded_rhs = a.rhs;
    return;
  }
  for (const int i : evaluator_.independent()) a.independent_speeds.push_back(e.u[static_cast<std::size_t>(i)].name());
  a.embedded_mass = symmetric(evaluator_.embedding().embedded_mass());
  a.embedded_rhs.assign(evaluator_.embedding().embedded_rhs().begin(), evaluator_.embedding().embedded_rhs().end());
  a.constraint_jacobian = copy_of(evaluator_.active_jacobian());
  for (const int i : rows) {
    const auto k = static_cast<std::size_t>(i);
    double residual = evaluator_.b()[k];
    for (std::size_t j = 0; j < a.u.size(); ++j) residual += evaluator_.jacobian()(k, j) * a.u[j];
    if (e.constraints[k].phi) residual = std::hypot(evaluator_.phi()[k], residual);
    a.constraints.push_back({e.constraints[k].name, lambda_[k], residual});
  }
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
        a.points.push_back({item.name, vector_at(y, k), vector_at(y, k + 3), vector_at(y, k + 6)});
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
