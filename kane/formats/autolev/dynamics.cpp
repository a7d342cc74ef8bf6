// Generalized forces, constraints, and the equations of motion.
//
//   F_r  = sum over forces of v_r . F      + sum over torques of w_r . T
//   F*_r = sum over bodies of -v_r . m a   - w_r . (I . alpha + w x I . w)
//
// v_r and w_r are coefficients of the motion variables in velocities that have been made explicit: with dependent speeds
// put in, they are the constrained ("nonholonomic") partial velocities by themselves. Auxiliary speeds stay in
// velocities until the partial velocities have been read off, and take their values (zero, mostly) everywhere else.

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/contains.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/formats/autolev/session.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane::autolev {

namespace {

constexpr Explicitly kWithAuxiliaries{.auxiliaries = false, .solutions = false, .keep = {}};

bool among(const std::vector<Expr>& list, const Expr& e) {
  return std::find(list.begin(), list.end(), e) != list.end();
}

}  // namespace

// ---- motion variables -----------------------------------------------------------------------------------------------------

/// u' for a speed u; q'' for a speed q'.
Expr Session::derivative_symbol(const Expr& speed) {
  const Scalar* s = find_symbol(speed);
  ensure(s != nullptr, "a speed without a declaration");
  return need_derivative(*s, s->primes + 1).symbol;
}

/// The motion variables that have a row in FR and FRSTAR: those declared as such or, in the old style, variables that the
/// velocities are linear in and whose derivatives are not given. Speeds made dependent by CONSTRAIN have none.
std::vector<Expr> Session::find_speeds(const Where& where) {
  std::vector<const Scalar*> bases;
  bool declared = false;
  for (const auto& [key, s] : w_.scalars) {
    if (s.primes != 0 || (s.role != Role::Motion && s.role != Role::Variable)) continue;
    declared = declared || s.role == Role::Motion;
    bases.push_back(&s);
  }
  std::sort(bases.begin(), bases.end(), [](const Scalar* a, const Scalar* b) { return a->position < b->position; });

  std::vector<Expr> components;
  const auto collect = [&](const Vector& v) {
    for (const auto& term : v.terms()) components.insert(components.end(), term.c.begin(), term.c.end());
  };
  const FrameId n = newtonian(where);
  for (const Body& b : w_.bodies) {
    if (!b.mass && !w_.forces.contains(b.centre) && !(b.frame.valid() && w_.torques.contains(b.frame))) continue;
    // In statics FR() needs no motion of bodies that no force acts on; FRSTAR() asks for it again.
    if (b.mass)
      if (const auto v = find_velocity(b.centre, n)) collect(*v);
    if (b.frame.valid() && b.inertia) collect(angular_velocity(b.frame, n));
  }
  for (const auto& [p, f] : std::map(w_.forces)) collect(velocity(p, n));
  for (const auto& [f, t] : std::map(w_.torques)) collect(angular_velocity(f, n));
  const auto velocities = explicitly(std::span<const Expr>(components), kWithAuxiliaries);
  const auto used = symbols_of(velocities);

  std::vector<Expr> speeds;
  for (const Scalar* base : bases) {
    if (declared && base->role != Role::Motion) continue;
    if (!declared && base->order == 0) continue;
    const Scalar* u = base;
    const Scalar* const prime = find(folded(base->name) + "'");
    const auto given = [](const Scalar* s) {
      return s != nullptr && s->value && (s->origin == Origin::Assigned || s->origin == Origin::Solved);
    };
    if (base->value || (prime != nullptr && given(prime))) continue;
    if (prime != nullptr && prime->value && prime->origin == Origin::Constrained) continue;  // q' is a dependent speed
    if (prime != nullptr && (base->order >= 2 || (!prime->value && among(used, prime->symbol)))) u = prime;
    if (u->value && u->origin != Origin::Kane) continue;
    if (given(find(folded(u->name) + std::string(static_cast<std::size_t>(u->primes) + 1, '\'')))) continue;
    if (!declared && !among(used, u->symbol)) continue;
    speeds.push_back(u->symbol);
  }
  if (speeds.empty())
    throw ModelError(where,
                     "no motion variables are declared that velocities depend on; write MOTIONVARIABLES' U{n}' "
                     "and state the velocities with them");
  w_.speeds = speeds;
  return speeds;
}

std::vector<Expr> Session::independent_speeds(const Where& where) {
  std::vector<Expr> list;
  for (const Expr& u : w_.speeds.empty() ? find_speeds(where) : w_.speeds)
    if (!among(w_.auxiliaries, u)) list.push_back(u);
  return list;
}

Session::Partials Session::partials(const Vector& velocity, std::span<const Expr> speeds, std::string_view what) {
  Partials r;
  r.by_speed.resize(speeds.size());
  const Vector v = explicitly(velocity, kWithAuxiliaries);
  for (const auto& term : v.terms()) {
    const auto affine = affine_in(std::span<const Expr>(term.c), speeds, what);
    for (std::size_t i = 0; i < speeds.size(); ++i)
      r.by_speed[i] +=
          Vector(term.frame, {affine[0].coefficients[i], affine[1].coefficients[i], affine[2].coefficients[i]});
  }
  return r;
}

// ---- generalized forces ---------------------------------------------------------------------------------------------------

ExprMatrix Session::active_forces(const Where& where) {
  const auto speeds = find_speeds(where);
  const FrameId n = newtonian(where);
  std::vector<Expr> rows(speeds.size());
  for (const auto& [p, force] : std::map(w_.forces)) {
    const auto v = partials(velocity(p, n), speeds, "the velocity of " + w_.points[at(p)]);
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (!v.by_speed[i].is_zero()) rows[i] += frames().dot(v.by_speed[i], force);
  }
  for (const auto& [f, torque] : std::map(w_.torques)) {
    const auto w = partials(angular_velocity(f, n), speeds, "the angular velocity of " + frame_name(f));
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (!w.by_speed[i].is_zero()) rows[i] += frames().dot(w.by_speed[i], torque);
  }
  return column_of(std::move(rows));
}

ExprMatrix Session::inertia_forces(const Where& where) {
  const auto speeds = find_speeds(where);
  const FrameId n = newtonian(where);
  std::vector<Expr> rows(speeds.size());
  for (std::size_t k = 0; k < w_.bodies.size(); ++k) {
    check_time(where);
    const Body b = w_.bodies[k];
    if (!b.mass && !b.inertia) {
      note(fmt::format("{} has no mass and adds nothing to FRSTAR", b.name));
      continue;
    }
    if (!b.mass)
      throw ModelError(where, fmt::format("the mass of {} is not stated; write MASS {}=...", b.name, b.name));
    if (!b.mass->is_zero()) {
      const auto v = partials(velocity(b.centre, n), speeds, "the velocity of " + w_.points[at(b.centre)]);
      const Vector a = explicitly(acceleration(b.centre, n), Explicitly{});
      for (std::size_t i = 0; i < speeds.size(); ++i)
        if (!v.by_speed[i].is_zero()) rows[i] -= *b.mass * frames().dot(v.by_speed[i], a);
    }
    if (b.is_particle()) continue;
    const Vector omega = angular_velocity(b.frame, n);
    const auto w = partials(omega, speeds, "the angular velocity of " + b.name);
    if (std::all_of(w.by_speed.begin(), w.by_speed.end(), [](const Vector& p) { return p.is_zero(); })) continue;
    if (!b.inertia)
      throw ModelError(where,
                       fmt::format("the inertia of {} is not stated; write INERTIA {},I1,I2,I3", b.name, b.name));
    const Dyadic I = inertia_about(static_cast<int>(k), b.centre);
    const Vector turning = explicitly(omega, Explicitly{});
    const Vector alpha = explicitly(angular_acceleration(b.frame, n), Explicitly{});
    const Vector torque = frames().dot(I, alpha) + frames().cross(turning, frames().dot(I, turning));
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (!w.by_speed[i].is_zero()) rows[i] -= frames().dot(w.by_speed[i], torque);
  }
  return column_of(std::move(rows));
}

// ---- linear equations -----------------------------------------------------------------------------------------------------

namespace {

struct LinearSystem {
  ExprMatrix a;
  std::vector<Expr> b;  ///< a x = b
};

LinearSystem linear_system(std::span<const Expr> equations, const std::vector<Expr>& unknowns, std::string_view what) {
  LinearSystem s{ExprMatrix(equations.size(), unknowns.size()), {}};
  const auto rows = affine_in(equations, unknowns, what);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < unknowns.size(); ++j) s.a(i, j) = rows[i].coefficients[j];
    s.b.push_back(-rows[i].remainder);
  }
  return s;
}

