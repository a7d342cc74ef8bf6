#include "kane/mechanism/part_field.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/number.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {

PartField::PartField(Graph& graph, const FlexibleBeam& flexible, std::string body)
    : graph_(graph), flexible_(flexible), body_(std::move(body)) {
  ensure(flexible_.part && flexible_.coordinates.size() == part().squared_frequency.size(),
         "the part '{}' has no coordinates for its modes", body_);
  for (const PartNode& n : part().nodes) size_ = std::max(size_, norm(n.at - part().nodes.front().at));
  const std::size_t n = flexible_.coordinates.size(), ratios = flexible_.damping.size();
  require_at(flexible_.where, ratios <= 1 || ratios == n,
             "the part '{}' has {} modes but {} damping ratios; give one for all, or one each", body_, n, ratios);
}

double PartField::near() const { return 1e-6 * (size_ > 0 ? size_ : 1); }

Expr PartField::number(double value) const { return value == 0 ? Expr() : graph_.number(rational_from_double(value)); }

Expr3 PartField::combine(const std::vector<Vec3>& by_mode) const {
  Expr3 sum;
  for (std::size_t i = 0; i < by_mode.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) sum[k] += number(by_mode[i][k]) * q(i);
  return sum;
}

// Entries that are nothing beside the others of their kind are rounding, and would only cost time.
FlexibleSpec PartField::inertia() const {
  constexpr double kNothing = 1e-12;
  const FlexiblePart& p = part();
  const std::size_t n = p.squared_frequency.size();
  const auto cut = [&](double value, double scale) {
    return std::abs(value) <= kNothing * scale ? Expr() : number(value);
  };
  const double m = p.mass, mL = p.mass * size_, mLL = mL * size_;
  FlexibleSpec spec;
  spec.coordinates = flexible_.coordinates;
  spec.mass = number(m);
  spec.modal_mass = ExprMatrix(n, n);
  for (std::size_t i = 0; i < n; ++i) spec.modal_mass(i, i) = number(m);
  for (std::size_t k = 0; k < 3; ++k) {
    spec.first_moment[k] = cut(p.first_moment[k], mL);
    for (std::size_t i = 0; i < n; ++i) spec.first_moment[k] += cut(p.momentum[i][k], m) * q(i);
  }
  for (std::size_t i = 0; i < n; ++i) {
    Expr3 h;
    for (std::size_t k = 0; k < 3; ++k) {
      h[k] = cut(p.spin[i][k], mL);
      for (std::size_t j = 0; j < n; ++j)
        if (i != j) h[k] += cut(p.spin_rate[j][i][k], m) * q(j);
    }
    spec.coupling.push_back(h);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = k; l < 3; ++l) {
      Expr sum = cut(p.inertia[k][l], mLL);
      for (std::size_t i = 0; i < n; ++i) {
        Expr row = cut(p.inertia_rate[i][k][l], mL);
        for (std::size_t j = i; j < n; ++j) {
          const double both = p.inertia_second[i][j][k][l] + (i == j ? 0 : p.inertia_second[j][i][k][l]);
          row += cut(both, m) * q(j);
        }
        sum += row * q(i);
      }
      spec.inertia[k][l] = spec.inertia[l][k] = sum;
    }
  }
  return spec;
}

Expr PartField::strain_energy() const {
  Expr sum;
  for (std::size_t i = 0; i < flexible_.coordinates.size(); ++i)
    sum += number(part().mass * part().squared_frequency[i]) * q(i) * q(i) / 2;
  return sum;
}

std::vector<Expr> PartField::damping_forces(const std::vector<Expr>& rates) const {
  const FlexiblePart& p = part();
  std::vector<Expr> forces(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double square = p.squared_frequency[i];
    Expr own = flexible_.viscosity * number(p.mass * square);
    if (!flexible_.damping.empty())
      own += 2 * flexible_.damping[flexible_.damping.size() == 1 ? 0 : i] * number(p.mass * std::sqrt(square));
    forces[i] = -own * rates[i];
    for (std::size_t j = 0; j < p.losses.size(); ++j) forces[i] -= number(p.losses[i][j]) * rates[j];
  }
  return forces;
}

PartField::Place PartField::place_of(const PartInterface& f) const {
  Place place;
  place.at = f.at;
  place.turns = f.turns;
  place.at_rest = f.name == part().root;
  place.name = f.name;
  place.position = combine(f.shift);
  for (std::size_t k = 0; k < 3; ++k) place.position[k] += number(f.at[k]);
  if (f.turns) place.angles = combine(f.turn);
  return place;
}

PartField::Place PartField::find_place(const Vec3& at, const std::string& what) const {
  const PartNode* nearest = nullptr;
  for (const PartInterface& f : part().interfaces)
    if (norm(f.at - at) <= near()) return place_of(f);
  for (const PartNode& n : part().nodes)
    if (nearest == nullptr || norm(n.at - at) < norm(nearest->at - at)) nearest = &n;
  require(
      nearest != nullptr && norm(nearest->at - at) <= near(),
      "{} is attached to the part '{}' at ({:.6g}, {:.6g}, {:.6g}), where it has neither an interface nor a node; the "
      "nearest is node {} at ({:.6g}, {:.6g}, {:.6g})",
      what, body_, at.x, at.y, at.z, nearest->number, nearest->at.x, nearest->at.y, nearest->at.z);
  Place place;
  place.at = nearest->at;
  place.name = std::to_string(nearest->number);
  place.position = combine(nearest->shift);
  place.at_rest = std::all_of(nearest->shift.begin(), nearest->shift.end(), [](const Vec3& s) { return s == Vec3{}; });
  for (std::size_t k = 0; k < 3; ++k) place.position[k] += number(nearest->at[k]);
  return place;
}

bool PartField::moves(const Vec3& at) const {
  const auto some = [](const std::vector<Vec3>& all) {
    return std::any_of(all.begin(), all.end(), [](const Vec3& s) { return !(s == Vec3{}); });
  };
  for (const PartInterface& f : part().interfaces)
    if (norm(f.at - at) <= near()) return some(f.shift) || some(f.turn);
  for (const PartNode& n : part().nodes)
    if (norm(n.at - at) <= near()) return some(n.shift);
  return part().root.empty();
}

}  // namespace kane
