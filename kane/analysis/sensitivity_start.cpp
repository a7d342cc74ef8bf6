// Where a run starts when a parameter or an initial value changes: the derivative of assembly. With the coordinates F free
// and the others held, assembly finds the nearest solution to its start q0,
//
//     q_F - q0_F = J_F^T lambda,   phi(q, p) = 0,   J = dphi/dq
//
// and so, by differentiating both (H = d(J_F^T lambda)/dq, which vanishes with lambda if the start was a solution),
//
//     dq_F - J_F^T dlambda = dq0_F + H dq + d(J_F^T lambda)/dp dp,   J dq = -phi_p dp.
//
// Speeds likewise: u_F - u0_F = A_F^T mu, A u + b = 0.

#include <algorithm>
#include <cmath>

#include "kane/analysis/sensitivity.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/qr.hpp"

namespace kane {

namespace {

/// Changes by assembly below this have no curvature worth following.
constexpr double kStayed = 1e-12;
/// Step of central differences of J, an exact derivative of smooth functions of angles and lengths.
constexpr double kDifference = 1e-5;

std::vector<std::size_t> places_of(const std::vector<bool>& flags, bool value) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == value) places.push_back(i);
  return places;
}

Matrix columns_of(ConstMatrixView a, const std::vector<std::size_t>& which) {
  Matrix r(a.rows, which.size());
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < which.size(); ++j) r(i, j) = a(i, which[j]);
  return r;
}

/// The shortest x with a x = b; false if there is none.
bool solve_shortest(ConstMatrixView a, std::vector<double> b, std::span<double> x) {
  const std::vector<double> wanted = b;
  PivotedQr qr(a.rows, a.columns);
  qr.factor(a, 1e-9);
  qr.solve_minimum_norm(b, x);
  double size = 1e-12, rest = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    size = std::max(size, std::abs(wanted[i]));
    rest = std::max(rest, std::abs(wanted[i] - dot(a.row(i), x.data(), x.size())));
  }
  return rest <= 1e-7 * size;
}

/// x with a^T x = b in the sense of least squares.
std::vector<double> solve_transposed(ConstMatrixView a, std::vector<double> b) {
  std::vector<double> x(a.rows);
  PivotedQr qr(a.columns, a.rows);
  qr.factor_transposed(a, 1e-9);
  qr.solve_minimum_norm(b, x);
  return x;
}

}  // namespace

/// Data of one direction.
struct SensitivityRun::StartTangent {
  int parameter = -1;                ///< number of the direction, or -1: an initial value changes
  double unit = 1;                   ///< length of the direction
  ConstMatrixView j{}, a{};          ///< dphi/dq, and A of the active rows
  std::span<const double> turn{};    ///< derivatives of the constraints at the state
  std::vector<bool> held_q, held_u;  ///< by assembly
};

/// Rates of the start before assembly, (q, u): initial values that are written with parameters, or the one that is varied.
std::vector<double> SensitivityRun::calc_origin_rates(const Values& parameters, std::size_t k) const {
  Vector rates(n_, 0.0);
  if (direction_[k] < 0) {
    rates[at(-1 - direction_[k])] = unit_[k];
    return rates;
  }
  if (!options_.initial) return rates;
  const auto start = [&](double step) {
    Values moved = parameters;
    moved[options_.parameters[k]] = values_[k] + step * unit_[k];
    State s = options_.initial(moved);
    s.q.insert(s.q.end(), s.u.begin(), s.u.end());
    return s.q;
  };
  // Central differences of steps h and 2 h without the term of h^2.
  constexpr double kStep = 1e-3;
  const Vector a = start(-2 * kStep), b = start(-kStep), c = start(kStep), d = start(2 * kStep);
  for (std::size_t i = 0; i < n_; ++i) rates[i] = (a[i] - d[i] + 8 * (c[i] - b[i])) / (12 * kStep);
  return rates;
}

