#include "kane/mechanics/kane.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/derivation_parts.hpp"
#include "kane/mechanics/embedding.hpp"
#include "kane/mechanics/flexible.hpp"
#include "kane/mechanics/load_inertia.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {

// ---- the parts ----------------------------------------------------------------------------------------------------------

KaneDerivation::Parts::Parts(const System& s, const DeriveOptions& o)
    : system(s),
      options(o),
      bases(s),
      kinematical(form_kinematical_equations(s)),
      felt(s, bases, kinematical.model, kinematical.time_rates, -total_uniform_gravity(s)) {
  for (std::size_t i = 0; i < s.frames().size(); ++i) {
    if (!s.frames()[FrameId(i)].hidden) s.frames().check_related(FrameId(i), s.inertial());
  }
  if (options.dynamics) (void)elements();
  loads = form_loads(s, load_rates());
  const std::vector<AppliedLoad> attractions = form_attractions(s);
  loads.insert(loads.end(), attractions.begin(), attractions.end());
  weights = form_weights(s);
  rate_forces = form_potential_forces(s, kinematical.model);
  add_coordinate_forces(s, kinematical, rate_forces);
  describe_symbols();
  check_inertias();
  if (options.dynamics) form_dynamical_equations();
  form_constraints();
  form_outputs();
  find_auxiliary_forces();
  find_reactions();
}

const std::vector<InertiaElement>& KaneDerivation::Parts::elements() {
  if (!elements_) elements_ = form_inertia_elements(felt);
  return *elements_;
}

Kinematics& KaneDerivation::Parts::plain() {
  if (!plain_) plain_ = std::make_unique<Kinematics>(system, bases, kinematical.model, kinematical.time_rates);
  return *plain_;
}

Kinematics& KaneDerivation::Parts::complete() {
  if (!complete_) {
    complete_ = std::make_unique<Kinematics>(system, bases, with_accelerations(kinematical.model, system),
                                             kinematical.time_rates);
  }
  return *complete_;
}

std::vector<bool> KaneDerivation::Parts::speed_columns() const {
  std::vector<bool> wanted(at(kinematical.model.column_count), false);
  std::fill_n(wanted.begin(), kinematical.model.speed_count, true);
  return wanted;
}

std::vector<bool> KaneDerivation::Parts::auxiliary_columns() const {
  std::vector<bool> wanted = speed_columns();
  wanted.flip();
  return wanted;
}

std::vector<AppliedLoad> KaneDerivation::Parts::all_loads() const {
  std::vector<AppliedLoad> r = weights;
  r.insert(r.end(), loads.begin(), loads.end());
  return r;
}

Substitution KaneDerivation::Parts::load_rates() const {
  Substitution map = kinematical.rates_to_speeds;
  if (!has_accelerating_loads(system)) return map;
  const RateModel model = with_accelerations(kinematical.model, system);
  for (std::size_t k = 0; k < model.symbols.size(); ++k)
    map.set(system.graph().symbol(model.symbols[k].name() + "'"), model.second[k]);
  return map;
}

void KaneDerivation::Parts::describe_symbols() {
  EquationsOfMotion& e = equations;
  e.graph = system.shared_graph();
  e.name = system.name();
  e.formulation = "projection";
  e.t = system.time();
  e.parameters = system.parameters();
  e.inputs = system.inputs();
  e.q = system.coordinates();
  for (const SpeedRecord& u : system.speeds()) {
    e.u.push_back(u.symbol);
    e.udot.push_back(u.derivative);
  }
  e.qdot = kinematical.qdot;
  e.quaternions = system.quaternions();
  add_states(system, kinematical.rates_to_speeds, e);
  e.warnings = kinematical.warnings;
  for (const Expr& u : system.dependent_speeds()) {
    e.dependent_speeds.push_back(static_cast<int>(std::find(e.u.begin(), e.u.end(), u) - e.u.begin()));
  }
}

namespace {

std::vector<int> count_up(int n) {
  std::vector<int> r;
  for (int i = 0; i < n; ++i) r.push_back(i);
  return r;
}

}  // namespace

void KaneDerivation::Parts::form_dynamical_equations() {
  EquationsOfMotion& e = equations;
  const std::vector<InertiaElement> lumped = form_lumped_elements(felt);
  e.M = form_mass_matrix(felt, lumped, count_up(e.speed_count()));
  e.rhs = form_right_hand_side(felt, lumped, loads, rate_forces, speed_columns());
  e.rhs.resize(e.u.size());
  move_load_inertia(e.udot, e.M, e.rhs);
  e.active = form_active_forces(felt, all_loads(), rate_forces, speed_columns());
  e.active.resize(e.u.size());
  e.accelerating = has_accelerating_loads(system);
  e.symmetric = !e.accelerating || is_symmetric(e.M);
  if (system.constraints().empty()) check_mass_matrix(e.M, count_up(e.speed_count()), system.name());
  if (!options.solve) return;
  // Modes couple by terms that vanish with the deflection: such a pivot would be zero for a straight beam.
  const bool flexible = !system.flexible_bodies().empty() && e.symmetric;
  const auto pivots = flexible ? LinearSolver::Pivots::Diagonal : LinearSolver::Pivots::Anywhere;
  e.udot_explicit = LinearSolver(e.M, pivots).solve(e.rhs);
}

