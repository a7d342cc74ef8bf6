#include "kane/mechanism/beam_field.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/beam_elements.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/symmetric_modes.hpp"

namespace kane {
namespace {

constexpr std::size_t kPanelNodes = 24;
constexpr const char* kArcLength = "s";

bool is_bending(BeamMotion m) { return m == BeamMotion::BendY || m == BeamMotion::BendZ; }
bool along_y(BeamMotion m) { return m == BeamMotion::BendY || m == BeamMotion::ShearY; }
bool along_z(BeamMotion m) { return m == BeamMotion::BendZ || m == BeamMotion::ShearZ; }
/// Both deflect the axis along y, or both along z.
bool same_plane(BeamMotion a, BeamMotion b) { return (along_y(a) && along_y(b)) || (along_z(a) && along_z(b)); }

std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> r(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) r[i] = a[i] * b[i];
  return r;
}

/// P_0 to P_n at x.
std::vector<double> legendre(std::size_t n, double x) {
  std::vector<double> p{1, x};
  for (std::size_t k = 1; k < n; ++k) {
    const auto d = static_cast<double>(k);
    p.push_back(((2 * d + 1) * x * p[k] - d * p[k - 1]) / (d + 1));
  }
  return p;
}

}  // namespace

void gauss_nodes(std::size_t n, std::vector<double>& x, std::vector<double>& w) {
  x.resize(n), w.resize(n);
  constexpr int kNewtonSteps = 12;
  for (std::size_t i = 0; i < n; ++i) {
    long double z =
        std::cos(3.14159265358979324L * (static_cast<long double>(i) + 0.75L) / (static_cast<long double>(n) + 0.5L));
    long double slope = 1;
    for (int step = 0; step < kNewtonSteps; ++step) {
      long double p0 = 1, p1 = z;
      for (std::size_t k = 1; k < n; ++k) {
        const auto d = static_cast<long double>(k);
        const long double p2 = ((2 * d + 1) * z * p1 - d * p0) / (d + 1);
        p0 = p1, p1 = p2;
      }
      slope = static_cast<long double>(n) * (z * p1 - p0) / (z * z - 1);
      z -= p1 / slope;
    }
    x[n - 1 - i] = static_cast<double>(z);
    w[n - 1 - i] = static_cast<double>(2 / ((1 - z * z) * slope * slope));
  }
}

BeamField::BeamField(Graph& graph, const FlexibleBeam& beam, std::string body, const std::vector<double>& breaks,
                     const ParameterNumber& number, const std::vector<double>& knots)
    : graph_(graph), beam_(beam), body_(std::move(body)) {
  read_breaks(breaks);
  place_nodes(knots);
  read_modes();
  form_matrices();
  form_damping(number);
  weigh_nodes(number);
}

// ---- shapes -------------------------------------------------------------------------------------------------------------

void BeamField::read_breaks(const std::vector<double>& breaks) {
  ensure(beam_.elements == 0 || breaks.size() + 1 == static_cast<std::size_t>(beam_.elements),
         "the places where the elements of '{}' meet are not known", body_);
  constexpr double kLeast = 1e-6;  // of the length
  for (const double x : breaks) {
    const double before = ends_[ends_.size() - 2];
    require_at(beam_.where, x >= before + kLeast && x <= 1 - kLeast,
               "elements of the beam '{}' meet at s = {:.6g} of its length after {:.6g}; these places must increase, "
               "between its ends",
               body_, x, before);
    ends_.insert(ends_.end() - 1, x);
  }
}

/// Panels of Gauss nodes: products of two modes have at most as many waves as there are modes.
void BeamField::place_nodes(const std::vector<double>& knots) {
  int most = 0;
  for (const BeamModes& m : beam_.modes) most = std::max(most, beam_.elements > 0 ? m.inner / 2 : m.count);
  panels_ = 1 + static_cast<std::size_t>(most) / 4;
  gauss_nodes(kPanelNodes, panel_x_, panel_w_);
  const std::vector<double>&x = panel_x_, &w = panel_w_;
  const auto add_panels = [&](double from, double to, std::size_t count) {
    const double half = 0.5 * (to - from) / static_cast<double>(count);
    for (std::size_t p = 0; p < count; ++p) {
      half_.push_back(half);
      for (std::size_t i = 0; i < kPanelNodes; ++i) {
        x_.push_back(from + (static_cast<double>(2 * p) + 1 + x[i]) * half);
        w_.push_back(w[i] * half);
      }
    }
  };
  constexpr double kLeast = 1e-9;  // of the length
  for (std::size_t e = 0; e + 1 < ends_.size(); ++e) {
    const double width = ends_[e + 1] - ends_[e];
    double from = ends_[e];
    const auto add_until = [&](double to) {
      add_panels(from, to,
                 static_cast<std::size_t>(std::ceil(static_cast<double>(panels_) * (to - from) / width - kLeast)));
      from = to;
    };
    for (const double knot : knots)
      if (knot > from + kLeast && knot < ends_[e + 1] - kLeast) add_until(knot);
    add_until(ends_[e + 1]);
  }
  // int_{-1}^{x_k} of the polynomial through values at the nodes: sum_n (2n+1)/2 P_n(x_l) w_l int_{-1}^{x_k} P_n, with
  // int_{-1}^{x} P_n = (P_{n+1} - P_{n-1})/(2n+1).
  running_.assign(kPanelNodes, std::vector<double>(kPanelNodes, 0));
  for (std::size_t k = 0; k < kPanelNodes; ++k) {
    const std::vector<double> here = legendre(kPanelNodes, x[k]);
    for (std::size_t l = 0; l < kPanelNodes; ++l) {
      const std::vector<double> there = legendre(kPanelNodes, x[l]);
      double sum = (1 + x[k]) * there[0] / 2;
      for (std::size_t n = 1; n < kPanelNodes; ++n) sum += there[n] * (here[n + 1] - here[n - 1]) / 2;
      running_[k][l] = sum * w[l];
    }
  }
}

