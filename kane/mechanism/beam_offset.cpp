// Sections whose mass centre is at a place e = (0, e2, e3) beside the axis: aerofoils, open profiles, cables on a boom. It is
// at r = (X, Y, Z) + R e, with R to second order in the angles p, t, r of the section about x, y, z (beam_field.cpp):
//
//     R e = ( t e3 - r e2 + p t e2 + p r e3,   e2 - p e3 - (p^2 + r^2) e2/2 + r t e3,   e3 + p e2 - (p^2 + t^2) e3/2 )
//
// Inertia is formed from r as products of such sums; what a beam without offsets has too is left out here. Bending and twist
// then share mass: an offset in the direction of the deflection couples both.

#include <algorithm>
#include <array>

#include "kane/base/at.hpp"
#include "kane/mechanism/beam_field.hpp"

namespace kane {
namespace {

/// A function of the place, times powers of the offsets and of the length, times amplitudes.
struct OffsetTerm {
  int y = 0, z = 0;                  ///< powers of e2, e3
  int length = 0;                    ///< power of L
  std::vector<double> f;             ///< at the nodes
  std::vector<std::size_t> modes{};  ///< amplitudes, ascending
};
using OffsetSum = std::vector<OffsetTerm>;
using OffsetVector = std::array<OffsetSum, 3>;

OffsetTerm product(const OffsetTerm& a, const OffsetTerm& b, double factor = 1) {
  OffsetTerm r{a.y + b.y, a.z + b.z, a.length + b.length, a.f, a.modes};
  for (std::size_t i = 0; i < r.f.size(); ++i) r.f[i] *= factor * b.f[i];
  r.modes.insert(r.modes.end(), b.modes.begin(), b.modes.end());
  std::sort(r.modes.begin(), r.modes.end());
  return r;
}

/// sign*a*b through the order given, as far as offsets take part.
void add_product(OffsetSum& sum, const OffsetSum& a, const OffsetSum& b, std::size_t order, double sign = 1) {
  for (const OffsetTerm& u : a)
    for (const OffsetTerm& v : b)
      if (u.modes.size() + v.modes.size() <= order && u.y + u.z + v.y + v.z > 0) sum.push_back(product(u, v, sign));
}

/// By the amplitude of a mode.
OffsetSum derivative_of(const OffsetSum& sum, std::size_t mode) {
  OffsetSum r;
  for (const OffsetTerm& term : sum) {
    const auto found = std::find(term.modes.begin(), term.modes.end(), mode);
    if (found == term.modes.end()) continue;
    OffsetTerm left = term;
    for (double& f : left.f) f *= static_cast<double>(std::count(term.modes.begin(), term.modes.end(), mode));
    left.modes.erase(left.modes.begin() + (found - term.modes.begin()));
    r.push_back(std::move(left));
  }
  return r;
}

/// Where the mass centre of a section is, through second order.
class OffsetPlaces {
 public:
  OffsetPlaces(const std::vector<double>& x) : nodes_(x.size()) { axis_[0].push_back({0, 0, 1, x, {}}); }

  void shift(std::size_t direction, std::size_t mode, const std::vector<double>& f) {
    axis_[direction].push_back({0, 0, 0, f, {mode}});
  }
  /// By an angle about axis k; `length`: the power of L it is multiplied by.
  void turn(std::size_t k, std::size_t mode, std::vector<double> f, double sign, int length) {
    for (double& v : f) v *= sign;
    angles_[k].push_back({0, 0, length, std::move(f), {mode}});
  }
  /// By an angle about x of second order.
  void twist_by_bending(std::size_t a, std::size_t b, std::vector<double> f) {
    for (double& v : f) v = -v;
    OffsetTerm term{0, 0, -2, std::move(f), {a, b}};
    std::sort(term.modes.begin(), term.modes.end());
    angles_[0].push_back(std::move(term));
  }
  void shorten(std::size_t a, std::size_t b, std::vector<double> f, double factor) {
    for (double& v : f) v *= factor;
    OffsetTerm term{0, 0, -1, std::move(f), {a, b}};
    std::sort(term.modes.begin(), term.modes.end());
    axis_[0].push_back(std::move(term));
  }