void KaneDerivation::Parts::check_mass_matrix(const ExprMatrix& M, const std::vector<int>& columns,
                                              const std::string& what) {
  const RankReport rank = find_rank(M);
  if (rank.rank() == M.rows) return;
  const auto name = [&](int r) { return equations.u[at(columns[at(r)])].name(); };
  const std::vector<int>& which = rank.dependencies.front();
  if (which.size() == 1) {
    throw ModelError(
        Subject{Subject::Kind::Speed, name(which[0])},
        fmt::format(
            "nothing that has mass moves with speed {} of {}; give a mass or an inertia to a body that it moves",
            name(which[0]), what));
  }
  std::string names;
  for (std::size_t i = 0; i < which.size(); ++i) names += (i == 0 ? "" : ", ") + name(which[i]);
  throw ModelError(
      Subject{Subject::Kind::Speed, name(which[0])},
      fmt::format("the mass matrix of {} is singular: no mass distinguishes the speeds {}; give a mass or an "
                  "inertia to a body that they move",
                  what, names));
}

// ---- constraints --------------------------------------------------------------------------------------------------------

void KaneDerivation::Parts::form_constraints() {
  EquationsOfMotion& e = equations;
  if (system.constraints().empty()) return;
  rows = form_constraint_rows(plain(), kinematical);
  check_constraint_rank(system, rows, e.warnings);
  for (const ConstraintRow& row : rows) e.constraints.push_back(row.equation);
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const ConstraintRow& r) { return r.equation.active && !r.equation.redundant; });
  if (!any || options.embedding == EmbeddingMethod::None) return;

  SymbolicEmbedding embedding = form_embedding(system, bases, kinematical, rows, e.warnings);
  EmbeddedEquations& m = embedding.equations;
  if (options.embedding == EmbeddingMethod::Recombination) {
    recombine(e.M, e.rhs, m);
  } else {
    Kinematics constrained(system, bases, embedding.model, kinematical.time_rates, -total_uniform_gravity(system));
    const std::vector<InertiaElement> all = form_lumped_elements(constrained);
    m.M = form_mass_matrix(constrained, all, m.independent);
    std::vector<bool> wanted(at(kinematical.model.column_count), false);
    for (const int c : m.independent) wanted[at(c)] = true;
    const std::vector<Expr> f = form_right_hand_side(constrained, all, loads, rate_forces, wanted);
    for (const int c : m.independent) m.rhs.push_back(f[at(c)]);
    move_load_inertia(e.udot, m);
  }
  check_mass_matrix(m.M, m.independent, system.name() + " with its constraints");

  // M u' = rhs + A^T lambda: the dependent rows give lambda.
  const int k = static_cast<int>(m.rows.size());
  ExprMatrix At(k, k);
  std::vector<Expr> right;
  for (int i = 0; i < k; ++i) {
    const int r = m.dependent[at(i)];
    for (int j = 0; j < k; ++j) {
      At(i, j) = rows[at(m.rows[at(j)])].equation.a[at(r)];
    }
    Expr sum = -e.rhs[at(r)];
    for (int c = 0; c < e.speed_count(); ++c) sum += e.M(r, c) * e.udot[at(c)];
    right.push_back(sum);
  }
  m.multipliers = LinearSolver(At).solve(right);
  e.embedded = std::move(m);
}

// ---- the derivation -----------------------------------------------------------------------------------------------------

KaneDerivation::KaneDerivation(const System& system, const DeriveOptions& options)
    : parts_(std::make_unique<Parts>(system, options)) {
  if (!options.outputs) return;
  EquationsOfMotion& e = parts_->equations;
  e.kinetic = kinetic_energy();
  e.potential = potential_energy();
  e.linear_momentum = linear_momentum();
  e.angular_momentum = angular_momentum();
}
KaneDerivation::~KaneDerivation() = default;
KaneDerivation::KaneDerivation(KaneDerivation&&) noexcept = default;

const System& KaneDerivation::system() const { return parts_->system; }
const EquationsOfMotion& KaneDerivation::equations() const { return parts_->equations; }
EquationsOfMotion KaneDerivation::take_equations() { return std::move(parts_->equations); }
const Kinematical& KaneDerivation::kinematical() const { return parts_->kinematical; }

