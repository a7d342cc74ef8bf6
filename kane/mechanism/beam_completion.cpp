// The kinetic energy of a beam through second order in q and q' is not the square of any velocity, so that nothing keeps it
// positive. Where a beam hangs on a hinge, its modes can nearly take back the rotation of its frame; what is left of the
// inertia is small, and the terms of second order, which are negative, exceed it at slopes of a few hundredths.
//
// So let the sections be at
//
//     X = s + sum chi_a q_a - sum_p b_p(x) N_p(q),     N_p = 1/(2 L) sum_ij <b_p, g_ij> q_i q_j,     p = 1, 2
//
// where b_1 and b_2 are 1 and x, made orthonormal with the mass as weight: the foreshortening of beam_field.hpp, projected.
// T of this motion, with all its terms, is positive. And it equals the kinetic energy through second order, where the
// foreshortening is multiplied by 1 and x only. With k the mass per length times L, c_p = sum <b_p, chi_a> q_a, and Y_p, Z_p
// likewise, the additional terms are
//
//     J:     k sum_p (N_p^2 - 2 N_p c_p) in S_xx,  -k sum_p N_p Y_p in S_xy,  likewise z
//     H_i:   k sum_p (0, N_p Z_pi - Z_p N_pi, Y_p N_pi - N_p Y_pi)
//     M_ij:  k sum_p (N_pi N_pj - c_pi N_pj - N_pi c_pj)                                       (index i: derivative by q_i)

#include <cmath>

#include "kane/expr/derivative.hpp"
#include "kane/expr/number.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/beam_field.hpp"

namespace kane {

/// The mass per length at the nodes relative to the largest one, with the parameters as they are.
void BeamField::weigh_nodes(const ParameterNumber& number) {
  const Profile mu = profile(beam_.mass_per_length);
  heaviest_ = mu.front();
  share_.assign(mu.size() == 1 ? x_.size() : 0, 1.0);
  if (mu.size() == 1 || !number) return;
  double most = 0;
  for (const Expr& m : mu) {
    share_.push_back(number(graph_.bind(m)));
    if (!(share_.back() > most)) continue;
    most = share_.back();
    heaviest_ = m;
  }
  for (double& s : share_) s /= most;
  if (!(most > 0)) share_.clear();
}

/// b_1 and b_2 at the nodes.
std::vector<std::vector<double>> BeamField::completion_basis() const {
  double m = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double weight = w_[i] * share_[i];
    m += weight, first += weight * x_[i], second += weight * x_[i] * x_[i];
  }
  const double centre = first / m, spread = std::sqrt(second / m - centre * centre);
  std::vector<std::vector<double>> basis(2);
  for (const double x : x_) {
    basis[0].push_back(1 / std::sqrt(m));
    basis[1].push_back((x - centre) / (spread * std::sqrt(m)));
  }
  return basis;
}

/// Equal expressions are one node, in the cheapest form that was ever written. So the short form of what M_ij adds to the
/// forces of the modes, sum_p k df_p/dq_i f_p'' for q'' = 0, is written here, and the general formula (mechanics/flexible.cpp)
/// then arrives at it.
void BeamField::prepare_bias(const Expr& k, const Expr& f, std::vector<Expr>& bias) const {
  Substitution rates;
  for (std::size_t i = 0; i < modes_.size(); ++i) rates.set(q(i), beam_.speeds[i]);
  const Expr second = time_derivative(time_derivative(f, rates), rates);
  for (std::size_t i = 0; i < modes_.size(); ++i) bias[i] = graph_.bind(bias[i] + k * derivative(f, q(i)) * second);
}

void BeamField::complete_inertia(FlexibleSpec& spec) const {
  constexpr double kNothing = 1e-12;
  const std::size_t n = modes_.size();
  const auto constant = [&](double v) {
    return std::abs(v) < kNothing ? Expr() : graph_.number(rational_from_double(v));
  };
  const auto plane_of = [&](std::size_t i) {  // 1: y, 2: z, 0: none
    const BeamMotion m = modes_[i].motion;
    return m == BeamMotion::BendY || m == BeamMotion::ShearY   ? 1
           : m == BeamMotion::BendZ || m == BeamMotion::ShearZ ? 2
                                                               : 0;
  };
  const Expr k = graph_.bind(heaviest_ * beam_.length);
  Expr xx, xy, xz;
  ExprMatrix varying(n, n);
  std::vector<Expr> bias(n);
  for (const std::vector<double>& b : completion_basis()) {
    const auto product = [&](const std::vector<double>& f) {
      double sum = 0;
      for (std::size_t i = 0; i < f.size(); ++i) sum += w_[i] * share_[i] * b[i] * f[i];
      return constant(sum);
    };
    Expr c, Y, Z, N;
    std::vector<Expr> ci(n), Yi(n), Zi(n), Ni(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int plane = plane_of(i);
      if (modes_[i].motion == BeamMotion::Stretch) c += (ci[i] = product(modes_[i].f)) * q(i);
      if (plane == 1) Y += (Yi[i] = product(modes_[i].f)) * q(i);
      if (plane == 2) Z += (Zi[i] = product(modes_[i].f)) * q(i);
      for (std::size_t j = 0; j < n && plane != 0; ++j) {
        if (plane_of(j) != plane) continue;
        std::vector<double> g(x_.size());
        for (std::size_t m = 0; m < g.size(); ++m) g[m] = modes_[i].df[m] * modes_[j].df[m];
        Ni[i] += product(running_integral(g)) * q(j);
      }
      Ni[i] = Ni[i] / beam_.length;
      N += Ni[i] * q(i) / 2;
    }
    if (N.is_zero()) continue;
    xx += N * N - 2 * N * c;
    xy -= N * Y;
    xz -= N * Z;
    for (std::size_t i = 0; i < n; ++i) {
      spec.coupling[i][1] += k * (N * Zi[i] - Z * Ni[i]);
      spec.coupling[i][2] += k * (Y * Ni[i] - N * Yi[i]);
      for (std::size_t j = 0; j < n; ++j) varying(i, j) += Ni[i] * Ni[j] - ci[i] * Ni[j] - Ni[i] * ci[j];
    }
    prepare_bias(k, graph_.bind(c - N), bias);
  }
  Expr33& J = spec.inertia;
  J[1][1] += k * xx, J[2][2] += k * xx;
  J[0][1] -= k * xy, J[1][0] -= k * xy;
  J[0][2] -= k * xz, J[2][0] -= k * xz;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) spec.modal_mass(i, j) += k * varying(i, j);
}

}  // namespace kane