std::string names_in_list(const std::vector<Expr>& symbols) {
  std::string list;
  for (const Expr& s : symbols) list += (list.empty() ? "" : ", ") + s.name();
  return list;
}

std::vector<Expr> solve_linear(const LinearSystem& s, const std::vector<Expr>& unknowns, const Where& where,
                               std::string_view what) {
  if (s.a.rows != s.a.columns)
    throw ModelError(where, fmt::format("{} has {} equations for the {} unknowns {}", what, s.a.rows, s.a.columns,
                                        names_in_list(unknowns)));
  if (find_rank(s.a).rank() < s.a.rows)
    throw ModelError(where, fmt::format("{} does not determine {}: the matrix of coefficients is singular", what,
                                        names_in_list(unknowns)));
  return LinearSolver(s.a).solve(s.b);
}

}  // namespace

void Session::solve_equations(const ExprMatrix& equations, const std::vector<Expr>& unknowns, const Where& where,
                              std::string_view what) {
  const auto rows = explicitly(std::span<const Expr>(equations.entries), {.keep = unknowns});
  const auto values = solve_linear(linear_system(rows, unknowns, what), unknowns, where, what);
  bool motion = false;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    Scalar& s = scalar(w_.by_symbol.at(unknowns[i].id()));
    const bool derivative = std::any_of(w_.speeds.begin(), w_.speeds.end(),
                                        [&](const Expr& u) { return derivative_symbol(u) == unknowns[i]; });
    motion = motion || derivative;
    define(s, values[i], derivative ? Origin::Kane : Origin::Solved);
    log_result(s.spelled(), values[i]);
  }
  // After KANE(F1) the equations without the forces say less than those that KANE() had.
  const bool less =
      w_.dynamics && !w_.unknown_forces.empty() && std::none_of(rows.begin(), rows.end(), [&](const Expr& row) {
        return std::any_of(w_.unknown_forces.begin(), w_.unknown_forces.end(),
                           [&](const Expr& f) { return row.graph() != nullptr && depends_on(row, f); });
      });
  if (motion && !less) w_.dynamics = equations;
}

