#include "kane/analysis/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kane/analysis/random_starts.hpp"
#include "kane/base/at.hpp"
#include "kane/base/contains.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/names.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kTolerance = 1e-11;  ///< for equations divided by their typical sizes
constexpr double kSame = 1e-6;        ///< solutions closer than this are the same
constexpr double kRepeats = 1e-8;     ///< a constraint that is open by less follows from the others
constexpr double kStalled = 1e-9;     ///< as near as rounding lets some equations come
constexpr int kMostSteps = 100;       ///< of a walk through a family of solutions
constexpr int kMostScales = 5;        ///< rescalings of the forces, each with smaller values
constexpr int kMostChoices = 8;       ///< choices of independent constraints during one search

}  // namespace

void EquilibriumOptions::check() const {
  require(starts >= 0 && starts <= 100'000, "the number of other starts must be between 0 and 100000, not {}", starts);
  require(std::isfinite(reach) && reach > 0, "the range of other starts must be positive, not {}", reach);
}

std::string Equilibrium::stability() const {
  if (!modes) return no_modes;
  if (conservative && modes->stability == Stability::Marginal && modes->zero == 0)
    return fmt::format("stable: a minimum of the potential energy, {}",
                       counted(modes->modes.size(), "undamped oscillation"));
  if (modes->stability == Stability::Marginal && modes->oscillating == 0 && modes->zero == neighbours)
    return fmt::format(
        "stable: disturbances decay towards a neighbour in a family of {}, the slowest with a time "
        "constant of "
        "{:.4g} s",
        counted(neighbours, "dimension"), slowest_decay());
  return describe_stability(*modes);
}

double Equilibrium::slowest_decay() const {
  double slowest = 0;
  for (const auto& mode : modes->modes)
    if (std::isfinite(mode.time_constant)) slowest = std::max(slowest, mode.time_constant);
  return slowest;
}

EquilibriumFinder::EquilibriumFinder(SystemEvaluator& evaluator, EquilibriumOptions options)
    : evaluator_(evaluator),
      equations_(evaluator.system().equations()),
      options_(std::move(options)),
      essential_(evaluator.system().coordinate_count(), true),
      linearizer_(evaluator),
      runner_(nullptr, evaluator.context()),
      finder_(evaluator) {
  options_.check();
  check_names();
  const auto& inputs = evaluator.system().inputs();
  for (const auto& name : options_.free_inputs)
    free_inputs_.push_back(static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), name) - inputs.begin()));
  compile();
}

void EquilibriumFinder::check_names() const {
  std::vector<std::string> known = names_of(equations_.q);
  for (const auto& u : equations_.u) known.push_back(u.name());
  for (const auto& name : options_.held)
    if (!contains(known, name))
      throw ModelError(fmt::format("there is no coordinate or speed '{}'{}", name, suggestion(name, known)));
  const auto& inputs = evaluator_.system().inputs();
  for (const auto& name : options_.free_inputs)
    if (!contains(inputs, name))
      throw ModelError(fmt::format("'{}' is not an external input{}", name, suggestion(name, inputs)));
}