void BeamField::add_mode(BeamMotion motion, const Expr& shape) {
  const Expr place = beam_place(graph_);
  Mode mode{motion, shape, derivative(shape, place), {}, {}, {}, {}, {}};
  mode.curvature = derivative(mode.slope, place);
  mode.slopes = {mode.slope};
  tabulate(mode);
  modes_.push_back(std::move(mode));
}

void BeamField::read_element_modes(const BeamModes& group) {
  for (const BeamPieces& pieces : beam_element_shapes(graph_, beam_.shapes, group.motion, ends_, group.inner)) {
    add_mode(group.motion, join_pieces(graph_, pieces, ends_));
    modes_.back().slopes.clear();
    for (const Expr& piece : pieces) modes_.back().slopes.push_back(derivative(piece, beam_place(graph_)));
  }
}

void BeamField::read_modes() {
  for (const BeamModes& group : beam_.modes) {
    if (beam_.elements > 0) {
      read_element_modes(group);
      continue;
    }
    std::vector<Expr> shapes;
    if (beam_.shapes == BeamShapes::Given) {
      Substitution place;
      place.set(graph_.symbol(kArcLength), beam_.length * beam_place(graph_));
      for (const Expr& e : group.given) shapes.push_back(substitute(graph_.bind(e), place));
    } else {
      // Shear leaves the ends where the supports do.
      const bool shear = group.motion == BeamMotion::ShearY || group.motion == BeamMotion::ShearZ;
      const BeamShapes bar = shear && beam_.shapes == BeamShapes::Pinned ? BeamShapes::Clamped : beam_.shapes;
      shapes = is_bending(group.motion) ? beam_bending_shapes(graph_, beam_.shapes, group.count)
                                        : beam_bar_shapes(graph_, bar, group.count);
    }
    for (const Expr& shape : shapes) add_mode(group.motion, shape);
  }
}

void BeamField::tabulate(Mode& mode) {
  const Expr all[] = {mode.shape, mode.slope, mode.curvature};
  const std::string place = beam_place(graph_).name();
  for (const NodeId id : topological_order(all))
    require_at(
        beam_.where, graph_.op(id) != Op::Call,
        "a shape of the beam '{}' is written with the table '{}'; shapes are smooth functions of s such as (s/L)^2",
        body_, graph_.op(id) == Op::Call ? graph_.name(id) : std::string());
  for (const Expr& symbol : symbols_of(all))
    require_at(beam_.where, symbol.name() == place,
               "a shape of the beam '{}' is written with '{}'; shapes are functions of s that do not change with "
               "parameters, such as (s/L)^2 for a beam of the length L",
               body_, symbol.name());
  for (const double x : x_) {
    const std::vector<double> v = evaluate(all, Values{{place, x}});
    require_at(beam_.where, std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]),
               "a shape of the beam '{}', or its slope or curvature, is not finite at s = {:.4g} of its length", body_,
               x);
    mode.f.push_back(v[0]), mode.df.push_back(v[1]), mode.ddf.push_back(v[2]);
  }
}

// ---- integrals ----------------------------------------------------------------------------------------------------------

BeamField::Profile BeamField::profile(const Expr& property) const {
  const Expr s = graph_.symbol(kArcLength);
  const Expr bound = graph_.bind(property);
  if (!depends_on(bound, s)) return {bound};
  Profile p;
  for (const double x : x_) {
    Substitution place;
    place.set(s, graph_.number(rational_from_double(x)) * beam_.length);
    p.push_back(substitute(bound, place));
  }
  return p;
}

Expr BeamField::integral(const Profile& p, const std::vector<double>& f) const {
  constexpr double kRounding = 2e-13;
  if (p.size() == 1) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += w_[i] * f[i], size += w_[i] * std::abs(f[i]);
    if (std::abs(sum) <= kRounding * size) return {};
    if (std::abs(sum - 1) < kRounding) return p[0];
    return p[0] * graph_.number(rational_from_double(sum));
  }
  Expr sum;
  Rational exact = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (p[i].is_number())
      exact += p[i].number() * rational_from_double(w_[i] * f[i]);
    else
      sum += p[i] * graph_.number(rational_from_double(w_[i] * f[i]));
  }
  return sum + graph_.number(rational_from_double(to_double(exact)));
}

bool BeamField::shares_plane(std::size_t a, std::size_t b) const {
  return same_plane(modes_[a].motion, modes_[b].motion);
}

std::vector<double> BeamField::running_integral(const std::vector<double>& f) const {
  std::vector<double> r(f.size());
  double before = 0;
  for (std::size_t p = 0; p < half_.size(); ++p) {
    const std::size_t first = p * kPanelNodes;
    double all = 0;
    for (std::size_t k = 0; k < kPanelNodes; ++k) {
      double sum = 0;
      for (std::size_t l = 0; l < kPanelNodes; ++l) sum += running_[k][l] * half_[p] * f[first + l];
      r[first + k] = before + sum;
      all += w_[first + k] * f[first + k];
    }
    before += all;
  }
  return r;
}

