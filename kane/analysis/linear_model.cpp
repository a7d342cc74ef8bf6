#include "kane/analysis/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

constexpr double kStateTolerance = 1e-9;
/// Factor by which a requested coordinate or speed is less likely to become dependent.
constexpr double kWantedWeight = 1e-6;

std::vector<Substitution> input_directions(const KernelWorkshop& shop) {
  const std::vector<std::string>& given = shop.system().inputs();
  std::vector<Substitution> directions;
  for (const auto& input : shop.equations().inputs)
    if (std::find(given.begin(), given.end(), input.symbol.name()) != given.end())
      directions.push_back({{input.symbol, Expr(1)}});
  return directions;
}

/// d(A u + b)/dq of all constraints, row by row.
std::vector<Expr> velocity_derivatives(const KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> rows;
  for (const auto& c : e.constraints) {
    Expr v = c.b;
    for (std::size_t j = 0; j < e.u.size(); ++j) v += c.a[j] * e.u[j];
    rows.push_back(v);
  }
  rows = shop.with_laws(rows);
  const Jacobian j = jacobian(rows, e.q);
  std::vector<Expr> flat(rows.size() * e.q.size());
  for (const auto& entry : j.entries)
    flat[static_cast<std::size_t>(entry.row) * e.q.size() + static_cast<std::size_t>(entry.column)] = entry.value;
  return flat;
}

/// Derivatives of the outputs by q, u, udot, lambda and the inputs, row by row.
std::vector<Expr> output_derivatives(const KernelWorkshop& shop, const std::vector<Signal>& outputs) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> by;
  for (const auto* symbols : {&e.q, &e.u, &e.udot}) by.insert(by.end(), symbols->begin(), symbols->end());
  for (const auto& c : e.constraints) by.push_back(c.multiplier);
  for (const auto& name : shop.system().inputs()) by.push_back(e.graph->symbol(name));
  std::vector<Expr> values;
  for (const auto& s : outputs) values.push_back(s.value);
  values = shop.with_laws(values);
  const Jacobian j = jacobian(values, by);
  std::vector<Expr> flat(values.size() * by.size());
  for (const auto& entry : j.entries)
    flat[static_cast<std::size_t>(entry.row) * by.size() + static_cast<std::size_t>(entry.column)] = entry.value;
  return flat;
}

/// Splits the columns of a constraint matrix into those it can be solved for and the others.
void split(ConstMatrixView a, std::span<const double> weight, std::vector<std::size_t>& bound,
           std::vector<std::size_t>& free) {
  bound.clear(), free.clear();
  PivotedQr qr(std::max<std::size_t>(a.rows, 1), a.columns);
  std::vector<bool> is_bound(a.columns, false);
  if (a.rows > 0) {
    qr.factor(a, kStateTolerance, {.weight = weight});
    for (std::size_t k = 0; k < qr.rank(); ++k) is_bound[at(qr.permutation()[k])] = true;
  }
  for (std::size_t k = 0; k < a.columns; ++k) (is_bound[k] ? bound : free).push_back(k);
}

/// x with A_bound x = r in the sense of least squares (redundant rows agree up to rounding).
std::vector<double> solve_bound(ConstMatrixView a, const std::vector<std::size_t>& bound, std::vector<double> r) {
  std::vector<double> x(bound.size());
  if (bound.empty()) return x;
  PivotedQr qr(a.rows, bound.size());
  double* const columns = qr.prepare(a.rows, bound.size());
  for (std::size_t k = 0; k < bound.size(); ++k)
    for (std::size_t i = 0; i < a.rows; ++i) columns[k * a.rows + i] = a(i, bound[k]);
  qr.factor(1e-14);
  qr.solve_basic(r, x);
  return x;
}

}  // namespace

Linearizer::Linearizer(SystemEvaluator& evaluator, LinearModelOptions options)
    : Linearizer(evaluator, std::move(options), KernelWorkshop(evaluator.system())) {}

Linearizer::Linearizer(SystemEvaluator& evaluator, LinearModelOptions options, const KernelWorkshop& shop)
    : evaluator_(evaluator),
      options_(std::move(options)),
      dropped_(evaluator.system().coordinate_count(), false),
      tangent_(evaluator, shop, input_directions(shop)),
      projector_(evaluator),
      velocity_(nullptr, evaluator.context()),
      output_(nullptr, evaluator.context()) {
  const CompiledSystem& system = evaluator.system();
  const EquationsOfMotion& e = system.equations();
  std::vector<std::string> known;
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) known.push_back(s.name());
  for (const auto& name : options_.only)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ModelError(fmt::format("there is no coordinate or speed '{}'{}", name, suggestion(name, known)));
  if (!e.constraints.empty()) {
    velocity_kernel_ = std::make_unique<Kernel>(shop.compile("velocity_tangent", velocity_derivatives(shop)));
    velocity_ = KernelRunner(velocity_kernel_.get(), evaluator.context());
  }
  if (options_.outputs.empty()) return;
  output_kernel_ = std::make_unique<Kernel>(shop.compile("output_tangent", output_derivatives(shop, options_.outputs)));
  output_ = KernelRunner(output_kernel_.get(), evaluator.context());
}

