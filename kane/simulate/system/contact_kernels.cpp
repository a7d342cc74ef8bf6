#include "kane/simulate/system/contact_kernels.hpp"

#include "kane/expr/derivative.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

/// A vector with u = 0, and its derivative by each speed.
void split(const Expr3& v, const EquationsOfMotion& e, const Substitution& at_rest, std::vector<Expr>& rest,
           std::vector<Expr>& partials) {
  for (const Expr& c : v) {
    rest.push_back(substitute(c, at_rest));
    for (const Expr& u : e.u) partials.push_back(derivative(c, u));
  }
}

Kernel make_bodies(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  Substitution at_rest, no_udot;
  for (const Expr& u : e.u) at_rest.set(u, 0);
  for (const Expr& udot : e.udot) no_udot.set(udot, 0);
  std::vector<Expr> out;
  for (const ContactBodyEquation& b : e.contact_bodies) {
    const auto add = [&](const Expr3& v) { out.insert(out.end(), v.begin(), v.end()); };
    std::vector<Expr> rest, partials;
    split(b.velocity, e, at_rest, rest, partials);
    split(b.angular_velocity, e, at_rest, rest, partials);
    add(b.position);
    for (const auto& row : b.rotation) out.insert(out.end(), row.begin(), row.end());
    add(b.velocity), add(b.angular_velocity);
    out.insert(out.end(), rest.begin(), rest.end());
    for (const Expr& a : b.acceleration) out.push_back(substitute(a, no_udot));
    for (const Expr& a : b.angular_acceleration) out.push_back(substitute(a, no_udot));
    out.insert(out.end(), partials.begin(), partials.end());
  }
  return shop.compile_of_state("contact bodies", out);
}

Kernel make_pairs(KernelWorkshop& shop) {
  std::vector<Expr> out;
  for (const auto& p : shop.equations().contact_pairs)
    for (const Expr& v : {p.restitution, p.kinetic, p.stiction, p.rolling, p.spinning, p.stiffness, p.dissipation})
      out.push_back(v);
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

Kernel make_coordinate_rates(KernelWorkshop& shop) {
  std::vector<Expr> out;
  if (!shop.equations().contact_pairs.empty())
    for (const Expr& q : shop.equations().qdot)
      for (const Expr& u : shop.equations().u) out.push_back(derivative(q, u));
  return shop.compile_of_state("rates of coordinates", out);
}

Kernel make_values(KernelWorkshop& shop) {
  std::vector<Expr> values;
  for (const auto& c : shop.equations().contacts) {
    values.push_back(c.restitution);
    values.push_back(c.force.value_or(Expr()));
  }
  for (const auto& f : shop.equations().frictions) values.push_back(f.kinetic), values.push_back(f.stiction);
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

ContactKernels make_contact_kernels(KernelWorkshop& shop) {
  return {make_bodies(shop), make_pairs(shop), make_shapes(shop), make_coordinate_rates(shop)};
}

}  // namespace kane