/// M and K: those of different motions do not mix, but for the mass of bending and shear in one plane.
void BeamField::form_matrices() {
  const std::size_t n = modes_.size();
  mass_ = stiffness_ = ExprMatrix(n, n);
  const Expr& L = beam_.length;
  const Profile mu = profile(beam_.mass_per_length);
  const Profile j[3] = {profile(beam_.section_inertia[0]), profile(beam_.section_inertia[1]),
                        profile(beam_.section_inertia[2])};
  const Profile EI[2] = {profile(beam_.bending_y), profile(beam_.bending_z)};
  const Profile GA[2] = {profile(beam_.shear_y), profile(beam_.shear_z)};
  const Profile GJ = profile(beam_.torsion), EA = profile(beam_.tension);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a; b < n; ++b) {
      const Mode &u = modes_[a], &v = modes_[b];
      if (u.motion != v.motion) {
        if (same_plane(u.motion, v.motion)) mass_(a, b) = mass_(b, a) = L * integral(mu, times(u.f, v.f));
        continue;
      }
      Expr m, k;
      switch (u.motion) {
        case BeamMotion::BendY:
        case BeamMotion::BendZ: {
          const bool y = u.motion == BeamMotion::BendY;
          m = L * integral(mu, times(u.f, v.f)) + integral(j[y ? 2 : 1], times(u.df, v.df)) / L;
          k = integral(EI[y ? 0 : 1], times(u.ddf, v.ddf)) / pow(L, 3);
          break;
        }
        case BeamMotion::ShearY:
        case BeamMotion::ShearZ:
          m = L * integral(mu, times(u.f, v.f));
          k = integral(GA[u.motion == BeamMotion::ShearY ? 0 : 1], times(u.df, v.df)) / L;
          break;
        case BeamMotion::Twist:
          m = L * integral(j[0], times(u.f, v.f));
          k = integral(GJ, times(u.df, v.df)) / L;
          break;
        default: m = L * integral(mu, times(u.f, v.f)); k = integral(EA, times(u.df, v.df)) / L;
      }
      mass_(a, b) = mass_(b, a) = m;
      stiffness_(a, b) = stiffness_(b, a) = k;
    }
  }
  for (const BeamModes& group : beam_.modes) check_independent(group.motion);
  FlexibleSpec beside;  // of which only the modal mass is wanted here
  beside.coupling.assign(n, {});
  beside.modal_mass = mass_;
  add_offset(beside);
  mass_ = beside.modal_mass;
}

/// The shapes of one motion must not be combinations of each other: their normalised Gram matrix has no small eigenvalue.
void BeamField::check_independent(BeamMotion motion) {
  std::vector<const Mode*> own;
  for (const Mode& m : modes_)
    if (m.motion == motion) own.push_back(&m);
  const std::size_t n = own.size();
  std::vector<double> gram(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::vector<double> f = times(own[i]->f, own[j]->f);
      for (std::size_t k = 0; k < f.size(); ++k) gram[i * n + j] += w_[k] * f[k];
    }
    require_at(beam_.where, gram[i * n + i] > 1e-24, "mode {} ({}) of the beam '{}' is zero everywhere", i + 1,
               to_string(motion), body_);
  }
  std::vector<double> scaled = gram;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scaled[i * n + j] /= std::sqrt(gram[i * n + i] * gram[j * n + j]);
  const SymmetricModes modes = find_symmetric_modes(scaled, n);
  require_at(beam_.where, modes.values.empty() || modes.values.front() > 1e-13,
             "the {} modes ({}) of the beam '{}' are not independent: one is a combination of the others", n,
             to_string(motion), body_);
}

// ---- inertia ------------------------------------------------------------------------------------------------------------

// sum over pairs of m_ij q_i q_j, m symmetric.
Expr BeamField::quadratic(const std::vector<std::size_t>& modes, const ExprMatrix& m) const {
  Expr sum;
  for (std::size_t a = 0; a < modes.size(); ++a) {
    Expr row = m(a, a) * q(modes[a]);
    for (std::size_t b = a + 1; b < modes.size(); ++b) row += 2 * m(a, b) * q(modes[b]);
    sum += row * q(modes[a]);
  }
  return sum;
}

