#include "kane/simulate/system/contact_kernels.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "kane/base/at.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

/// Positions of the speeds that expressions are written with, ascending.
class SpeedFinder {
 public:
  explicit SpeedFinder(const EquationsOfMotion& e) {
    for (std::size_t i = 0; i < e.u.size(); ++i) numbers_.emplace(e.u[i].name(), static_cast<std::uint32_t>(i));
  }
  [[nodiscard]] std::vector<std::uint32_t> find(std::span<const Expr> expressions) const {
    std::vector<std::uint32_t> found;
    for (const Expr& s : symbols_of(expressions))
      if (const auto u = numbers_.find(s.name()); u != numbers_.end()) found.push_back(u->second);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

Kernel make_bodies(KernelWorkshop& shop, std::vector<std::vector<std::uint32_t>>& body_speeds) {
  const EquationsOfMotion& e = shop.equations();
  const SpeedFinder speeds(e);
  Substitution at_rest, no_udot;
  for (const Expr& u : e.u) at_rest.set(u, 0);
  for (const Expr& udot : e.udot) no_udot.set(udot, 0);
  std::vector<Expr> out;
  for (const ContactBodyEquation& b : e.contact_bodies) {
    const auto add = [&](const Expr3& v) { out.insert(out.end(), v.begin(), v.end()); };
    std::vector<Expr> moves(b.velocity.begin(), b.velocity.end());
    moves.insert(moves.end(), b.angular_velocity.begin(), b.angular_velocity.end());
    std::vector<Expr> fixed(b.acceleration.begin(), b.acceleration.end());
    fixed.insert(fixed.end(), b.angular_acceleration.begin(), b.angular_acceleration.end());
    const std::vector<std::uint32_t> own = speeds.find(moves);
    add(b.position);
    for (const auto& row : b.rotation) out.insert(out.end(), row.begin(), row.end());
    out.insert(out.end(), moves.begin(), moves.end());
    for (const Expr& v : substitute(moves, at_rest)) out.push_back(v);
    for (const Expr& a : substitute(fixed, no_udot)) out.push_back(a);
    for (const Expr& v : moves)
      for (const std::uint32_t j : own) out.push_back(derivative(v, e.u[j]));
    body_speeds.push_back(own);
  }
  return shop.compile_of_state("contact bodies", out);
}

/// Pairs of one rule have the same expressions, which are one law.
Kernel make_pair_laws(KernelWorkshop& shop, std::vector<std::uint32_t>& law_of_pair) {
  std::vector<Expr> out;
  std::vector<std::array<Expr, 13>> laws;
  for (const auto& p : shop.equations().contact_pairs) {
    const std::array<Expr, 13> own{p.restitution, p.kinetic,     p.stiction, p.rolling,  p.spinning,
                                   p.stiffness,   p.dissipation, p.damping,  p.adhesion, p.ratio,
                                   p.grain[0],    p.grain[1],    p.grain[2]};
    // Most likely the one of the pair before.
    auto law = std::find(laws.rbegin(), laws.rend(), own);
    if (law == laws.rend()) {
      laws.push_back(own);
      out.insert(out.end(), own.begin(), own.end());
      law = laws.rbegin();
    }
    law_of_pair.push_back(static_cast<std::uint32_t>(laws.rend() - law - 1));
  }
  return shop.compile_of_state("contact pairs", out);
}

Kernel make_shapes(KernelWorkshop& shop) {
  std::vector<Expr> out;
  for (const auto& s : shop.equations().contact_shapes) {
    out.insert(out.end(), s.solid.place.position.begin(), s.solid.place.position.end());
    for (const auto& row : s.solid.place.rotation) out.insert(out.end(), row.begin(), row.end());
    out.insert(out.end(), s.solid.sizes.begin(), s.solid.sizes.end());
  }
  return shop.compile_of_state("contact shapes", out);
}

Kernel make_coordinate_rates(KernelWorkshop& shop, std::vector<ContactKernels::Place>& places) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> out;
  const SpeedFinder speeds(e);
  for (std::size_t i = 0; i < e.qdot.size() && !e.contact_pairs.empty(); ++i)
    for (const std::uint32_t j : speeds.find(std::span(&e.qdot[i], 1))) {
      const Expr rate = derivative(e.qdot[i], e.u[j]);
      if (rate.is_zero()) continue;
      out.push_back(rate);
      places.push_back({static_cast<std::uint32_t>(i), j});
    }
  return shop.compile_of_state("rates of coordinates", out);
}

Kernel make_values(KernelWorkshop& shop) {
  std::vector<Expr> values;
  for (const auto& c : shop.equations().contacts) {
    values.push_back(c.restitution);
    values.push_back(c.force.value_or(Expr()));
  }
  for (const auto& f : shop.equations().frictions) values.push_back(f.kinetic), values.push_back(f.stiction);
  for (const auto& c : shop.equations().contacts) values.push_back(c.adhesion);
  return shop.compile_of_state("contacts and frictions", values);
}

Kernel make_guards(KernelWorkshop& shop) {
  std::vector<Expr> guards;
  for (const auto& s : shop.equations().switches) guards.push_back(s.guard);
  return shop.compile("guards", guards);
}

Kernel make_resets(KernelWorkshop& shop) {
  std::vector<Expr> values;
  for (const auto& s : shop.equations().switches)
    for (const auto& reset : s.resets) values.push_back(reset.value);
  return shop.compile_of_state("resets", values);
}

}  // namespace

SwitchKernels make_switch_kernels(KernelWorkshop& shop) {
  return {make_values(shop), make_guards(shop), make_resets(shop)};
}

Kernel make_contact_places(KernelWorkshop& shop) {
  std::vector<Expr> out;
  const auto add = [&](const Expr3& v) { out.insert(out.end(), v.begin(), v.end()); };
  for (const ContactEquation& c : shop.equations().contacts) {
    out.push_back(*shop.equations().constraints[at(c.normal)].phi);
    if (!c.place) continue;
    add(c.place->point), add(c.place->normal);
    for (const Expr3& across : c.place->across) add(across);
  }
  return shop.compile_of_state("contact places", out);
}

ContactKernels make_contact_kernels(KernelWorkshop& shop) {
  std::vector<std::vector<std::uint32_t>> body_speeds;
  std::vector<std::uint32_t> law_of_pair;
  std::vector<ContactKernels::Place> places;
  Kernel bodies = make_bodies(shop, body_speeds);
  Kernel laws = make_pair_laws(shop, law_of_pair);
  Kernel shapes = make_shapes(shop);
  Kernel rates = make_coordinate_rates(shop, places);
  return {std::move(bodies), std::move(body_speeds), std::move(laws),  std::move(law_of_pair),
          std::move(shapes), std::move(rates),       std::move(places)};
}

}  // namespace kane
