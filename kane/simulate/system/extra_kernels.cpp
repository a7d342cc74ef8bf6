#include "kane/simulate/system/extra_kernels.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/contact_kernels.hpp"
#include "kane/simulate/system/kernel_maker.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

namespace {

/// Nodes times directions beyond which derivatives are not formed: differences are then cheaper than the derivation.
constexpr std::size_t kMostDerivativeWork = 4'000'000;

std::size_t count_nodes(std::span<const Expr> expressions) { return topological_order(expressions).size(); }

bool depends_on_any(const std::vector<Expr>& expressions, const std::vector<Expr>& symbols) {
  const auto used = symbols_of(expressions);
  return std::any_of(used.begin(), used.end(),
                     [&](const Expr& s) { return std::find(symbols.begin(), symbols.end(), s) != symbols.end(); });
}

std::vector<Expr> state_symbols(const EquationsOfMotion& e) {
  std::vector<Expr> y = e.q;
  y.insert(y.end(), e.u.begin(), e.u.end());
  return y;
}

/// M udot - rhs + A^T (-lambda) and A udot - gamma with the signs of LinearizationKernel.
std::vector<Expr> implicit_rows(const EquationsOfMotion& e) {
  std::vector<Expr> rows = e.qdot;
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    // The recursion of inverse dynamics has shorter derivatives than the entries of M.
    const bool recursive = !e.inverse.empty();
    Expr r = recursive ? -e.inverse[i] : e.rhs[i];
    for (std::size_t j = 0; j < e.u.size() && !recursive; ++j)
      r -= e.M(static_cast<int>(i), static_cast<int>(j)) * e.udot[j];
    for (const auto& c : e.constraints) r += c.a[i] * c.multiplier;
    rows.push_back(r);
  }
  for (const auto& c : e.constraints) {
    Expr r = c.gamma;
    for (std::size_t j = 0; j < c.a.size(); ++j) r -= c.a[j] * e.udot[j];
    rows.push_back(r);
  }
  return rows;
}

std::optional<ConfigurationKernel> make_configuration(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> phi;
  for (const auto& c : e.constraints)
    if (c.phi) phi.push_back(*c.phi);
  if (phi.empty()) return std::nullopt;
  phi = shop.with_laws(phi);
  const Jacobian j = jacobian(phi, e.q);
  KernelMaker maker(shop.setting());
  std::vector<std::vector<int>> places(phi.size());
  for (std::size_t i = 0; i < phi.size(); ++i) {
    maker.add(phi[i]);
    for (std::size_t k = 0; k < e.q.size(); ++k) {
      const Expr& entry = j.at(static_cast<int>(i), static_cast<int>(k));
      if (!entry.is_zero()) places[i].push_back(static_cast<int>(k));
      if (!entry.is_zero() || !shop.system().equations().switched()) maker.add(entry);  // as in CompiledSystem
    }
  }
  bool uses_time = false;
  return ConfigurationKernel{maker.make("configuration", uses_time), std::move(places)};
}

std::optional<LinearizationKernel> make_linearization(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  const std::vector<Expr> y = state_symbols(e);
  const auto too_long = [&](const std::vector<Expr>& rows) {
    return count_nodes(rows) * y.size() > kMostDerivativeWork;
  };
  // Accelerations that were solved for in symbols are differentiated as they are: nothing is left to solve.
  if (e.has_given_forces()) return std::nullopt;  // differences: the forces change, too
  bool implicit = e.udot_explicit.empty() || !e.constraints.empty();
  std::vector<Expr> rows = e.qdot;
  rows.insert(rows.end(), e.udot_explicit.begin(), e.udot_explicit.end());
  rows = shop.with_laws(rows);
  implicit = implicit || too_long(rows);
  if (implicit) {
    if (!shop.system().has_mass()) return std::nullopt;
    rows = shop.with_laws(implicit_rows(e));
    if (too_long(rows)) return std::nullopt;
  }
  const Jacobian j = jacobian(rows, y);
  KernelMaker maker(shop.setting());
  maker.add_accelerations(), maker.add_multipliers();
  std::vector<LinearizationKernel::Place> places;
  for (const auto& entry : j.entries) {
    maker.add(entry.value);
    places.push_back({entry.row, entry.column});
  }
  bool uses_time = false;
  return LinearizationKernel{maker.make("linearization", uses_time), std::move(places), implicit};
}

std::optional<EnergyKernel> make_energy(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  const Expr potential = e.potential.value_or(Expr());
  const std::vector<Expr> energies = shop.with_laws(std::vector<Expr>{e.kinetic, potential});
  const std::vector<Expr> qdot = shop.with_laws(e.qdot);
  const bool implicit = e.M.rows > 0;
  std::vector<Expr> balance;  // M udot - rhs
  for (std::size_t i = 0; i < e.u.size() && (implicit || !e.inverse.empty()); ++i) {
    Expr r = implicit ? -e.rhs[i] : e.inverse[i];
    for (std::size_t j = 0; j < e.u.size() && implicit; ++j)
      r += e.M(static_cast<int>(i), static_cast<int>(j)) * e.udot[j];
    balance.push_back(r);
  }
  balance = shop.with_laws(balance);

  Expr power, total;
  // The power of loads proportional to accelerations is not a function of the state: then R is not known.
  const bool has_power =
      !balance.empty() && !e.accelerating && count_nodes(energies) + count_nodes(balance) < kMostDerivativeWork / 10;
  if (has_power) {
    // udot cancels, since T is quadratic in u with the matrix M, so it is zero from the start. It must not be put in and
    // taken out again: the sum with it equals the one without, and equal expressions are one node, which may well keep
    // the form that has udot.
    Substitution rates, at_rest;
    for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], qdot[i]);
    for (std::size_t i = 0; i < e.u.size(); ++i) rates.set(e.u[i], Expr()), at_rest.set(e.udot[i], Expr());
    rates.set(e.t, Expr(1));
    power = time_derivative(energies[0] + energies[1], rates);
    const std::vector<Expr> resting = substitute(balance, at_rest);  // all at once: they share most of their nodes
    for (std::size_t i = 0; i < e.u.size(); ++i) {
      power -= e.u[i] * resting[i];
      total -= e.u[i] * resting[i];
    }
  }
  const bool powerless = has_power && power.is_zero();
  KernelMaker maker(shop.setting());
  maker.add(energies[0]), maker.add(energies[1]), maker.add(power), maker.add(total);
  bool uses_time = false;
  return EnergyKernel{maker.make("energy", uses_time), e.potential.has_value(), has_power, powerless};
}