void Session::solve_motion(const std::vector<Expr>& forces, const Where& where) {
  ExprMatrix zero;
  if (const auto m = w_.matrices.find("ZERO"); m != w_.matrices.end())
    zero = m->second;
  else if (const Scalar* s = find("ZERO"); s != nullptr && s->value)
    zero = column_of({*s->value});
  else
    zero = add(active_forces(where), inertia_forces(where), 1);
  const ExprMatrix stated = zero;
  std::vector<Expr> unknowns;
  for (const Expr& u : independent_speeds(where)) unknowns.push_back(derivative_symbol(u));
  unknowns.insert(unknowns.end(), forces.begin(), forces.end());
  // Rows without unknowns are conditions on the configuration; the motion keeps them by its constraints.
  ExprMatrix motion(0, 1);
  for (const Expr& row : explicitly(std::span<const Expr>(zero.entries), {.keep = unknowns})) {
    const bool moves = std::any_of(unknowns.begin(), unknowns.end(),
                                   [&](const Expr& x) { return row.graph() != nullptr && depends_on(row, x); });
    if (moves || row.is_zero())
      motion.entries.push_back(row), ++motion.rows;
    else
      note("a row of ZERO contains none of the unknowns of KANE() and is left out of the equations of motion");
  }
  zero = motion;
  const auto& rows = zero.entries;
  const auto values = solve_linear(linear_system(rows, unknowns, "KANE()"), unknowns, where, "KANE()");
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    Scalar& s = scalar(w_.by_symbol.at(unknowns[i].id()));
    define(s, values[i], Origin::Kane);
    log_result(s.spelled(), values[i]);
  }
  w_.dynamics = zero;
  w_.unknown_forces = forces;
  if (!forces.empty()) keep_motion_in_zero(stated, forces);
}