bool Linearizer::is_wanted(const std::string& name) const {
  return options_.only.empty() || std::find(options_.only.begin(), options_.only.end(), name) != options_.only.end();
}

void Linearizer::choose_states(const State& state) {
  const EquationsOfMotion& e = evaluator_.system().equations();
  projector_.update_active();
  std::vector<double> weight_q(e.q.size(), 1.0), weight_u(e.u.size(), kWantedWeight);
  // Speeds that the user calls dependent, and their coordinates, go first; those that the user wants as states go last.
  for (const int k : e.dependent_speeds) weight_u[at(k)] = 1;
  if (e.dependent_speeds.empty()) std::fill(weight_u.begin(), weight_u.end(), 1.0);
  for (std::size_t k = 0; k < e.q.size(); ++k)
    for (std::size_t j = 0; j < e.u.size(); ++j)
      if (e.qdot[k] == e.u[j]) weight_q[k] = weight_u[j];
  if (!options_.only.empty()) {
    for (std::size_t k = 0; k < e.q.size(); ++k)
      if (is_wanted(e.q[k].name())) weight_q[k] *= kWantedWeight;
    for (std::size_t k = 0; k < e.u.size(); ++k)
      if (is_wanted(e.u[k].name())) weight_u[k] *= kWantedWeight;
  }
  configuration_ = Matrix(projector_.row_count(), e.q.size());
  if (projector_.row_count() > 0) projector_.calc_configuration(state.q, {}, configuration_.view());
  split(configuration_, weight_q, bound_q_, free_q_);
  const std::size_t rows = evaluator_.active_rows().size();
  split(rows == 0 ? ConstMatrixView(nullptr, 0, e.u.size()) : evaluator_.active_jacobian(), weight_u, bound_u_,
        free_u_);
  for (const auto& name : options_.only) {
    const auto bound = [&](const std::vector<Expr>& symbols, const std::vector<std::size_t>& list) {
      return std::any_of(list.begin(), list.end(), [&](std::size_t k) { return symbols[k].name() == name; });
    };
    require(!bound(e.q, bound_q_) && !bound(e.u, bound_u_),
            "'{}' cannot vary independently: the constraints determine it from the other named ones", name);
  }
  std::erase_if(free_q_, [&](std::size_t k) { return !is_wanted(e.q[k].name()) || dropped_[k]; });
  std::erase_if(free_u_, [&](std::size_t k) { return !is_wanted(e.u[k].name()); });
}

std::vector<std::vector<double>> Linearizer::calc_basis(const State& state) {
  const std::size_t nq = state.q.size(), nu = state.u.size();
  const auto& active = evaluator_.active_rows();
  const ConstMatrixView a = active.empty() ? ConstMatrixView(nullptr, 0, nu) : evaluator_.active_jacobian();
  std::vector<std::vector<double>> basis;
  std::vector<double> turn;  // d(A u + b)/dq
  if (!active.empty()) {
    const auto all = velocity_.run(state.q, state.u, tangent_.udot(), tangent_.lambda());
    turn.assign(all.begin(), all.end());
  }
  for (const std::size_t k : free_q_) {
    std::vector<double> dy(nq + nu, 0.0), r(configuration_.rows());
    dy[k] = 1;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = -configuration_(i, k);
    const auto dq = solve_bound(configuration_, bound_q_, r);
    for (std::size_t j = 0; j < bound_q_.size(); ++j) dy[bound_q_[j]] = dq[j];
    std::vector<double> v(active.size(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t j = 0; j < nq; ++j) v[i] -= turn[static_cast<std::size_t>(active[i]) * nq + j] * dy[j];
    const auto du = solve_bound(a, bound_u_, v);
    for (std::size_t j = 0; j < bound_u_.size(); ++j) dy[nq + bound_u_[j]] = du[j];
    basis.push_back(std::move(dy));
  }
  for (const std::size_t k : free_u_) {
    std::vector<double> dy(nq + nu, 0.0), v(active.size());
    dy[nq + k] = 1;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = -a(i, k);
    const auto du = solve_bound(a, bound_u_, v);
    for (std::size_t j = 0; j < bound_u_.size(); ++j) dy[nq + bound_u_[j]] = du[j];
    basis.push_back(std::move(dy));
  }
  return basis;
}

/// `change`: of q, u, udot, lambda; `column`: of C, or of D together with the inputs' own part.
void Linearizer::fill_outputs(LinearModel& model, std::span<const double> derivatives, std::span<const double> change,
                              std::size_t column, bool input) const {
  const std::size_t width = change.size() + model.inputs.size();
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const std::span<const double> row = derivatives.subspan(i * width, width);
    double sum = input ? row[change.size() + column] : 0;
    for (std::size_t j = 0; j < change.size(); ++j) sum += row[j] * change[j];
    (input ? model.d : model.c)(i, column) = sum;
  }
}