// The formulas of beam_field.hpp put into those of mechanics/flexible.hpp. S = int r r dm, J = tr(S) 1 - S. Sections turned
// by p, t, r about x, y, z with moments of inertia j1, j2, j3 per length add R j R^T to J, with R to second order,
//     A11 = j1 (1-t^2-r^2) + j2 r^2 + j3 t^2      A12 = (j1-j2) r + (j2-j3) p t
//     A22 = j1 r^2 + j2 (1-p^2-r^2) + j3 p^2      A13 = (j3-j1) t + (j3-j2) p r
//     A33 = j1 t^2 + j2 p^2 + j3 (1-p^2-t^2)      A23 = (j2-j3) p + (j3-j1) t r
// and to H, per unit of p', t', r':  (j1, j1 r, -j1 t),  (-j2 r, j2, (j2-j3) p),  ((j3-j1) t, (j2-j3) p, j3).
FlexibleSpec BeamField::inertia(bool complete) const {
  const std::size_t n = modes_.size();
  const Expr& L = beam_.length;
  const Profile mu = profile(beam_.mass_per_length);
  const std::vector<double> one(x_.size(), 1.0), xx = times(x_, x_);
  FlexibleSpec spec;
  spec.coordinates = beam_.coordinates;
  spec.modal_mass = mass_;
  spec.coupling.assign(n, {});
  spec.mass = graph_.bind(L * integral(mu, one));
  std::vector<std::size_t> ys, zs, twists, xs;  // shear deflects as bending does, but does not turn sections
  for (std::size_t i = 0; i < n; ++i) {
    const BeamMotion motion = modes_[i].motion;
    (along_y(motion) ? ys : along_z(motion) ? zs : motion == BeamMotion::Twist ? twists : xs).push_back(i);
  }

  Expr3& c = spec.first_moment;
  Expr33 S;
  c[0] = pow(L, 2) * integral(mu, x_);
  S[0][0] = pow(L, 3) * integral(mu, xx);
  for (const std::size_t a : xs) {
    c[0] += L * integral(mu, modes_[a].f) * q(a);
    S[0][0] += 2 * pow(L, 2) * integral(mu, times(x_, modes_[a].f)) * q(a);
  }
  // Products of two shapes along directions d and e, weighted with the mass.
  const auto mixed = [&](const std::vector<std::size_t>& as, const std::vector<std::size_t>& bs) {
    Expr sum;
    for (const std::size_t a : as)
      for (const std::size_t b : bs) sum += L * integral(mu, times(modes_[a].f, modes_[b].f)) * q(a) * q(b);
    return sum;
  };
  const auto own = [&](const std::vector<std::size_t>& as, auto&& entry) {
    ExprMatrix m(as.size(), as.size());
    for (std::size_t a = 0; a < as.size(); ++a)
      for (std::size_t b = a; b < as.size(); ++b) m(a, b) = m(b, a) = entry(modes_[as[a]], modes_[as[b]]);
    return quadratic(as, m);
  };
  const auto product = [&](const Mode& a, const Mode& b) { return L * integral(mu, times(a.f, b.f)); };
  S[0][0] += own(xs, product);
  S[1][1] = own(ys, product);
  S[2][2] = own(zs, product);
  S[0][1] = mixed(xs, ys), S[0][2] = mixed(xs, zs), S[1][2] = mixed(ys, zs);
  for (const auto& [list, axis] : {std::pair{&ys, std::size_t{1}}, std::pair{&zs, std::size_t{2}}}) {
    for (const std::size_t i : *list) {
      c[axis] += L * integral(mu, modes_[i].f) * q(i);
      S[0][axis] += pow(L, 2) * integral(mu, times(x_, modes_[i].f)) * q(i);
    }
    if (beam_.premature) continue;
    c[0] -=
        own(*list, [&](const Mode& a, const Mode& b) { return integral(mu, running_integral(times(a.df, b.df))); }) / 2;
    S[0][0] -= L * own(*list, [&](const Mode& a, const Mode& b) {
                 return integral(mu, times(x_, running_integral(times(a.df, b.df))));
               });
  }
  S[1][0] = S[0][1], S[2][0] = S[0][2], S[2][1] = S[1][2];
  const Expr trace = S[0][0] + S[1][1] + S[2][2];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) spec.inertia[i][k] = (i == k ? trace : Expr()) - S[i][k];

  // H of the axis.
  const auto arm = [&](std::size_t i) {  // int X f dm, to first order
    Expr sum = pow(L, 2) * integral(mu, times(x_, modes_[i].f));
    for (const std::size_t a : xs) sum += L * integral(mu, times(modes_[a].f, modes_[i].f)) * q(a);
    return sum;
  };
  const auto across = [&](const std::vector<std::size_t>& as, std::size_t i) {  // int (sum of as) f dm
    Expr sum;
    for (const std::size_t a : as) sum += L * integral(mu, times(modes_[a].f, modes_[i].f)) * q(a);
    return sum;
  };
  for (const std::size_t i : ys) spec.coupling[i] = {-across(zs, i), 0, arm(i)};
  for (const std::size_t i : zs) spec.coupling[i] = {across(ys, i), -arm(i), 0};
  for (const std::size_t i : xs) spec.coupling[i] = {0, across(zs, i), -across(ys, i)};

  // Sections.
  const Profile j1 = profile(beam_.section_inertia[0]), j2 = profile(beam_.section_inertia[1]),
                j3 = profile(beam_.section_inertia[2]);
  Expr33& J = spec.inertia;
  J[0][0] += L * integral(j1, one), J[1][1] += L * integral(j2, one), J[2][2] += L * integral(j3, one);
  // Angles p, t, r as (mode, factor by L, values at the nodes).
  struct Angle {
    std::size_t mode;
    Expr factor;
    const std::vector<double>* f;
  };
  std::vector<Angle> p, t, r;
  for (const std::size_t i : twists) p.push_back({i, Expr(1), &modes_[i].f});
  for (const std::size_t i : zs)
    if (is_bending(modes_[i].motion)) t.push_back({i, -1 / L, &modes_[i].df});
  for (const std::size_t i : ys)
    if (is_bending(modes_[i].motion)) r.push_back({i, 1 / L, &modes_[i].df});
  const auto first = [&](const Profile& j, const std::vector<Angle>& a) {
    Expr sum;
    for (const Angle& u : a) sum += L * u.factor * integral(j, *u.f) * q(u.mode);
    return sum;
  };
  const auto second = [&](const Profile& j, const std::vector<Angle>& a, const std::vector<Angle>& b) {
    Expr sum;
    for (const Angle& u : a)
      for (const Angle& v : b) sum += L * u.factor * v.factor * integral(j, times(*u.f, *v.f)) * q(u.mode) * q(v.mode);
    return sum;
  };
  J[0][0] += second(j2, r, r) + second(j3, t, t) - second(j1, t, t) - second(j1, r, r);
  J[1][1] += second(j1, r, r) + second(j3, p, p) - second(j2, p, p) - second(j2, r, r);
  J[2][2] += second(j1, t, t) + second(j2, p, p) - second(j3, p, p) - second(j3, t, t);
  const Expr A12 = first(j1, r) - first(j2, r) + second(j2, p, t) - second(j3, p, t);
  const Expr A13 = first(j3, t) - first(j1, t) + second(j3, p, r) - second(j2, p, r);
  const Expr A23 = first(j2, p) - first(j3, p) + second(j3, t, r) - second(j1, t, r);
  J[0][1] += A12, J[1][0] += A12, J[0][2] += A13, J[2][0] += A13, J[1][2] += A23, J[2][1] += A23;
  // H: int j u f, where f belongs to the mode and u to another angle.
  const auto with = [&](const Profile& j, const Angle& mode, const std::vector<Angle>& a) {
    Expr sum;
    for (const Angle& u : a) sum += L * u.factor * mode.factor * integral(j, times(*u.f, *mode.f)) * q(u.mode);
    return sum;
  };
  const auto alone = [&](const Profile& j, const Angle& mode) { return L * mode.factor * integral(j, *mode.f); };
  for (const Angle& a : p)
    spec.coupling[a.mode] = add(spec.coupling[a.mode], {alone(j1, a), with(j1, a, r), -with(j1, a, t)});
  for (const Angle& a : t)
    spec.coupling[a.mode] =
        add(spec.coupling[a.mode], {-with(j2, a, r), alone(j2, a), with(j2, a, p) - with(j3, a, p)});
  for (const Angle& a : r)
    spec.coupling[a.mode] =
        add(spec.coupling[a.mode], {with(j3, a, t) - with(j1, a, t), with(j2, a, p) - with(j3, a, p), alone(j3, a)});
  add_turn(spec);
  add_offset(spec);
  spec.modal_mass = mass_;
  if (complete && !beam_.premature && !share_.empty()) complete_inertia(spec);
  return spec;
}