/// Rows: g (speeds), qdot, A u + b, phi (0 if none) and A udot - gamma of all constraints, norms of quaternions; then
/// their derivatives by q, u, udot, lambda and the free inputs.
void EquilibriumFinder::compile() {
  const KernelWorkshop shop(evaluator_.system());
  const EquationsOfMotion& e = shop.equations();
  const std::vector<Expr> motion = motion_rows(shop);
  std::vector<Expr> rows(motion.begin() + static_cast<std::ptrdiff_t>(e.q.size()),
                         motion.begin() + static_cast<std::ptrdiff_t>(e.q.size() + e.u.size()));
  rows.insert(rows.end(), motion.begin(), motion.begin() + static_cast<std::ptrdiff_t>(e.q.size()));
  std::vector<Expr> constraints;
  for (const auto& c : e.constraints) {
    Expr v = c.b;
    for (std::size_t j = 0; j < e.u.size(); ++j) v += c.a[j] * e.u[j];
    constraints.push_back(v);
  }
  for (const auto& c : e.constraints) constraints.push_back(c.phi.value_or(Expr()));
  constraints = shop.with_laws(constraints);
  constraints.insert(constraints.end(), motion.begin() + static_cast<std::ptrdiff_t>(e.q.size() + e.u.size()),
                     motion.end());
  if (!options_.steady) hold_moving_constraints(e, constraints);
  rows.insert(rows.end(), constraints.begin(), constraints.end());
  for (const int first : e.quaternions) {
    Expr norm(-1);
    for (int k = first; k < first + 4; ++k) norm += square(e.q[at(k)]);
    rows.push_back(norm);
  }
  std::vector<Expr> by = e.q;
  for (const auto* symbols : {&e.u, &e.udot}) by.insert(by.end(), symbols->begin(), symbols->end());
  for (const auto& c : e.constraints) by.push_back(c.multiplier);
  for (const auto& name : options_.free_inputs) by.push_back(e.graph->symbol(name));
  all_rows_ = rows.size();
  const Jacobian j = jacobian(rows, by);
  for (const auto& entry : j.entries) {
    rows.push_back(entry.value);
    entries_.push_back({static_cast<std::size_t>(entry.row), static_cast<std::size_t>(entry.column)});
  }
  const auto symbols = symbols_of(rows);
  depends_on_time_ = std::find(symbols.begin(), symbols.end(), e.t) != symbols.end();
  kernel_ = std::make_unique<Kernel>(shop.compile("equilibrium", rows));
  runner_ = KernelRunner(kernel_.get(), evaluator_.context());
}

/// A constraint whose position is a function of time (a wheel on a bumpy road) is held as it stands, or nothing could be at
/// rest: of its speeds and accelerations, what remains where all speeds are zero is left out.
void EquilibriumFinder::hold_moving_constraints(const EquationsOfMotion& e, std::vector<Expr>& rows) {
  const std::size_t nc = e.constraints.size();
  Substitution rest;
  for (const auto* symbols : {&e.u, &e.udot})
    for (const Expr& symbol : *symbols) rest.set(symbol, 0);
  for (std::size_t k = 0; k < nc; ++k) {
    const auto& phi = e.constraints[k].phi;
    if (!phi || !depends_on(*phi, e.t)) continue;
    for (const std::size_t row : {k, 2 * nc + k}) rows[row] = e.graph->bind(rows[row] - substitute(rows[row], rest));
    held_rows_.push_back(k);
  }
}

/// x is (q, u, udot, lambda, free inputs).
void EquilibriumFinder::calc_rows(std::span<const double> x) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size(), nc = equations_.constraints.size();
  if (!free_inputs_.empty()) {
    for (std::size_t k = 0; k < free_inputs_.size(); ++k) inputs_[free_inputs_[k]] = x[nq + 2 * nu + nc + k];
    evaluator_.set_inputs(inputs_, start_.t);
  }
  values_ = runner_.run(x.first(nq + 2 * nu + nc));
}

bool EquilibriumFinder::calc_residual(std::span<const double> x, std::span<double> r) {
  calc_rows(x);
  for (std::size_t i = 0; i < rows_.size(); ++i) r[i] = values_[rows_[i]] / row_scale_[rows_[i]];
  return all_finite(r);
}