/// KANE(F1,F2) takes the rows that determine the forces out of ZERO, and the forces from the others: what is left are the
/// equations of motion, which SOLVE(ZERO,U1') may be asked for afterwards.
void Session::keep_motion_in_zero(const ExprMatrix& zero, const std::vector<Expr>& forces) {
  const auto m = w_.matrices.find("ZERO");
  if (m == w_.matrices.end() || zero.rows != static_cast<int>(w_.speeds.size())) return;
  std::vector<Expr> left, taken;
  for (std::size_t i = 0; i < zero.entries.size(); ++i)
    (among(w_.auxiliaries, w_.speeds[i]) ? taken : left).push_back(zero.entries[i]);
  if (left.empty() || taken.size() != forces.size()) return;
  const LinearSystem s = linear_system(explicitly(std::span<const Expr>(taken), {.keep = forces}), forces, "KANE()");
  if (find_rank(s.a).rank() < s.a.rows) return;
  const auto values = LinearSolver(s.a).solve(s.b);
  Substitution put_in;
  for (std::size_t j = 0; j < forces.size(); ++j) put_in.set(forces[j], values[j]);
  for (Expr& row : left)
    if (row.graph() != nullptr) row = substitute(row, put_in);
  m->second = column_of(std::move(left));
  ++w_.version;
  log_result("ZERO", m->second);
}

// ---- constraints ----------------------------------------------------------------------------------------------------------

/// CONSTRAIN(DEPENDENT[u2,u3], AUXILIARY[u4]): DEPENDENT = 0 solved for u2, u3, and the same differentiated for u2', u3';
/// AUXILIARY = 0 for u4, whose row in FR and FRSTAR stays.
void Session::constrain(const Node& call) {
  for (const Node& part : call.children) {
    const std::string list = folded(part.text);
    if (part.kind != NodeKind::Element || (list != "DEPENDENT" && list != "AUXILIARY"))
      throw ModelError(part.where, "CONSTRAIN takes DEPENDENT[u2,u3] and AUXILIARY[u4]");
    const auto found = w_.matrices.find(list);
    if (found == w_.matrices.end())
      throw ModelError(part.where, fmt::format("nothing is stated for {0}; write {0}[1]=... first", list));
    const auto unknowns = symbols_named(part.children, false);
    const bool auxiliary = list == "AUXILIARY";
    Explicitly how{.auxiliaries = false, .solutions = false, .keep = unknowns};
    const auto rows = explicitly(std::span<const Expr>(found->second.entries), how);
    const auto values = solve_linear(linear_system(rows, unknowns, list), unknowns, part.where, list);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Expr u = unknowns[i];
      const Expr dot_symbol = derivative_symbol(u);
      Scalar& s = scalar(w_.by_symbol.at(u.id()));
      if (auxiliary) {
        if (!among(w_.auxiliaries, u)) w_.auxiliaries.push_back(u);
        w_.auxiliary_values[u.id()] = values[i];
      } else {
        define(s, values[i], Origin::Constrained);
        if (!among(w_.dependents, u)) w_.dependents.push_back(u);
      }
      log_result(s.spelled(), values[i]);
      ++w_.version;
      (void)dot_symbol;
    }
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Expr rate_of = time_derivative(values[i]);
      const Expr dot_symbol = derivative_symbol(unknowns[i]);
      Scalar& s = scalar(w_.by_symbol.at(dot_symbol.id()));
      if (auxiliary) {
        w_.auxiliary_values[dot_symbol.id()] = rate_of;
        ++w_.version;
      } else {
        define(s, rate_of, Origin::Constrained);
      }
      log_result(s.spelled(), rate_of);
    }
  }
}

// ---- energy and momentum --------------------------------------------------------------------------------------------------