// ---- forces -------------------------------------------------------------------------------------------------------------

Expr BeamField::strain_energy() const {
  std::vector<std::size_t> all(modes_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const Expr energy = quadratic(all, stiffness_) / 2;
  return beam_.coupled && !beam_.premature ? energy + coupled_energy() : energy;
}

/// What twist adds to the strain energy of bending (beam_field.hpp).
Expr BeamField::coupled_energy() const {
  std::vector<std::size_t> ys, zs, twists;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const BeamMotion motion = modes_[i].motion;
    if (motion == BeamMotion::BendY) ys.push_back(i);
    if (motion == BeamMotion::BendZ) zs.push_back(i);
    if (motion == BeamMotion::Twist) twists.push_back(i);
  }
  const Expr difference = graph_.bind(beam_.bending_y - beam_.bending_z), zero = graph_.number(0);
  const Profile all = profile(difference), more_y = profile(graph_.bind(max(difference, zero))),
                more_z = profile(graph_.bind(max(-difference, zero)));
  const auto none = [](const Profile& p) { return p.size() == 1 && p.front().is_zero(); };
  if (none(all)) return {};
  Expr sum;
  for (const std::size_t y : ys)
    for (const std::size_t z : zs)
      for (const std::size_t p : twists)
        sum += integral(all, times(times(modes_[y].ddf, modes_[z].ddf), modes_[p].f)) * q(y) * q(z) * q(p);
  // Squares of p Z'' or p Y''.
  const auto squares = [&](const Profile& stiffness, const std::vector<std::size_t>& bends) {
    if (none(stiffness)) return;
    for (std::size_t a = 0; a < bends.size(); ++a)
      for (std::size_t b = a; b < bends.size(); ++b)
        for (std::size_t c = 0; c < twists.size(); ++c)
          for (std::size_t d = c; d < twists.size(); ++d) {
            const std::vector<double> f = times(times(modes_[bends[a]].ddf, modes_[bends[b]].ddf),
                                                times(modes_[twists[c]].f, modes_[twists[d]].f));
            const Expr often = graph_.number((a == b ? 1 : 2) * (c == d ? 1 : 2), 2);
            sum += often * integral(stiffness, f) * q(bends[a]) * q(bends[b]) * q(twists[c]) * q(twists[d]);
          }
  };
  squares(more_y, zs);
  squares(more_z, ys);
  return sum / pow(beam_.length, 3);
}