bool EquilibriumFinder::calc_jacobian(std::span<const double> x, MatrixView j) {
  calc_rows(x);
  std::vector<std::size_t> place(all_rows_, rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) place[rows_[i]] = i;
  for (std::size_t i = 0; i < j.rows; ++i) std::fill_n(j.row(i), j.columns, 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    if (place[entries_[k].row] < rows_.size())
      j(place[entries_[k].row], entries_[k].column) = values_[all_rows_ + k] / row_scale_[entries_[k].row];
  return true;
}

/// Sets up the unknowns, typical sizes, and whether constraints are redundant.
void EquilibriumFinder::prepare(const State& start) {
  const EquationsOfMotion& e = equations_;
  const std::size_t nq = e.q.size(), nu = e.u.size(), nc = e.constraints.size();
  start_ = start;
  evaluator_.set_time(start.t);
  essential_.assign(nq, true);
  const std::vector<bool> essential = linearizer_.find_essential(start);
  if (options_.steady) essential_ = essential;
  std::vector<bool> ignorable;
  for (const bool needed : essential) ignorable.push_back(!needed);
  if (options_.steady) linearizer_.drop(ignorable);
  inputs_.assign(evaluator_.inputs().begin(), evaluator_.inputs().end());
  start_x_ = start.q;
  start_x_.insert(start_x_.end(), start.u.begin(), start.u.end());
  for (std::size_t k = 0; k < nu && !options_.steady; ++k)  // a search for rest does not start from a moving state
    if (!contains(options_.held, e.u[k].name())) start_x_[nq + k] = 0;
  start_x_.resize(nq + 2 * nu + nc, 0.0);
  guess_given_forces(start_x_);
  for (const std::size_t k : free_inputs_) start_x_.push_back(inputs_[k]);
  calc_scales(start);
  (void)tighten_scales(start_x_);
  start_scale_ = row_scale_;
  force_scale_ = nu == 0 ? 1 : max_abs(std::span(start_scale_).first(nu));
  calc_rows(start_x_);
  given_scale_ = force_scale_;
  for (std::size_t k = 0; k < nc; ++k)
    if (const double r = values_[nu + nq + 2 * nc + k]; e.constraints[k].given && std::isfinite(r))
      given_scale_ = std::max(given_scale_, std::abs(r));
  all_ = finder_.all(start.q, start.u);
  use(all_);
  Vector closed = start.q;
  redundant_ = !evaluator_.active_rows().empty() && finder_.close(closed, std::span(scale_).first(nq)) &&
               finder_.choose(closed, start.u).redundant > 0;
}

/// Typical sizes of equations (generalized forces: the largest near the start) and unknowns (0: held).
void EquilibriumFinder::calc_scales(const State& start) {
  const EquationsOfMotion& e = equations_;
  const std::size_t nq = e.q.size(), nu = e.u.size(), nc = e.constraints.size();
  row_scale_.assign(all_rows_, 1.0);
  std::mt19937_64 engine(7);
  Vector x = start_x_;
  double largest = 0;
  Vector force(nu, 0.0);
  for (int sample = 0; sample < 8; ++sample) {
    calc_rows(x);
    for (std::size_t i = 0; i < nu; ++i)
      if (std::isfinite(values_[i])) force[i] = std::max(force[i], std::abs(values_[i]));
    for (std::size_t k = 0; k < nq; ++k) x[k] = start_x_[k] + uniform(engine);
  }
  for (const double f : force) largest = std::max(largest, f);
  if (largest == 0) largest = 1;
  for (std::size_t i = 0; i < nu; ++i) row_scale_[i] = force[i] > 1e-6 * largest ? force[i] : largest;
  scale_.assign(start_x_.size(), 1.0);
  for (std::size_t k = 0; k < nq; ++k)
    if (!essential_[k] || contains(options_.held, e.q[k].name())) scale_[k] = 0;
  for (std::size_t k = 0; k < nu; ++k)
    scale_[nq + k] = contains(options_.held, e.u[k].name()) ? 0 : std::max(1.0, std::abs(start.u[k]));
  for (std::size_t k = nq + 2 * nu + nc; k < scale_.size(); ++k) scale_[k] = std::max(1.0, std::abs(start_x_[k]));
}

void EquilibriumFinder::use(const IndependentConstraints& constraints) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size(), nc = equations_.constraints.size();
  chosen_ = constraints;
  rows_.clear();
  for (std::size_t i = 0; i < nu; ++i) rows_.push_back(i);
  for (std::size_t i = 0; i < nq; ++i)
    if (essential_[i]) rows_.push_back(nu + i);
  for (std::size_t i = 0; i < nc; ++i)
    if (constraints.motion[i]) rows_.push_back(nu + nq + i);
  for (std::size_t i = 0; i < nc; ++i)
    if (constraints.configuration[i]) rows_.push_back(nu + nq + nc + i);
  for (std::size_t i = 0; i < nc; ++i)
    if (constraints.motion[i]) rows_.push_back(nu + nq + 2 * nc + i);
  for (std::size_t i = 0; i < nc; ++i)
    if (equations_.constraints[i].given) rows_.push_back(nu + nq + 2 * nc + i);
  for (std::size_t i = 0; i < equations_.quaternions.size(); ++i) rows_.push_back(nu + nq + 3 * nc + i);
  for (std::size_t k = 0; k < nu; ++k) scale_[nq + nu + k] = constraints.dependent[k] ? 1 : 0;
  for (std::size_t k = 0; k < nc; ++k)
    scale_[nq + 2 * nu + k] = equations_.constraints[k].given ? given_scale_ : constraints.motion[k] ? force_scale_ : 0;
  newton_.emplace(rows_.size(), start_x_.size());
}