void SensitivityRun::find_initial_tangents(const Values& parameters, const GivenValues& given) {
  const EquationsOfMotion& e = system_->equations();
  const std::size_t nq = e.q.size(), nu = e.u.size();
  const auto& active = evaluator_.active_rows();
  for (std::size_t k = 0; k < direction_.size(); ++k)
    std::ranges::copy(calc_origin_rates(parameters, k), y_.begin() + static_cast<std::ptrdiff_t>(n_ * (1 + k)));
  if (active.empty() && e.quaternions.empty()) return;

  const Vector zeros(nu + e.constraints.size(), 0.0);
  Vector turn;
  if (!e.constraints.empty()) {
    const auto now = constraints_.run(initial_.q, initial_.u, zeros);
    turn.assign(now.begin(), now.end());
  }
  Matrix j(projector_.row_count(), nq);
  if (j.rows() > 0) projector_.calc_configuration(initial_.q, {}, j.view());
  if (!active.empty()) evaluator_.calc_constraints(initial_.q, initial_.u);
  for (std::size_t k = 0; k < direction_.size(); ++k) {
    GivenValues held = given;
    held.insisted_q.resize(nq), held.insisted_u.resize(nu);
    if (const int d = direction_[k]; d < 0 && at(-1 - d) < nq)
      held.q[at(-1 - d)] = held.insisted_q[at(-1 - d)] = true;
    else if (d < 0)
      held.u[at(-1 - d) - nq] = held.insisted_u[at(-1 - d) - nq] = true;
    StartTangent t;
    t.parameter = std::max(direction_[k], -1), t.unit = unit_[k], t.turn = turn;
    t.j = j.view();
    t.held_q = find_held_coordinates(j.view(), initial_.q, held, e);
    const std::span<double> s = std::span(y_).subspan(n_ * (1 + k), n_);
    require(j.rows() == 0 || find_coordinate_tangent(t, s.first(nq)),
            "the initial state cannot follow '{}': the constraints hold it", options_.parameters[k]);
    if (active.empty()) continue;
    t.a = evaluator_.active_jacobian();
    t.held_u = find_held_speeds(t.a, held, e);
    require(find_speed_tangent(t, s.first(nq), s.subspan(nq)), "the initial speeds cannot follow '{}'",
            options_.parameters[k]);
  }
}