  [[nodiscard]] OffsetVector form() const {
    const auto& [p, t, r] = angles_;
    const std::vector<double> one(nodes_, 1.0);
    const OffsetSum e2{{1, 0, 0, one, {}}}, e3{{0, 1, 0, one, {}}};
    OffsetVector at = axis_;
    const auto add = [](OffsetSum& sum, const OffsetSum& e, double factor) {
      for (const OffsetTerm& term : e)
        sum.push_back(product(term, {0, 0, 0, std::vector<double>(term.f.size(), 1.0)}, factor));
    };
    const auto times = [](const OffsetSum& a, const OffsetSum& b) {
      OffsetSum sum;
      for (const OffsetTerm& u : a)
        for (const OffsetTerm& v : b) sum.push_back(product(u, v));
      return sum;
    };
    add(at[0], times(t, e3), 1), add(at[0], times(r, e2), -1);
    add(at[0], times(times(p, t), e2), 1), add(at[0], times(times(p, r), e3), 1);
    add(at[1], e2, 1), add(at[1], times(p, e3), -1), add(at[1], times(times(r, t), e3), 1);
    add(at[1], times(times(p, p), e2), -0.5), add(at[1], times(times(r, r), e2), -0.5);
    add(at[2], e3, 1), add(at[2], times(p, e2), 1);
    add(at[2], times(times(p, p), e3), -0.5), add(at[2], times(times(t, t), e3), -0.5);
    for (OffsetSum& sum : at) std::erase_if(sum, [](const OffsetTerm& term) { return term.modes.size() > 2; });
    return at;
  }

 private:
  std::size_t nodes_;
  OffsetVector axis_;
  std::array<OffsetSum, 3> angles_;
};

}  // namespace

void BeamField::add_offset(FlexibleSpec& spec) const {
  if (beam_.offset[0].is_zero() && beam_.offset[1].is_zero()) return;
  const std::size_t n = modes_.size();
  OffsetPlaces places(x_);
  for (std::size_t i = 0; i < n; ++i) {
    const Mode& m = modes_[i];
    switch (m.motion) {
      case BeamMotion::BendY: places.shift(1, i, m.f), places.turn(2, i, m.df, 1, -1); break;
      case BeamMotion::BendZ: places.shift(2, i, m.f), places.turn(1, i, m.df, -1, -1); break;
      case BeamMotion::ShearY: places.shift(1, i, m.f); break;
      case BeamMotion::ShearZ: places.shift(2, i, m.f); break;
      case BeamMotion::Twist: places.turn(0, i, m.f, 1, 0); break;
      default: places.shift(0, i, m.f);
    }
    for (std::size_t k = 0; k < n && !beam_.premature && m.motion == BeamMotion::BendY; ++k) {
      if (modes_[k].motion != BeamMotion::BendZ) continue;
      std::vector<double> turn = m.ddf;
      for (std::size_t j = 0; j < turn.size(); ++j) turn[j] *= modes_[k].df[j];
      places.twist_by_bending(i, k, running_integral(turn));
    }
    for (std::size_t k = i; k < n && !beam_.premature; ++k) {
      if (!shares_plane(i, k)) continue;
      std::vector<double> slopes = m.df;
      for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] *= modes_[k].df[j];
      places.shorten(i, k, running_integral(slopes), k == i ? -0.5 : -1);
    }
  }
  const OffsetVector place = places.form();

  // int of a sum over the mass, by the powers of the offsets.
  const Expr &mu = beam_.mass_per_length, &ey = beam_.offset[0], &ez = beam_.offset[1];
  std::array<std::array<Profile, 3>, 3> weights;
  for (int y = 0; y < 3; ++y)
    for (int z = 0; y + z < 3; ++z)
      if (y + z > 0) weights[kane::at(y)][kane::at(z)] = profile(graph_.bind(mu * pow(ey, y) * pow(ez, z)));
  const auto integrate = [&](const OffsetSum& sum) {
    Expr all;
    for (const OffsetTerm& term : sum) {
      if (term.y + term.z == 0) continue;
      const Profile& weight = weights[kane::at(term.y)][kane::at(term.z)];
      if (weight.size() == 1 && weight.front().is_zero()) continue;
      Expr one = pow(beam_.length, 1 + term.length) * integral(weight, term.f);
      for (const std::size_t i : term.modes) one *= q(i);
      all += one;
    }
    return all;
  };

  for (std::size_t k = 0; k < 3; ++k) spec.first_moment[k] += integrate(place[k]);
  Expr33 S;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = k; l < 3; ++l) {
      OffsetSum sum;
      add_product(sum, place[k], place[l], 2);
      S[k][l] = S[l][k] = integrate(sum);
    }
  }
  const Expr trace = S[0][0] + S[1][1] + S[2][2];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) spec.inertia[k][l] += (k == l ? trace : Expr()) - S[k][l];
  std::vector<OffsetVector> by_mode(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 3; ++k) by_mode[i][k] = derivative_of(place[k], i);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      OffsetSum sum;
      add_product(sum, place[a], by_mode[i][b], 1);
      add_product(sum, place[b], by_mode[i][a], 1, -1);
      spec.coupling[i][k] += integrate(sum);
    }
    for (std::size_t j = i; j < n; ++j) {
      OffsetSum sum;
      for (std::size_t k = 0; k < 3; ++k) add_product(sum, by_mode[i][k], by_mode[j][k], 0);
      const Expr m = spec.modal_mass(i, j) + integrate(sum);
      spec.modal_mass(i, j) = spec.modal_mass(j, i) = m;
    }
  }
}

}  // namespace kane