/// Modes that are orthogonal have D_ii = 2 zeta sqrt(K_ii M_ii).
void BeamField::form_damping(const ParameterNumber& number) {
  const std::size_t n = modes_.size();
  damping_ = ExprMatrix(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) damping_(i, j) = beam_.viscosity * stiffness_(i, j);
  if (beam_.damping.empty()) return;
  require_at(beam_.where, beam_.damping.size() == 1 || beam_.damping.size() == n,
             "the beam '{}' has {} modes but {} damping ratios; give one for all, or one each", body_, n,
             beam_.damping.size());
  bool orthogonal = true;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      orthogonal = orthogonal && (i == j || (mass_(i, j).is_zero() && stiffness_(i, j).is_zero()));
  if (orthogonal) {
    for (std::size_t i = 0; i < n; ++i)
      damping_(i, i) += 2 * damping_ratio(i) * sqrt(graph_.bind(stiffness_(i, i) * mass_(i, i)));
    return;
  }
  std::size_t next = 0;  // ratio
  for (const auto& moves : {along_y, along_z}) {
    std::vector<std::size_t> plane;
    for (std::size_t i = 0; i < n; ++i)
      if (moves(modes_[i].motion)) plane.push_back(i);
    damp_group(plane, number, next);
  }
  for (const BeamMotion motion : {BeamMotion::Twist, BeamMotion::Stretch}) {
    std::vector<std::size_t> group;
    for (std::size_t i = 0; i < n; ++i)
      if (modes_[i].motion == motion) group.push_back(i);
    damp_group(group, number, next);
  }
}

/// Shapes that are not orthogonal have the ratios of the natural modes v they can form: with K v = w^2 M v and v.M.v = 1,
/// D = sum 2 zeta w (M v)(M v)^T. The numbers are those of the parameters as they are; the entries scale with
/// (K_ii M_ii K_jj M_jj)^(1/4), which is exact for a uniform beam.
void BeamField::damp_group(const std::vector<std::size_t>& group, const ParameterNumber& number, std::size_t& next) {
  const std::size_t n = group.size();
  if (n == 0) return;
  require_at(
      beam_.where, static_cast<bool>(number),
      "the beam '{}' has shapes that are not orthogonal, so its damping ratios need the values of its parameters",
      body_);
  std::vector<double> K, M;
  for (const std::size_t i : group) {
    for (const std::size_t j : group) {
      K.push_back(number(graph_.bind(stiffness_(i, j))));
      M.push_back(number(graph_.bind(mass_(i, j))));
    }
  }
  const SymmetricModes natural = find_symmetric_modes(K, M, n);
  require_at(beam_.where, natural.values.size() == n, "the shapes of the beam '{}' are not independent", body_);
  std::vector<double> D(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    const double frequency = std::sqrt(std::max(0.0, natural.values[k]));
    const double factor = 2 * number(graph_.bind(damping_ratio(next++))) * frequency;
    std::vector<double> p(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) p[i] += M[i * n + j] * natural.vectors[k * n + j];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) D[i * n + j] += factor * p[i] * p[j];
  }
  const auto scale = [&](std::size_t i) {
    return sqrt(sqrt(graph_.bind(stiffness_(group[i], group[i]) * mass_(group[i], group[i]))));
  };
  const auto size = [&](std::size_t i) { return std::pow(K[i * n + i] * M[i * n + i], 0.25); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n && size(i) > 0; ++j)
      if (size(j) > 0)
        damping_(group[i], group[j]) +=
            graph_.number(rational_from_double(D[i * n + j] / (size(i) * size(j)))) * scale(i) * scale(j);
}

Expr BeamField::damping_ratio(std::size_t i) const { return beam_.damping[beam_.damping.size() == 1 ? 0 : i]; }