void EquilibriumFinder::search(Vector x) {
  const Vector start = x;
  bool found = !evaluator_.active_rows().empty() && search_closed(x);
  if (!found && !redundant_) {
    x = start;
    use(all_);
    found = solve(x);
  }
  if (found && !is_singular(x)) unwind(x), keep(x);
}

/// Whether the equations change beyond measure beside x: where two points meet, the direction of the spring between them is
/// not defined, and its force can seem to balance any other.
bool EquilibriumFinder::is_singular(const Vector& x) {
  constexpr double kBeside = 1e-6, kMostChange = 1e3;
  const auto steepest = [&](const Vector& at) {
    calc_rows(at);
    double most = 0;
    for (std::size_t k = 0; k < entries_.size(); ++k)
      if (entries_[k].row < equations_.u.size() && entries_[k].column < equations_.q.size())
        most = std::max(most, std::abs(values_[all_rows_ + k]));
    return most;
  };
  std::mt19937_64 engine(17);
  Vector beside = x;
  for (std::size_t k = 0; k < equations_.q.size(); ++k) beside[k] += kBeside * scale_[k] * uniform(engine);
  const double here = steepest(x), there = steepest(beside);
  return std::isfinite(there) && there > 0 && !(here <= kMostChange * there);
}

/// Another choice has other unknowns among udot and lambda; values left by the previous choice would be taken as given.
void EquilibriumFinder::forget_forces(Vector& x) const {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size(), nc = equations_.constraints.size();
  std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(nq + nu), nu + nc, 0.0);
  guess_given_forces(x);
}

/// The length of a force has no derivative where the force is zero: forces that loads depend on begin elsewhere.
void EquilibriumFinder::guess_given_forces(Vector& x) const {
  const std::size_t first = equations_.q.size() + 2 * equations_.u.size();
  for (std::size_t k = 0; k < equations_.constraints.size(); ++k)
    if (equations_.constraints[k].given) x[first + k] = 1;
}

/// A step may leave the neighbourhood in which the chosen constraints suffice; the mechanism is then closed again and others are
/// chosen.
bool EquilibriumFinder::search_closed(Vector& x) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size();
  const auto choose = [&] { return finder_.choose(std::span(x).first(nq), std::span(x).subspan(nq, nu)); };
  for (int choice = 0; choice < kMostChoices; ++choice) {
    const Vector before = x;
    if (!finder_.close(std::span(x).first(nq), std::span(scale_).first(nq))) return false;
    use(choose());
    forget_forces(x);
    if (solve(x) && dropped_hold(x)) {
      // Repeated with the most independent constraints there, to gain the last digits.
      const int redundant = chosen_.redundant;
      use(choose());
      forget_forces(x);
      if (chosen_.redundant == redundant && run_newton(x).ok()) {
        polish(x);
        return true;
      }
    }
    if (x == before) return false;
  }
  return false;
}

bool EquilibriumFinder::dropped_hold(const Vector& x) {
  const IndependentConstraints chosen = chosen_;
  use(all_);
  Vector r(rows_.size());
  const bool hold = calc_residual(x, r) && max_abs(r) <= kRepeats;
  use(chosen);
  return hold;
}

NewtonReport EquilibriumFinder::run_newton(Vector& x) {
  const auto residual = [&](std::span<const double> y, std::span<double> r) { return calc_residual(y, r); };
  const auto derivatives = [&](std::span<const double> y, MatrixView j) { return calc_jacobian(y, j); };
  NewtonOptions options;
  options.tolerance = kTolerance;
  options.max_iterations = 200;
  options.max_step = 1;
  options.scale = scale_;
  return newton_->solve(residual, derivatives, x, options);
}