bool SensitivityRun::find_coordinate_tangent(const StartTangent& t, std::span<double> sq) {
  const EquationsOfMotion& e = system_->equations();
  const std::size_t nq = sq.size(), m = t.j.rows, stride = 2 * model_parameters_.size() + nq;
  const auto free = places_of(t.held_q, false), held = places_of(t.held_q, true);
  const std::size_t n = free.size();
  const Matrix jf = columns_of(t.j, free);
  Vector r(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    const int c = projector_.constraint_of_row(i);
    for (const std::size_t h : held) r[i] -= t.j(i, h) * sq[h];
    if (t.parameter >= 0 && c >= 0 && at(c) < e.constraints.size())
      r[i] -= t.unit * t.turn[at(c) * stride + at(t.parameter)];
  }
  Vector moved(n);
  for (std::size_t i = 0; i < n; ++i) moved[i] = initial_.q[free[i]] - origin_.q[free[i]];
  Vector right(n), x(n);
  if (max_abs(moved) < kStayed) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < n; ++k) r[i] -= jf(i, k) * sq[free[k]];
    if (!solve_shortest(jf.view(), r, x)) return false;
    for (std::size_t k = 0; k < n; ++k) sq[free[k]] += x[k];
    return true;
  }

  const Vector lambda = solve_transposed(jf.view(), moved);
  Matrix shifted(m, nq);
  Vector q = initial_.q;
  // J_F^T lambda at q, added to `to`.
  const auto add_pull = [&](double factor, std::span<double> to) {
    projector_.calc_configuration(q, {}, shifted.view());
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < m; ++i) to[k] += factor * shifted(i, free[k]) * lambda[i];
  };
  // phi_p . lambda at q.
  const Vector zeros(e.u.size() + e.constraints.size(), 0.0);
  const auto calc_turn = [&] {
    const auto turn = constraints_.run(q, initial_.u, zeros);
    double sum = 0;
    for (std::size_t i = 0; i < m; ++i)
      if (const int c = projector_.constraint_of_row(i); c >= 0 && at(c) < e.constraints.size())
        sum += lambda[i] * turn[at(c) * stride + at(t.parameter)];
    return sum;
  };
  constexpr double kHalf = 0.5 / kDifference;
  Matrix kkt(n + m, n + m);
  Vector column(n);
  for (std::size_t k = 0; k < n; ++k) right[k] = sq[free[k]];
  for (std::size_t d = 0; d < nq; ++d) {
    if (t.held_q[d] && sq[d] == 0) continue;
    std::fill(column.begin(), column.end(), 0.0);
    for (const double sign : {1.0, -1.0}) {
      q[d] = initial_.q[d] + sign * kDifference;
      add_pull(sign * kHalf, column);
    }
    q[d] = initial_.q[d];
    const auto place = std::find(free.begin(), free.end(), d);
    for (std::size_t k = 0; k < n; ++k) {
      if (place == free.end())
        right[k] += column[k] * sq[d];
      else
        kkt(k, static_cast<std::size_t>(place - free.begin())) -= column[k];
    }
  }
  for (std::size_t k = 0; k < n && t.parameter >= 0; ++k)
    for (const double sign : {1.0, -1.0}) {
      q[free[k]] = initial_.q[free[k]] + sign * kDifference;
      right[k] += sign * kHalf * t.unit * calc_turn();
      q[free[k]] = initial_.q[free[k]];
    }
  for (std::size_t k = 0; k < n; ++k) {
    kkt(k, k) += 1;
    for (std::size_t i = 0; i < m; ++i) kkt(k, n + i) = -jf(i, k), kkt(n + i, k) = jf(i, k);
  }
  right.insert(right.end(), r.begin(), r.end());
  x.resize(n + m);
  if (!solve_shortest(kkt.view(), right, x)) return false;
  for (std::size_t k = 0; k < n; ++k) sq[free[k]] = x[k];
  return true;
}

bool SensitivityRun::find_speed_tangent(const StartTangent& t, std::span<const double> sq, std::span<double> su) {
  const std::size_t nq = sq.size(), nd = model_parameters_.size(), stride = 2 * nd + nq;
  const auto& active = evaluator_.active_rows();
  const auto free = places_of(t.held_u, false);
  const Matrix af = columns_of(t.a, free);
  // d(A u + b) of a row along the direction, from derivatives of the constraints at some u.
  const auto calc_change = [&](std::span<const double> turn, std::size_t row) {
    const double* const from = turn.data() + at(active[row]) * stride + nd;
    double sum = dot(from, sq.data(), nq);
    if (t.parameter >= 0) sum += t.unit * from[nq + at(t.parameter)];
    return sum;
  };
  Vector moved(free.size()), x(free.size());
  for (std::size_t k = 0; k < free.size(); ++k) moved[k] = initial_.u[free[k]] - origin_.u[free[k]];
  if (max_abs(moved) >= kStayed) {
    const Vector mu = solve_transposed(af.view(), moved);
    const Vector zeros(su.size() + system_->constraint_count(), 0.0);
    Vector u(su.size(), 0.0), base(active.size());
    const auto at_rest = constraints_.run(initial_.q, u, zeros);
    for (std::size_t i = 0; i < base.size(); ++i) base[i] = calc_change(at_rest, i);
    for (const std::size_t k : free) {
      u[k] = 1;
      const auto turn = constraints_.run(initial_.q, u, zeros);
      for (std::size_t i = 0; i < base.size(); ++i) su[k] += mu[i] * (calc_change(turn, i) - base[i]);
      u[k] = 0;
    }
  }
  Vector v(active.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = -calc_change(t.turn, i) - dot(t.a.row(i), su.data(), su.size());
  if (max_abs(v) == 0) return true;
  if (!solve_shortest(af.view(), v, x)) return false;
  for (std::size_t k = 0; k < free.size(); ++k) su[free[k]] += x[k];
  return true;
}

}  // namespace kane