Expr Session::kinetic_energy(std::span<const int> bodies) {
  const FrameId n = newtonian({});
  Expr sum;
  for (const int k : bodies) {
    const Body b = w_.bodies[at(k)];
    if (!b.mass) throw ModelError(fmt::format("the mass of {} is not stated; write MASS {}=...", b.name, b.name));
    const Vector v = velocity(b.centre, n);
    sum += *b.mass * frames().dot(v, v) / 2;
    if (b.is_particle()) continue;
    const Vector w = angular_velocity(b.frame, n);
    if (w.is_zero()) continue;
    sum += frames().dot(w, frames().dot(inertia_about(k, b.centre), w)) / 2;
  }
  return sum;
}

/// MOMENTUM(LINEAR[,bodies]) and MOMENTUM(ANGULAR,P[,bodies]): about P, sum of I . w + r x m v.
Vector Session::momentum(const Node& call) {
  if (call.children.empty()) throw ModelError(call.where, "MOMENTUM takes LINEAR, or ANGULAR and a point");
  const std::string kind = folded(call.children[0].text);
  const bool angular = kind == "ANGULAR";
  if (!angular && kind != "LINEAR")
    throw ModelError(call.children[0].where, "MOMENTUM takes LINEAR, or ANGULAR and a point");
  std::span<const Node> rest = std::span(call.children).subspan(1);
  const FrameId n = newtonian(call.where);
  PointIndex about = -1;
  if (angular) {
    if (rest.empty()) throw ModelError(call.where, "MOMENTUM(ANGULAR, P) needs the point P that it is taken about");
    about = point_of(rest.front());
    rest = rest.subspan(1);
  }
  Vector sum;
  for (const int k : bodies_named(rest)) {
    const Body b = w_.bodies[at(k)];
    if (!b.mass) throw ModelError(call.where, fmt::format("the mass of {} is not stated", b.name));
    const Vector mv = velocity(b.centre, n) * *b.mass;
    if (!angular) {
      sum += mv;
      continue;
    }
    sum += frames().cross(position(about, b.centre), mv);
    if (!b.is_particle()) sum += frames().dot(inertia_about(k, b.centre), angular_velocity(b.frame, n));
  }
  return sum;
}

// ---- for programs ---------------------------------------------------------------------------------------------------------