std::vector<Expr> BeamField::damping_forces(const std::vector<Expr>& rates) const {
  std::vector<Expr> forces(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    for (std::size_t j = 0; j < rates.size(); ++j) forces[i] -= damping_(i, j) * rates[j];
  return forces;
}

// ---- sections -----------------------------------------------------------------------------------------------------------

Expr BeamField::value_at(const Expr& function, const Expr& x) const {
  const Expr place = beam_place(graph_);
  if (!x.is_number()) {
    Substitution at;
    at.set(place, x);
    return substitute(function, at);
  }
  constexpr double kNothing = 1e-13;
  const double v = evaluate(function, Values{{place.name(), to_double(x.number())}});
  require_at(beam_.where, std::isfinite(v),
             "a shape of the beam '{}', or its slope or curvature, is not finite at s = {:.4g} of its length", body_,
             to_double(x.number()));
  return std::abs(v) < kNothing ? Expr() : graph_.number(rational_from_double(v));
}

Expr BeamField::end_before(const Expr& x, std::size_t element) const {
  const double from = ends_[element], to = ends_[element + 1];
  if (x.is_number()) return graph_.number(rational_from_double(std::clamp(to_double(x.number()), from, to)));
  Expr end = x;
  if (element > 0) end = max(end, graph_.number(rational_from_double(from)));
  if (element + 2 < ends_.size()) end = min(end, graph_.number(rational_from_double(to)));
  return end;
}

/// One sweep over the nodes for all modes: every pair of them needs the same values.
BeamField::SlopesBefore BeamField::slopes_before(double x) const {
  SlopesBefore before;
  before.slopes.resize(modes_.size());
  const std::string place = beam_place(graph_).name();
  const std::size_t panels = beam_.elements > 0 ? 1 : 1 + panels_;
  before.curvatures.resize(modes_.size());
  const bool both = bends_both_ways();
  const Expr arc = beam_place(graph_);
  const std::size_t n = modes_.size();
  std::vector<Expr> functions(both ? 2 * n : n);
  for (std::size_t e = 0; e + 1 < ends_.size() && x > ends_[e]; ++e) {
    for (std::size_t i = 0; i < n; ++i) {
      functions[i] = modes_[i].slopes[e];
      if (both) functions[n + i] = derivative(modes_[i].slopes[e], arc);
    }
    const double half = (std::min(x, ends_[e + 1]) - ends_[e]) / (2 * static_cast<double>(panels));
    for (std::size_t p = 0; p < panels; ++p) {
      for (std::size_t k = 0; k < kPanelNodes; ++k) {
        const double at = ends_[e] + (static_cast<double>(2 * p) + 1 + panel_x_[k]) * half;
        const std::vector<double> values = evaluate(functions, Values{{place, at}});
        for (std::size_t i = 0; i < n; ++i) {
          before.slopes[i].push_back(values[i]);
          if (both) before.curvatures[i].push_back(values[n + i]);
        }
        before.weights.push_back(panel_w_[k] * half);
      }
    }
  }
  return before;
}

Expr BeamField::foreshortening(std::size_t a, std::size_t b, const SlopesBefore& before) const {
  double sum = 0;
  for (std::size_t k = 0; k < before.weights.size(); ++k)
    sum += before.weights[k] * before.slopes[a][k] * before.slopes[b][k];
  constexpr double kNothing = 1e-14;
  return std::abs(sum) < kNothing ? Expr() : graph_.number(rational_from_double(sum));
}

Expr BeamField::foreshortening(const Mode& a, const Mode& b, const Expr& x) const {
  return integral_before(a.slopes, b.slopes, x);
}

Expr BeamField::integral_before(const std::vector<Expr>& f, const std::vector<Expr>& g, const Expr& x) const {
  const Expr place = beam_place(graph_);
  Expr all;
  for (std::size_t e = 0; e + 1 < ends_.size(); ++e) {
    const Expr product = f[e] * g[e];
    if (product.is_zero()) continue;
    const Expr start = graph_.number(rational_from_double(ends_[e])), width = end_before(x, e) - start;
    Expr sum;
    for (std::size_t i = 0; i < kPanelNodes; ++i) {
      Substitution at;
      at.set(place, start + width * graph_.number(rational_from_double((1 + panel_x_[i]) / 2)));
      sum += substitute(product, at) * graph_.number(rational_from_double(panel_w_[i] / 2));
    }
    all += sum * width;
  }
  return all;
}

bool BeamField::bends_both_ways() const {
  const auto has = [&](BeamMotion motion) {
    return std::any_of(modes_.begin(), modes_.end(), [&](const Mode& m) { return m.motion == motion; });
  };
  return has(BeamMotion::BendY) && has(BeamMotion::BendZ);
}

/// int_0^s r' t ds = -1/L^2 int_0^x Y'' Z' dx.
Expr BeamField::turn_by_bending(const Expr& x, const SlopesBefore& before) const {
  constexpr double kNothing = 1e-14;
  Expr turn;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      if (modes_[i].motion != BeamMotion::BendY || modes_[k].motion != BeamMotion::BendZ) continue;
      Expr both;
      if (x.is_number()) {
        double sum = 0;
        for (std::size_t n = 0; n < before.weights.size(); ++n)
          sum += before.weights[n] * before.curvatures[i][n] * before.slopes[k][n];
        if (std::abs(sum) >= kNothing) both = graph_.number(rational_from_double(sum));
      } else {
        std::vector<Expr> curvatures;
        for (const Expr& slope : modes_[i].slopes) curvatures.push_back(derivative(slope, beam_place(graph_)));
        both = integral_before(curvatures, modes_[k].slopes, x);
      }
      turn -= both * q(i) * q(k) / pow(beam_.length, 2);
    }
  }
  return turn;
}

/// What the turn adds to the inertia of the sections: of first order in H, of second order in A23 (above).
void BeamField::add_turn(FlexibleSpec& spec) const {
  if (beam_.premature) return;
  const Expr& L = beam_.length;
  const Profile j[3] = {profile(beam_.section_inertia[0]), profile(beam_.section_inertia[1]),
                        profile(beam_.section_inertia[2])};
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    for (std::size_t k = 0; k < modes_.size(); ++k) {
      if (modes_[i].motion != BeamMotion::BendY || modes_[k].motion != BeamMotion::BendZ) continue;
      const std::vector<double> turn = running_integral(times(modes_[i].ddf, modes_[k].df));
      const Expr about_x = integral(j[0], turn) / L, across = (integral(j[1], turn) - integral(j[2], turn)) / L;
      spec.coupling[i][0] -= about_x * q(k);
      spec.coupling[k][0] -= about_x * q(i);
      const Expr A23 = across * q(i) * q(k);
      spec.inertia[1][2] -= A23, spec.inertia[2][1] -= A23;
    }
  }
}

BeamField::Section BeamField::section(const Expr& s) const {
  const Expr& L = beam_.length;
  const Expr x = graph_.bind(s) / L;
  Section section;
  section.position[0] = s;
  const bool shortens = !beam_.premature && !beam_.exact;
  const bool turns = !beam_.premature && bends_both_ways();
  const SlopesBefore before =
      (shortens || turns) && x.is_number() ? slopes_before(to_double(x.number())) : SlopesBefore{};
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const Mode& m = modes_[i];
    const Expr value = value_at(m.shape, x) * q(i);
    switch (m.motion) {
      case BeamMotion::BendY:
        section.position[1] += value;
        section.angles[2] += value_at(m.slope, x) * q(i) / L;
        break;
      case BeamMotion::BendZ:
        section.position[2] += value;
        section.angles[1] -= value_at(m.slope, x) * q(i) / L;
        break;
      case BeamMotion::Twist: section.angles[0] += value; break;
      case BeamMotion::ShearY: section.position[1] += value; break;
      case BeamMotion::ShearZ: section.position[2] += value; break;
      default: section.position[0] += value;
    }
    for (std::size_t k = i; k < modes_.size() && shortens; ++k) {
      if (!same_plane(m.motion, modes_[k].motion)) continue;
      const Expr g = x.is_number() ? foreshortening(i, k, before) : foreshortening(m, modes_[k], x);
      section.position[0] -= (k == i ? g / 2 : g) * q(i) * q(k) / L;
    }
  }
  if (turns) section.angles[0] += turn_by_bending(x, before);
  if (beam_.exact && !beam_.premature) place_exactly(x, section);
  return section;
}