LinearModel Linearizer::calc(const State& state) {
  const CompiledSystem& system = evaluator_.system();
  const EquationsOfMotion& e = system.equations();
  const std::size_t nq = e.q.size(), nu = e.u.size(), nc = e.constraints.size();
  evaluator_.set_time(state.t);
  const MotionReport report = tangent_.calc(state.q, state.u);
  require(report.ok(), "the linear equations do not exist at this state: {}", describe(report, e));
  choose_states(state);
  LinearModel m;
  for (const std::size_t k : free_q_) m.states.push_back(e.q[k].name()), m.drift.push_back(tangent_.qdot()[k]);
  for (const std::size_t k : free_u_) m.states.push_back(e.u[k].name()), m.drift.push_back(tangent_.udot()[k]);
  m.coordinates = free_q_.size();
  m.inputs = system.inputs();
  for (const auto& s : options_.outputs) m.outputs.push_back(s.name);
  const std::size_t n = m.states.size();
  m.a = Matrix(n, n), m.b = Matrix(n, m.inputs.size());
  m.c = Matrix(m.outputs.size(), n), m.d = Matrix(m.outputs.size(), m.inputs.size());

  std::span<const double> derivatives;
  if (!m.outputs.empty()) derivatives = output_.run(state.q, state.u, tangent_.udot(), tangent_.lambda());
  const auto basis = calc_basis(state);
  std::vector<double> rates(nq + nu), change(nq + 2 * nu + nc);
  const auto fill = [&](std::span<const double> dy, int direction, Matrix& to, std::size_t column) {
    const std::span<double> dlambda{change.data() + nq + 2 * nu, nc};
    require(tangent_.apply(dy, direction, rates, dlambda), "the linear equations cannot be solved at this state");
    for (std::size_t i = 0; i < free_q_.size(); ++i) to(i, column) = rates[free_q_[i]];
    for (std::size_t i = 0; i < free_u_.size(); ++i) to(m.coordinates + i, column) = rates[nq + free_u_[i]];
    std::copy(dy.begin(), dy.end(), change.begin());
    std::copy_n(rates.begin() + static_cast<std::ptrdiff_t>(nq), nu,
                change.begin() + static_cast<std::ptrdiff_t>(nq + nu));
    if (!m.outputs.empty()) fill_outputs(m, derivatives, change, column, direction >= 0);
  };
  for (std::size_t k = 0; k < n; ++k) fill(basis[k], -1, m.a, k);
  const std::vector<double> none(nq + nu, 0.0);
  for (std::size_t k = 0; k < m.inputs.size(); ++k) fill(none, static_cast<int>(k), m.b, k);
  return m;
}

std::vector<bool> Linearizer::find_essential(const State& near) {
  const EquationsOfMotion& e = evaluator_.system().equations();
  const std::size_t nq = e.q.size();
  const std::vector<bool> before = std::exchange(dropped_, std::vector<bool>(nq, false));
  constexpr double kZero = 1e-9;
  constexpr int kSamples = 3;
  // depends[i][k]: the rate of i (coordinate, or nq for any speed) changes with the coordinate k.
  std::vector<std::vector<bool>> depends(nq + 1, std::vector<bool>(nq, false));
  std::mt19937_64 engine(3);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1; };
  int seen = 0;
  for (int tries = 0; tries < 10 * kSamples && seen < kSamples; ++tries) {
    State state = near;
    for (double& q : state.q) q += 0.4 * uniform();
    for (double& u : state.u) u += uniform() * (0.5 + std::abs(u));
    evaluator_.set_time(near.t);
    projector_.update_active();
    if (projector_.needed() && projector_.project(state.q, state.u) == ProjectionStatus::Failed) continue;
    LinearModel m;
    try {
      m = calc(state);
    } catch (const ModelError&) {
      continue;
    }
    ++seen;
    for (std::size_t c = 0; c < m.coordinates; ++c)
      for (std::size_t i = 0; i < m.states.size(); ++i) {
        double size = 0;
        for (std::size_t j = 0; j < m.states.size(); ++j) size = std::max(size, std::abs(m.a(i, j)));
        if (std::abs(m.a(i, c)) > kZero * size) depends[i < m.coordinates ? free_q_[i] : nq][free_q_[c]] = true;
      }
    for (const std::size_t k : bound_q_) depends[nq][k] = true;
  }
  dropped_ = before;
  std::vector<bool> essential = seen == 0 ? std::vector<bool>(nq, true) : depends[nq];
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < nq; ++i)
      for (std::size_t k = 0; k < nq && essential[i]; ++k)
        if (depends[i][k] && !essential[k]) essential[k] = true, grown = true;
  }
  // The four components of a quaternion are treated together.
  for (const int first : e.quaternions)
    if (std::find(essential.begin() + first, essential.begin() + first + 4, true) != essential.begin() + first + 4)
      std::fill_n(essential.begin() + first, 4, true);
  return essential;
}

}  // namespace kane