/// Forces near the start may be far larger than those at the solution (a gas spring, a wall): solved again with the sizes
/// that are typical there.
bool EquilibriumFinder::solve(Vector& x) {
  row_scale_ = start_scale_;
  NewtonReport report = run_newton(x);
  for (int i = 0; i < kMostScales && report.ok() && tighten_scales(x); ++i) report = run_newton(x);
  if (report.ok() || report.worst < 0) return report.ok();
  if (report.residual <= kStalled) return true;  // very stiff or badly scaled: no step improves it
  const std::size_t row = rows_[at(report.worst)];
  // Compared with the sizes at the start, reported as they are.
  const double size = report.residual * row_scale_[row], relative = size / start_scale_[row];
  if (best_.row < 0 || relative < best_.relative) best_ = {relative, size, static_cast<int>(row)};
  return false;
}

/// Typical generalized forces at x: the forces there, and those due to one unit of each unknown (rad, m) and to the present
/// multipliers and inputs. True if they are smaller than before.
bool EquilibriumFinder::tighten_scales(const Vector& x) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size();
  calc_rows(x);
  Vector force(nu);
  for (std::size_t i = 0; i < nu; ++i) force[i] = std::abs(values_[i]);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (row >= nu || (column >= nq + nu && column < nq + 2 * nu)) continue;
    const double size = column < nq + nu ? scale_[column] : std::abs(x[column]);
    force[row] = std::max(force[row], std::abs(values_[all_rows_ + k]) * size);
  }
  double largest = 0;
  for (const double f : force) largest = std::max(largest, f);
  if (!std::isfinite(largest) || largest == 0) return false;
  bool smaller = false;
  for (std::size_t i = 0; i < nu; ++i) {
    const double typical = force[i] > 1e-6 * largest ? force[i] : largest;
    smaller = smaller || typical < 0.1 * row_scale_[i];
    row_scale_[i] = std::min(row_scale_[i], typical);
  }
  return smaller;
}

/// Removes full turns that change nothing.
void EquilibriumFinder::unwind(Vector& x) {
  Vector r(rows_.size());
  for (std::size_t k = 0; k < equations_.q.size(); ++k) {
    const double turns = std::round((x[k] - start_x_[k]) / kTurn);
    if (turns == 0 || scale_[k] == 0) continue;
    const double before = x[k];
    x[k] -= turns * kTurn;
    if (!calc_residual(x, r) || max_abs(r) > 1e3 * kTolerance) x[k] = before;
  }
  // Values that are rounding errors become zero where the equations hold as well with zero.
  constexpr double kNoise = 1e-9;
  if (!calc_residual(x, r)) return;
  const double allowed = std::max(kTolerance, max_abs(r));
  for (std::size_t k = 0; k < equations_.q.size() + equations_.u.size(); ++k) {
    if (x[k] == 0 || scale_[k] == 0 || std::abs(x[k]) > kNoise * scale_[k]) continue;
    const double before = std::exchange(x[k], 0.0);
    if (!calc_residual(x, r) || max_abs(r) > allowed) x[k] = before;
  }
}

void EquilibriumFinder::keep(const Vector& x) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size();
  const auto same = [&](const Solution& other) {
    for (std::size_t k = 0; k < nq + nu; ++k) {
      const double d = x[k] - other.x[k];
      const double rest = k < nq && scale_[k] != 0 ? d - std::round(d / kTurn) * kTurn : d;
      if (std::abs(rest) > kSame * std::max(1.0, std::abs(x[k]))) return false;
    }
    return true;
  };
  if (std::none_of(solutions_.begin(), solutions_.end(), same)) solutions_.push_back({x, chosen_});
}