StateEquations Session::state_equations() {
  StateEquations r;
  const Where where;
  // Rows that are to be solved for u': those that KANE or SOLVE solved, else ZERO as it stands.
  std::optional<ExprMatrix> zero = w_.dynamics;
  if (!zero && !w_.speeds.empty()) {
    if (const auto m = w_.matrices.find("ZERO"); m != w_.matrices.end()) zero = m->second;
    if (const Scalar* s = find("ZERO"); s != nullptr && s->value) zero = column_of({*s->value});
    if (!zero) zero = add(active_forces(where), inertia_forces(where), 1);
  }
  if (zero) {
    for (const Expr& u : independent_speeds(where)) {
      const Scalar* dot_scalar = find_symbol(derivative_symbol(u));
      if (dot_scalar->value && dot_scalar->origin != Origin::Kane) continue;  // given by the script itself
      r.speeds.push_back(u), r.derivatives.push_back(dot_scalar->symbol);
    }
    r.forces = w_.unknown_forces;
    std::vector<Expr> keep = r.derivatives;
    keep.insert(keep.end(), r.forces.begin(), r.forces.end());
    const auto rows = explicitly(std::span<const Expr>(zero->entries), {.keep = keep});
    const LinearSystem s = linear_system(rows, keep, "ZERO");
    const auto nu = r.derivatives.size();
    // Rows that determine the forces are taken out, and the forces from the rest.
    std::vector<int> force_columns;
    for (std::size_t j = nu; j < keep.size(); ++j) force_columns.push_back(static_cast<int>(j));
    std::vector<bool> taken(rows.size(), false);
    ExprMatrix a = s.a;
    std::vector<Expr> b = s.b;
    if (!force_columns.empty()) {
      const RankReport rank = find_rank(a, force_columns);
      require(rank.rank() == static_cast<int>(force_columns.size()), "ZERO does not determine {}",
              names_in_list(r.forces));
      ExprMatrix f(force_columns.size(), force_columns.size());
      std::vector<int> picked;
      for (const auto& pivot : rank.pivots) picked.push_back(pivot.row), taken[at(pivot.row)] = true;
      for (std::size_t i = 0; i < picked.size(); ++i)
        for (std::size_t j = 0; j < force_columns.size(); ++j) f(i, j) = a(picked[i], force_columns[j]);
      const LinearSolver solver(f);
      std::vector<Expr> known;
      for (const int row : picked) {
        Expr sum = b[at(row)];
        for (std::size_t j = 0; j < nu; ++j) sum -= a(row, j) * r.derivatives[j];
        known.push_back(sum);
      }
      r.force_values = solver.solve(known);
      Substitution put_in;
      for (std::size_t j = 0; j < r.forces.size(); ++j) put_in.set(r.forces[j], r.force_values[j]);
      std::vector<Expr> left;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (!taken[i]) left.push_back(rows[i]);
      const auto reduced = linear_system(substitute(std::span<const Expr>(left), put_in), r.derivatives, "ZERO");
      a = reduced.a, b = reduced.b;
    } else if (rows.size() > nu) {
      // Rows of auxiliary speeds determine forces that nobody asked for; without their unknowns they cannot be used.
      std::vector<Expr> left;
      for (std::size_t i = 0; i < rows.size() && i < w_.speeds.size(); ++i)
        if (!among(w_.auxiliaries, w_.speeds[i])) left.push_back(rows[i]);
      const auto reduced = linear_system(left, r.derivatives, "ZERO");
      a = reduced.a, b = reduced.b;
    }
    require(a.rows == a.columns && a.columns == static_cast<int>(nu), "ZERO has {} rows for the {} motion variables {}",
            a.rows, nu, names_in_list(r.speeds));
    r.mass = a, r.forcing = b;
  }
  // All other states: x with a known x'.
  std::vector<const Scalar*> list;
  for (const auto& [key, s] : w_.scalars)
    if (s.primes == 0 && (s.role == Role::Variable || s.role == Role::Motion) && !s.value && !among(r.speeds, s.symbol))
      list.push_back(&s);
  std::sort(list.begin(), list.end(), [](const Scalar* a, const Scalar* b) { return a->position < b->position; });
  std::vector<Expr> found, rates;
  for (const Scalar* s : list) {
    // x, x', ... up to the first derivative that is given, or is a speed.
    for (int k = 0; k < 9; ++k) {
      const auto level = [&](int n) { return find(folded(s->name) + std::string(static_cast<std::size_t>(n), '\'')); };
      const Scalar* const x = level(k);
      const Scalar* const next = level(k + 1);
      if (x == nullptr || next == nullptr) break;
      if (among(r.speeds, x->symbol) || x->value) break;
      if (among(w_.auxiliaries, x->symbol)) break;
      const bool speed = among(r.speeds, next->symbol);
      const bool chained =
          !next->value && !speed && level(k + 2) != nullptr && (level(k + 2)->value || next->order > k + 1);
      if (!next->value && !speed && !chained) break;
      found.push_back(x->symbol);
      rates.push_back(next->value ? *next->value : next->symbol);
    }
  }
  r.coordinates = found;
  r.rates = explicitly(std::span<const Expr>(rates), Explicitly{.keep = r.speeds});
  // A rate that is an unknown nobody gives ends the chain there.
  for (std::size_t i = 0; i < r.rates.size();) {
    const auto symbols = symbols_of(std::span(&r.rates[i], 1));
    const bool open = std::any_of(symbols.begin(), symbols.end(), [&](const Expr& e) {
      const Scalar* s = find_symbol(e);
      return s != nullptr && s->primes > 0 && s->role != Role::Specified && !among(r.speeds, e) &&
             !among(r.coordinates, e) && !among(r.derivatives, e);
    });
    if (!open) {
      ++i;
      continue;
    }
    r.coordinates.erase(r.coordinates.begin() + static_cast<std::ptrdiff_t>(i));
    r.rates.erase(r.rates.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  require(!r.speeds.empty() || !r.coordinates.empty(),
          "the script has no equations of motion: it gives neither FR() + FRSTAR() nor derivatives of variables");
  return r;
}

}  // namespace kane::autolev