Expr BeamField::slope_at(BeamMotion motion, const Expr& x, std::size_t element) const {
  Expr sum;
  for (std::size_t i = 0; i < modes_.size(); ++i)
    if (same_plane(modes_[i].motion, motion)) sum += value_at(modes_[i].slopes[element], x) * q(i) / beam_.length;
  return sum;
}

Expr BeamField::slope_at(BeamMotion motion, const Expr& x) const {
  Expr sum;
  for (std::size_t i = 0; i < modes_.size(); ++i)
    if (same_plane(modes_[i].motion, motion)) sum += value_at(modes_[i].slope, x) * q(i) / beam_.length;
  return sum;
}

// The tangent is (sqrt(1 - Y'^2 - Z'^2), Y', Z') = Rz(r) Ry(t) e_x: sin t = -Z', sin r = Y'/cos t.
void BeamField::place_exactly(const Expr& x, Section& section) const {
  constexpr std::size_t kNodes = 16;
  std::vector<double> nodes, weights;
  gauss_nodes(kNodes, nodes, weights);
  for (std::size_t e = 0; e + 1 < ends_.size(); ++e) {
    const Expr start = graph_.number(rational_from_double(ends_[e])), width = end_before(x, e) - start;
    if (width.is_zero()) continue;
    Expr sum;
    for (std::size_t i = 0; i < kNodes; ++i) {
      const Expr place = start + width * graph_.number(rational_from_double((1 + nodes[i]) / 2));
      const Expr y = slope_at(BeamMotion::BendY, place, e), z = slope_at(BeamMotion::BendZ, place, e);
      sum += graph_.number(rational_from_double(weights[i] / 2)) * sqrt(graph_.bind(1 - y * y - z * z));
    }
    section.position[0] += width * beam_.length * (sum - 1);
  }
  const Expr y = graph_.bind(slope_at(BeamMotion::BendY, x)), z = graph_.bind(slope_at(BeamMotion::BendZ, x));
  section.angles[1] = z.is_zero() ? Expr() : -asin(z);
  section.angles[2] = y.is_zero() ? Expr() : asin(y / sqrt(graph_.bind(1 - z * z)));
}

bool BeamField::Section::at_rest(const Expr& s) const {
  return (position[0] - s).is_zero() && position[1].is_zero() && position[2].is_zero();
}

Expr BeamField::property_at(const Expr& property, const Expr& s) const {
  Substitution at;
  at.set(graph_.symbol(kArcLength), graph_.bind(s));
  return substitute(graph_.bind(property), at);
}

BeamField::Internal BeamField::internal(const Expr& s) const {
  const Expr& L = beam_.length;
  const Expr x = graph_.bind(s) / L;
  Internal f;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const Mode& m = modes_[i];
    switch (m.motion) {
      case BeamMotion::BendY: f.moment_z += value_at(m.curvature, x) * q(i) / pow(L, 2); break;
      case BeamMotion::BendZ: f.moment_y += value_at(m.curvature, x) * q(i) / pow(L, 2); break;
      case BeamMotion::Twist: f.torque += value_at(m.slope, x) * q(i) / L; break;
      case BeamMotion::ShearY: f.shear_y += value_at(m.slope, x) * q(i) / L; break;
      case BeamMotion::ShearZ: f.shear_z += value_at(m.slope, x) * q(i) / L; break;
      default: f.tension += value_at(m.slope, x) * q(i) / L;
    }
  }
  f.strain = f.tension, f.curvature_y = f.moment_z, f.curvature_z = f.moment_y;
  f.moment_z *= property_at(beam_.bending_y, s), f.moment_y *= property_at(beam_.bending_z, s);
  f.shear_y *= property_at(beam_.shear_y, s), f.shear_z *= property_at(beam_.shear_z, s);
  // Without modes of shear its force is what keeps the moments in balance: -(EI Y'')'.
  const auto balance = [&](BeamMotion motion, const Expr& EI) {
    const Expr arc = graph_.symbol(kArcLength), place = beam_place(graph_);
    const Expr bound = graph_.bind(EI);
    Expr sum;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const Mode& m = modes_[i];
      if (m.motion != motion) continue;
      sum -= value_at(derivative(m.curvature, place), x) * property_at(EI, s) * q(i) / pow(L, 3);
      if (depends_on(bound, arc))
        sum -= value_at(m.curvature, x) * property_at(derivative(bound, arc), s) * q(i) / pow(L, 2);
    }
    return sum;
  };
  if (beam_.shear_y.is_zero()) f.shear_y = balance(BeamMotion::BendY, beam_.bending_y);
  if (beam_.shear_z.is_zero()) f.shear_z = balance(BeamMotion::BendZ, beam_.bending_z);
  f.torque *= property_at(beam_.torsion, s), f.tension *= property_at(beam_.tension, s);
  return f;
}

}  // namespace kane