/// Whether a walk from `a` towards `b`, along the set of solutions that `a` belongs to, arrives there.
bool EquilibriumFinder::is_connected(const Solution& a, const Solution& b) {
  constexpr double kStride = 0.3, kArrived = 1e-5, kAcross = 1e-3;
  const std::size_t n = a.x.size(), nq = equations_.q.size();
  use(a.constraints);
  row_scale_ = start_scale_;
  Vector x = a.x, way(n), across(n), change(rows_.size());
  Matrix j(rows_.size(), n);
  PivotedQr qr(rows_.size(), n);
  for (int i = 0; i < kMostSteps && !rows_.empty(); ++i) {
    double left = 0;
    for (std::size_t k = 0; k < n; ++k) {
      way[k] = scale_[k] == 0 ? 0 : (b.x[k] - x[k]) / scale_[k];
      if (k < nq && scale_[k] != 0) way[k] -= std::round(way[k] * scale_[k] / kTurn) * kTurn / scale_[k];
      if (k < nq + equations_.u.size()) left += way[k] * way[k];
    }
    if (std::sqrt(left) <= kArrived) return true;
    if (!calc_jacobian(x, j.view())) return false;
    double* const columns = qr.prepare(rows_.size(), n);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t row = 0; row < rows_.size(); ++row) columns[k * rows_.size() + row] = j(row, k) * scale_[k];
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      change[row] = 0;
      for (std::size_t k = 0; k < n; ++k) change[row] += j(row, k) * scale_[k] * way[k];
    }
    qr.factor(1e-9);
    qr.solve_minimum_norm(change, across);
    double length = 0;
    for (std::size_t k = 0; k < n; ++k) way[k] -= across[k], length += k < nq ? way[k] * way[k] : 0;
    length = std::sqrt(length);
    if (!(length > kAcross * std::sqrt(left))) return false;
    const double part = std::min(1.0, kStride / length);
    for (std::size_t k = 0; k < n; ++k) x[k] += part * way[k] * scale_[k];
    if (!run_newton(x).ok()) return false;
  }
  return false;
}

/// The last Newton steps, without damping, to gain the last digits.
void EquilibriumFinder::polish(Vector& x) {
  Matrix j(rows_.size(), x.size());
  Vector r(rows_.size()), step(x.size());
  PivotedQr qr(rows_.size(), x.size());
  if (rows_.empty() || !calc_residual(x, r)) return;
  double size = max_abs(r);
  for (int i = 0; i < 3; ++i) {
    if (!calc_jacobian(x, j.view())) return;
    double* const columns = qr.prepare(rows_.size(), x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t row = 0; row < rows_.size(); ++row) columns[k * rows_.size() + row] = j(row, k) * scale_[k];
    qr.factor(1e-9);
    qr.solve_minimum_norm(r, step);
    Vector next = x;
    for (std::size_t k = 0; k < x.size(); ++k) next[k] -= step[k] * scale_[k];
    if (!calc_residual(next, r) || max_abs(r) >= size) break;
    size = max_abs(r), x = next;
  }
}

/// Rank of the equations in the unknowns whose scale is not zero.
int EquilibriumFinder::calc_rank(std::span<const double> x, std::span<const double> scale) {
  Matrix j(rows_.size(), x.size());
  if (rows_.empty() || !calc_jacobian(x, j.view())) return 0;
  for (std::size_t i = 0; i < j.rows(); ++i)
    for (std::size_t k = 0; k < j.columns(); ++k) j(i, k) *= scale[k];
  PivotedQr qr(j.rows(), j.columns());
  qr.factor(j, 1e-9);
  return static_cast<int>(qr.rank());
}

/// Whether, with the present inputs, the power that changes the energy is zero at all sampled states.
bool EquilibriumFinder::is_conservative(const State& state) {
  const EnergyKernel* energy = evaluator_.system().extra().energy();
  if (options_.steady || energy == nullptr || !energy->has_potential || !energy->has_power || max_abs(state.u) > 1e-9 ||
      depends_on_time_)
    return false;
  KernelRunner runner(&energy->kernel, evaluator_.context());
  std::mt19937_64 engine(11);
  for (int i = 0; i < 5; ++i) {
    Vector q = state.q, u = state.u;
    for (double& x : q) x += 0.3 * uniform(engine);
    for (double& x : u) x += uniform(engine);
    const auto values = runner.run(q, u);
    constexpr std::size_t kPower = 2;
    if (!(std::abs(values[kPower]) <= 1e-9 * (1 + std::abs(values[0]) + std::abs(values[kPower + 1])))) return false;
  }
  return true;
}