std::optional<CanonicalKernels> make_canonical(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  if (e.M.rows == 0 || !e.symmetric || e.has_given_forces() || e.q.size() != e.u.size() ||
      !std::equal(e.qdot.begin(), e.qdot.end(), e.u.begin()))
    return std::nullopt;
  const std::vector<Expr> m = shop.with_laws(e.M.entries), rhs = shop.with_laws(e.rhs);
  std::vector<Expr> others = e.u;
  others.push_back(e.t);
  if (depends_on_any(m, others)) return std::nullopt;
  Substitution rates;
  for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], e.u[i]);
  Tangent along(rates);
  const std::size_t n = e.u.size();
  KernelMaker mass(shop.setting()), force(shop.setting());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) mass.add(m[i * n + j]);
  for (std::size_t i = 0; i < n; ++i) {
    Expr p = rhs[i];
    for (std::size_t j = 0; j < n; ++j) p += along(m[i * n + j]) * e.u[j];
    force.add(p);
  }
  bool uses_time = false;
  return CanonicalKernels{mass.make("canonical_mass", uses_time), force.make("canonical_force", uses_time)};
}

std::optional<Kernel> make_laws(KernelWorkshop& shop) {
  if (shop.system().inputs().empty()) return std::nullopt;
  KernelMaker maker(shop.setting());
  maker.add_all(shop.driven_laws());
  bool uses_time = false;
  return maker.make("laws", uses_time);
}

std::optional<Kernel> make_rates(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  if (e.q.size() != e.u.size() || !e.quaternions.empty()) return std::nullopt;
  const std::vector<Expr> qdot = shop.with_laws(e.qdot);
  if (!depends_on_any(qdot, e.q)) return std::nullopt;
  const Jacobian j = jacobian(qdot, e.u);
  KernelMaker maker(shop.setting());
  for (std::size_t i = 0; i < e.q.size(); ++i)
    for (std::size_t k = 0; k < e.u.size(); ++k) maker.add(j.at(static_cast<int>(i), static_cast<int>(k)));
  bool uses_time = false;
  return maker.make("rates", uses_time);
}

std::optional<Kernel> make_active(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  if (e.active.size() != e.u.size()) return std::nullopt;
  return shop.compile("active", e.active);
}

std::optional<Kernel> make_handles(KernelWorkshop& shop) {
  std::vector<Expr> values;
  for (const auto& h : shop.equations().handles) values.push_back(h.stiffness), values.push_back(h.damping);
  return shop.compile_of_state("handles", values);
}

std::optional<bool> calc_separable(KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  const std::vector<Expr> qdot = shop.with_laws(e.qdot);
  if (depends_on_any(qdot, e.q)) return false;
  if (!e.udot_explicit.empty()) return !depends_on_any(shop.with_laws(e.udot_explicit), e.u);
  if (e.M.rows == 0 || e.has_given_forces()) return false;
  return !depends_on_any(shop.with_laws(e.M.entries), e.u) && !depends_on_any(shop.with_laws(e.rhs), e.u);
}

}  // namespace

template <class T, class Make>
const T* ExtraKernels::get(const Lazy<T>& lazy, Make make) const {
  std::call_once(lazy.once, [&] {
    // One for each: in a common one, a kernel would depend on which others were made before.
    KernelWorkshop shop(system_);
    lazy.value = make(shop);
  });
  return lazy.value ? &*lazy.value : nullptr;
}

const ConfigurationKernel* ExtraKernels::configuration() const {
  const auto& constraints = system_.equations().constraints;
  if (std::none_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.phi.has_value(); }))
    return nullptr;
  return get(configuration_, make_configuration);
}
const LinearizationKernel* ExtraKernels::linearization() const { return get(linearization_, make_linearization); }
const EnergyKernel* ExtraKernels::energy() const { return get(energy_, make_energy); }
const CanonicalKernels* ExtraKernels::canonical() const { return get(canonical_, make_canonical); }
const Kernel* ExtraKernels::laws() const { return get(laws_, make_laws); }
const Kernel* ExtraKernels::rates() const { return get(rates_, make_rates); }
const Kernel* ExtraKernels::active() const { return get(active_, make_active); }
const SwitchKernels& ExtraKernels::switching() const {
  return *get(switching_, [](KernelWorkshop& shop) { return std::optional(make_switch_kernels(shop)); });
}
const Kernel& ExtraKernels::contact_places() const {
  return *get(contact_places_, [](KernelWorkshop& shop) { return std::optional(make_contact_places(shop)); });
}
const ContactKernels& ExtraKernels::contacts() const {
  return *get(contacts_, [](KernelWorkshop& shop) { return std::optional(make_contact_kernels(shop)); });
}
const Kernel& ExtraKernels::handles() const { return *get(handles_, make_handles); }
bool ExtraKernels::separable() const { return *get(separable_, calc_separable); }

}  // namespace kane