Vector KaneDerivation::velocity(PointId p) {
  const VelocityForm& v = parts_->felt.point(p);
  return {v.basis, v.value};
}
Vector KaneDerivation::angular_velocity(FrameId f) { return {f, parts_->felt.frame(f).value}; }
Vector KaneDerivation::partial_velocity(PointId p, int speed) {
  const VelocityForm& v = parts_->felt.point(p);
  return {v.basis, v.partial(speed)};
}
Vector KaneDerivation::partial_angular_velocity(FrameId f, int speed) {
  return {f, parts_->felt.frame(f).partial(speed)};
}
Vector KaneDerivation::acceleration(PointId p) {
  const VelocityForm& v = parts_->complete().point(p);
  return {v.basis, v.acceleration};
}
Vector KaneDerivation::angular_acceleration(FrameId f) { return {f, parts_->complete().frame(f).acceleration}; }

std::vector<PartialVelocityRow> KaneDerivation::partial_velocity_table() {
  const System& s = parts_->system;
  const int n = parts_->equations.speed_count();
  std::vector<PartialVelocityRow> table;
  const auto add_row = [&](std::string name, bool angular, const VelocityForm& v) {
    for (const PartialVelocityRow& row : table) {
      if (row.angular == angular && row.name == name) return;
    }
    PartialVelocityRow row{std::move(name), angular, {}, Vector(v.basis, v.remainder)};
    for (int r = 0; r < n; ++r) row.partials.emplace_back(v.basis, v.partial(r));
    table.push_back(std::move(row));
  };
  for (const BodyRecord& b : s.bodies()) {
    if (!b.is_particle()) add_row(s.frames().name(b.frame), true, parts_->felt.frame(b.frame));
    add_row(s.point(b.mass_centre).name, false, parts_->felt.point(b.mass_centre));
  }
  for (const AppliedLoad& load : parts_->loads) {
    if (load.kind == LoadKind::Force)
      add_row(s.point(load.point).name, false, parts_->felt.point(load.point));
    else if (load.frame != s.inertial())
      add_row(s.frames().name(load.frame), true, parts_->felt.frame(load.frame));
  }
  return table;
}

// ---- generalized forces -------------------------------------------------------------------------------------------------

std::vector<Expr> KaneDerivation::active_forces() {
  std::vector<Expr> f =
      form_active_forces(parts_->felt, parts_->all_loads(), parts_->rate_forces, parts_->speed_columns());
  f.resize(parts_->equations.u.size());
  return f;
}

std::vector<Expr> KaneDerivation::applied_forces() {
  std::vector<Expr> f = form_active_forces(parts_->felt, parts_->loads, parts_->rate_forces, parts_->speed_columns());
  f.resize(parts_->equations.u.size());
  return f;
}

std::vector<std::string> KaneDerivation::load_names() {
  std::vector<std::string> names;
  for (const AppliedLoad& load : parts_->all_loads()) {
    if (std::find(names.begin(), names.end(), load.name) == names.end()) names.push_back(load.name);
  }
  return names;
}

std::vector<Expr> KaneDerivation::active_forces(const std::string& name) {
  std::vector<AppliedLoad> chosen;
  for (const AppliedLoad& load : parts_->all_loads()) {
    if (load.name == name) chosen.push_back(load);
  }
  std::vector<Expr> f = form_active_forces(parts_->felt, chosen, {}, parts_->speed_columns());
  f.resize(parts_->equations.u.size());
  return f;
}

void KaneDerivation::Parts::add_inertia_forces(Projection& projection, std::optional<BodyId> only) {
  Kinematics& k = complete();
  for (const InertiaElement& e : elements()) {
    if (only && e.body != *only) continue;
    if (e.translates) projection.add_force(e.point, scale(-e.mass, k.point(e.point).acceleration));
    if (!e.rotates) continue;
    const VelocityForm& w = k.frame(e.frame, e.basis);
    const Expr3 torque = add(multiply(e.inertia, w.acceleration), gyroscopic(e.inertia, w.value));
    projection.add_torque(e.frame, Vector(e.basis, negate(torque)));
  }
  for (const DeformingInertia& e : form_deforming_inertias(system))
    if (!only || e.body == *only) kane::add_inertia_forces(projection, k, e);
}

std::vector<Expr> KaneDerivation::inertia_forces() {
  Projection projection(parts_->complete());
  parts_->add_inertia_forces(projection, std::nullopt);
  std::vector<Expr> f = projection.project(parts_->speed_columns());
  f.resize(parts_->equations.u.size());
  return f;
}

std::vector<Expr> KaneDerivation::inertia_forces(BodyId body) {
  Projection projection(parts_->complete());
  parts_->add_inertia_forces(projection, body);
  std::vector<Expr> f = projection.project(parts_->speed_columns());
  f.resize(parts_->equations.u.size());
  return f;
}

EquationsOfMotion form_equations(const System& system, const DeriveOptions& options) {
  return KaneDerivation(system, options).take_equations();
}

}  // namespace kane