/// Whether constraints that depend on others at the solution are independent of them nearby.
bool EquilibriumFinder::is_change_point(const State& state) {
  constexpr int kLooks = 6;
  constexpr double kBeside = 1e-2;
  std::mt19937_64 engine(13);
  const Vector free(state.q.size(), 1.0);
  for (int i = 0; i < kLooks; ++i) {
    Vector q = state.q;
    for (double& x : q) x += kBeside * uniform(engine);
    if (finder_.close(q, free) && finder_.choose(q, state.u).redundant < chosen_.redundant) return true;
  }
  return false;
}

/// Redundant constraints can share a load in more than one way; as in a run, the shortest vector of multipliers is reported.
void EquilibriumFinder::calc_shortest_multipliers(Equilibrium& found) {
  Vector qdot(equations_.q.size()), udot(equations_.u.size());
  evaluator_.forget_choice();
  if (evaluator_.calc_motion(found.state.q, found.state.u, qdot, udot).ok())
    evaluator_.calc_multipliers(udot, found.lambda);
}

Equilibrium EquilibriumFinder::describe_solution(const Solution& solution) {
  const std::size_t nq = equations_.q.size(), nu = equations_.u.size(), nc = equations_.constraints.size();
  Equilibrium found;
  use(solution.constraints);
  Vector x = solution.x;
  row_scale_ = start_scale_;
  (void)tighten_scales(x);
  polish(x);
  Vector r(rows_.size());
  (void)calc_residual(x, r);
  found.residual = max_abs(r);
  const auto part = [&](std::size_t first, std::size_t count) {
    return Vector(x.begin() + static_cast<std::ptrdiff_t>(first),
                  x.begin() + static_cast<std::ptrdiff_t>(first + count));
  };
  found.state = {start_.t, part(0, nq), part(nq, nu)};
  found.lambda = part(nq + 2 * nu, nc);
  found.inputs = inputs_;
  int redundant = 0;  // multipliers of redundant rows
  if (!evaluator_.active_rows().empty()) {
    evaluator_.calc_constraints(found.state.q, found.state.u);
    PivotedQr qr(evaluator_.active_rows().size(), nu);
    qr.factor(evaluator_.active_jacobian(), 1e-9);
    const auto used = std::count(chosen_.motion.begin(), chosen_.motion.end(), true);
    redundant = static_cast<int>(used) - static_cast<int>(qr.rank());
    if (chosen_.redundant > 0) calc_shortest_multipliers(found);
  }
  const auto nullity = [&](const Vector& scale) {
    const auto free = std::count_if(scale.begin(), scale.end(), [](double s) { return s != 0; });
    return static_cast<int>(free) - calc_rank(x, scale) - redundant;
  };
  found.family = nullity(scale_);
  Vector released = scale_;
  for (std::size_t k = 0; k < nq; ++k)
    if (essential_[k]) released[k] = 1;
  for (std::size_t k = 0; k < nu; ++k) released[nq + k] = std::max(1.0, std::abs(found.state.u[k]));
  for (std::size_t k = nq + 2 * nu + nc; k < x.size(); ++k) released[k] = 0;
  found.neighbours = nullity(released);
  try {
    require(moving_.empty(),
            "the constraint '{}' moves, so that this is no rest, and nothing can be said of its stability",
            moving_.empty() ? "" : moving_.front());
    require(chosen_.redundant == 0 || !is_change_point(found.state),
            "a change point: constraints are dependent here but not nearby, so there are no linear equations "
            "to decide whether it is stable");
    const LinearModel model = linearizer_.calc(found.state);
    found.modes = calc_modes(model.a);
    found.states = model.states;
  } catch (const ModelError& error) {
    found.no_modes = error.message();
  }
  found.conservative = is_conservative(found.state);
  return found;
}

EquilibriumReport EquilibriumFinder::find(const State& start) {
  ensure(start.q.size() == equations_.q.size() && start.u.size() == equations_.u.size(), "a state of another system");
  require(all_finite(start.q) && all_finite(start.u), "the start contains a number that is not finite");
  prepare(start);
  best_ = {}, solutions_.clear();
  EquilibriumReport report;
  for (std::size_t k = 0; k < equations_.q.size(); ++k)
    if (!essential_[k]) report.ignorable.push_back(equations_.q[k].name());
  if (depends_on_time_)
    report.warnings.push_back(fmt::format("the equations depend on time; the result holds at t = {} s only", start.t));
  moving_.clear();
  const std::vector<int>& active = evaluator_.active_rows();
  for (const std::size_t k : held_rows_)
    if (std::find(active.begin(), active.end(), static_cast<int>(k)) != active.end() &&
        !contains(moving_, equations_.constraints[k].group))
      moving_.push_back(equations_.constraints[k].group);
  if (!moving_.empty())
    report.warnings.push_back(fmt::format("the constraint{} '{}' move{} with time and {} held as at t = {} s",
                                          moving_.size() == 1 ? "" : "s", fmt::join(moving_, "', '"),
                                          moving_.size() == 1 ? "s" : "", moving_.size() == 1 ? "is" : "are", start.t));
  Vector x = start_x_;
  search(x);
  std::mt19937_64 engine(20240229);
  for (int i = 0; i < options_.starts && (options_.all || solutions_.empty()); ++i) {
    if (options_.on_start) options_.on_start();
    ++report.starts;
    x = start_x_;
    const double radius = i < options_.starts / 3 ? 0.3 * options_.reach : options_.reach;
    for (std::size_t k = 0; k < equations_.q.size(); ++k)
      if (scale_[k] != 0) x[k] += radius * uniform(engine);
    search(x);
  }
  std::stable_sort(solutions_.begin(), solutions_.end(), [&](const Solution& a, const Solution& b) {
    const auto distance = [&](const Vector& y) {
      double sum = 0;
      for (std::size_t k = 0; k < equations_.q.size(); ++k) sum += (y[k] - start_x_[k]) * (y[k] - start_x_[k]);
      return sum;
    };
    return distance(a.x) < distance(b.x);
  });
  // One of each family.
  std::vector<Solution> different;
  for (const auto& solution : solutions_)
    if (std::none_of(different.begin(), different.end(), [&](const Solution& s) {
          if (options_.on_start) options_.on_start();
          return is_connected(s, solution);
        }))
      different.push_back(solution);
  for (const auto& solution : different) report.found.push_back(describe_solution(solution));
  if (!report.ok()) report.message = explain();
  return report;
}

std::string EquilibriumFinder::name_row(std::size_t i) const {
  const EquationsOfMotion& e = equations_;
  const double size = best_.size;
  if (i < e.u.size())
    return fmt::format("a generalized force of {:.6g} remains along the speed '{}'", size, e.u[i].name());
  i -= e.u.size();
  if (i < e.q.size()) return fmt::format("the coordinate '{}' still changes at {:.6g} per second", e.q[i].name(), size);
  i -= e.q.size();
  const std::size_t nc = e.constraints.size();
  if (i < nc)
    return fmt::format("the constraint '{}' is violated by the speeds, by {:.6g}", e.constraints[i].name, size);
  if (i < 2 * nc) return fmt::format("the constraint '{}' stays open by {:.6g}", e.constraints[i - nc].name, size);
  if (i < 3 * nc)
    return fmt::format("the constraint '{}' requires accelerations of {:.6g}", e.constraints[i - 2 * nc].name, size);
  return fmt::format("the norm of a quaternion is off by {:.6g}", size);
}

std::string EquilibriumFinder::explain() const {
  const char* const what = options_.steady ? "steady motion" : "equilibrium";
  if (best_.row < 0)
    return fmt::format("no {} was found: the equations cannot be evaluated at the start, nor at {} other starts", what,
                       options_.starts);
  const auto row = static_cast<std::size_t>(best_.row);
  std::string text = fmt::format("no {} was found near the start, nor from {} other starts: at best {}", what,
                                 options_.starts, name_row(row));
  const bool constant = std::none_of(entries_.begin(), entries_.end(),
                                     [&](const Entry& k) { return k.row == row && scale_[k.column] != 0; });
  if (constant) text += ", and no unknown has any influence on it";
  text += options_.steady || evaluator_.system().inputs().empty()
              ? ". Hold other coordinates or speeds, or start elsewhere"
              : ". Perhaps an input must hold it (set it free), or there is a steady motion instead of rest";
  return text;
}

}  // namespace kane
