#include "kane/simulate/system/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/column_basis.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

namespace {

/// Given values move this much less than guesses while it is not clear yet which of them can be held.
constexpr double kGivenScale = 0.1;
/// Differences below this are not worth telling.
constexpr double kMoved = 1e-9;
/// Successful other starts among which the nearest is taken.
constexpr int kEnough = 5;
/// A residual that counts as closed while searching, or where the equations cannot be solved more exactly.
constexpr double kClosed = 1e-10;
/// Speeds: |A u + b| relative to its terms.
constexpr double kClosedSpeeds = 1e-12;
/// A value of a state or a setting that moves by less than this, relative to itself, was rounded when it was written.
constexpr double kRounding = 1e-3;
/// Columns whose remainder is below this are useless as unknowns.
constexpr double kBasisTolerance = 1e-4;

using Flags = std::vector<bool>;
using Vector = std::vector<double>;

/// Uniform in (-1, 1), the same numbers on every machine.
double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1; }

bool any_of(const Flags& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); }

/// "q1, q2 and 5 more"
std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "), names.size() - kMost);
}

/// How open each constraint is that a user wrote.
using OpenGroups = std::map<std::string, double>;

/// "'loop' (by 0.1), 'rod' (by 0.02)", the worst first.
std::string list_open(const OpenGroups& groups) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, open] : groups) sorted.emplace_back(open, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<std::string> texts;
  for (const auto& [open, name] : sorted)
    if (open > 1e-3 * sorted.front().first && texts.size() < kMost)
      texts.push_back(fmt::format("'{}' (by {:.6g})", name, open));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The four numbers of a quaternion belong together: held if all are given, or several whose squares already add up to one,
/// so that the others can only be zero; free otherwise.
Flags whole_quaternions(Flags flags, const EquationsOfMotion& e, std::span<const double> q) {
  constexpr double kUnit = 1e-9;
  if (flags.empty()) flags.resize(e.q.size());
  for (const int first : e.quaternions) {
    double squares = 0;
    int given = 0;
    for (std::size_t k = at(first); k < at(first) + 4; ++k)
      if (flags[k]) squares += q[k] * q[k], ++given;
    const bool held = given == 4 || (given > 1 && std::abs(squares - 1) < kUnit);
    std::fill_n(flags.begin() + first, 4, held);
  }
  return flags;
}

/// Flags of the given columns that can be held while the rows are solved for the others.
Flags find_holdable(ConstMatrixView rows, const Flags& given, const Flags& insisted, const Flags& dependent) {
  std::vector<int> classes;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const bool first = !insisted.empty() && insisted[k];
    classes.push_back(!given[k] ? 0 : (first ? 3 : 1) + (dependent[k] ? 0 : 1));
  }
  Flags held = choose_basis(rows, classes, kBasisTolerance);
  for (std::size_t k = 0; k < held.size(); ++k) held[k] = given[k] && !held[k];
  return held;
}

class Assembler {
 public:
  Assembler(SystemEvaluator& evaluator, State& state, const GivenValues& given, const AssemblyOptions& options)
      : evaluator_(evaluator),
        equations_(evaluator.system().equations()),
        state_(state),
        given_(given),
        options_(options),
        projector_(evaluator, options.tolerance),
        newton_(projector_.row_count(), state.q.size()),
        start_(state) {
    if (given_.insisted_q.empty()) given_.insisted_q.assign(start_.q.size(), false);
    if (given_.insisted_u.empty()) given_.insisted_u.assign(start_.u.size(), false);
  }

  AssemblyReport run() {
    evaluator_.set_time(state_.t);
    if (projector_.row_count() > 0 && !assemble_coordinates()) return report_;
    if (!evaluator_.active_rows().empty() && !assemble_speeds()) return report_;
    report_.ok = true;
    list_moves();
    warn();
    return report_;
  }

 private:
  // ---- coordinates -----------------------------------------------------------------------------------------------------
  bool assemble_coordinates() {
    Vector q = start_.q;
    prepare_quaternions(q);
    origin_ = q;
    if (projector_.is_closed(q)) return state_.q = q, true;
    const Flags given = whole_quaternions(given_.q, equations_, q);
    const Flags insisted = whole_quaternions(given_.insisted_q, equations_, q);
    if (search(q, scales(given, given)) && closed_) return true;
    // Given values contradict each other, or nothing is given and nothing closes the loops.
    const bool nearly = found_;
    const Vector nearly_q = state_.q;
    const Contradiction all = describe_open(given);
    Contradiction first = all;
    bool ok = any_of(insisted) && insisted != given && search(q, scales(insisted, given));
    if (!ok && insisted != given) first = describe_open(insisted);
    if (!ok && any_of(given)) ok = search(q, scales(Flags(q.size(), false), given));
    if (!ok && !nearly) return report_.message = explain_coordinates(), false;
    if (!ok) return state_.q = nearly_q, true;
    hold_what_can_be_held(q, given);
    if (nearly && !projector_.is_closed(state_.q)) state_.q = nearly_q;
    contradiction_ = all;
    if (!moved_too_far(origin_, state_.q, insisted)) return true;
    refuse(first, "value");
    return false;
  }

  /// From a configuration that is closed: the one in which as many given values as possible are held. Stays there if that
  /// does not exist.
  void hold_what_can_be_held(const Vector& q, const Flags& given) {
    const Vector closed = state_.q;
    Matrix j(projector_.row_count(), q.size());
    projector_.calc_configuration(closed, {}, j.view());
    const Flags held = find_held_coordinates(j.view(), closed, given_, equations_);
    if (!search(q, scales(held, given))) state_.q = closed;
  }

  /// From the start, then from elsewhere, with these scales (0: held). Fills state_.q, found_ and closed_.
  bool search(const Vector& from, const Vector& scale) {
    best_residual_.clear();
    remember(from);
    closed_ = found_ = false;
    Vector q = from;
    if (solve(q, scale, 3.0) || (q = from, solve(q, scale, 1e300))) return finish(q, scale);
    if (max_abs(scale) == 0) return false;
    std::mt19937_64 engine(20240229);
    Vector best;
    double best_distance = std::numeric_limits<double>::infinity();
    int found = 0;
    for (int i = 0; i < options_.starts && found < kEnough; ++i) {
      ++report_.starts;
      // Near the start first, then anywhere within half a turn.
      const double radius = i < options_.starts / 3 ? 0.3 : 3.1;
      q = from;
      for (std::size_t k = 0; k < q.size(); ++k)
        if (scale[k] != 0) q[k] += radius * uniform(engine);
      prepare_quaternions(q);
      if (!solve(q, scale, 3.0)) continue;
      ++found;
      const double distance = calc_distance(from, q, scale);
      if (distance < best_distance) best_distance = distance, best = q;
    }
    return found > 0 && finish(best, scale);
  }

  bool solve(Vector& q, const Vector& scale, double max_step) {
    NewtonOptions options;
    options.tolerance = kClosed;
    options.max_iterations = 200;
    options.max_step = max_step;
    options.nearest = true;
    options.scale = scale;
    const NewtonReport report = projector_.solve_configuration(newton_, q, options);
    remember(q);
    return report.ok();
  }

  /// The last digits; what is held stays held.
  bool finish(Vector q, const Vector& scale) {
    NewtonOptions options;
    options.tolerance = 0;
    options.max_iterations = 10;
    options.scale = scale;
    if (!projector_.is_closed(q)) (void)projector_.solve_configuration(newton_, q, options);
    remember(q);
    state_.q = std::move(q);
    found_ = true;
    closed_ = projector_.is_closed(state_.q);
    return true;
  }

  /// Keeps the configuration that is least open, for the explanation.
  void remember(const Vector& q) {
    Vector r(projector_.row_count());
    projector_.calc_configuration(q, r, {});
    const double size = norm2(r);
    if (std::isnan(size) || (!best_residual_.empty() && size >= norm2(best_residual_))) return;
    best_residual_ = r;
    best_q_ = q;
  }

  /// 0 for those that are held, less than 1 for others that are given.
  [[nodiscard]] static Vector scales(const Flags& held, const Flags& given) {
    Vector scale(held.size(), 1.0);
    for (std::size_t k = 0; k < scale.size(); ++k) scale[k] = held[k] ? 0.0 : given[k] ? kGivenScale : 1.0;
    return scale;
  }

  /// A quaternion of nothing but zeros has no direction to be normalised in; one that is normalised stays as it is.
  void prepare_quaternions(Vector& q) const {
    for (const int first : equations_.quaternions) {
      const std::span<double> e{&q[at(first)], 4};
      const double length = norm2(e);
      if (length == 0) e[3] = 1;
      if (length > 0 && std::isfinite(length) && std::abs(length - 1) > 1e-15)
        for (double& v : e) v /= length;
    }
  }

  static double calc_distance(const Vector& from, const Vector& to, const Vector& scale) {
    double sum = 0;
    for (std::size_t k = 0; k < from.size(); ++k)
      if (scale[k] != 0) sum += (to[k] - from[k]) * (to[k] - from[k]) / (scale[k] * scale[k]);
    return sum;
  }

  // ---- explanations ----------------------------------------------------------------------------------------------------
  /// Given values that leave constraints open.
  struct Contradiction {
    std::vector<std::string> names;  ///< of the given values that the open constraints depend on
    OpenGroups open;
  };

  [[nodiscard]] const std::string& group_of(std::size_t constraint) const {
    const auto& c = equations_.constraints[constraint];
    return c.group.empty() ? c.name : c.group;
  }

  /// At the configuration of the last search that was least open.
  [[nodiscard]] Contradiction describe_open(const Flags& held) {
    Contradiction c;
    if (best_residual_.empty()) return c;
    Matrix j(projector_.row_count(), best_q_.size());
    projector_.calc_configuration(best_q_, {}, j.view());
    Flags used(held.size(), false);
    const double worst = max_abs(best_residual_);
    for (std::size_t i = 0; i < best_residual_.size(); ++i) {
      const int row = projector_.constraint_of_row(i);
      if (row < 0 || at(row) >= equations_.constraints.size()) continue;
      double& open = c.open[group_of(at(row))];
      open = std::hypot(open, best_residual_[i]);
      if (std::abs(best_residual_[i]) < 1e-3 * worst) continue;
      for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k] && std::abs(j(i, k)) > 1e-12) used[k] = true;
    }
    for (std::size_t k = 0; k < used.size(); ++k)
      if (used[k]) c.names.push_back(equations_.q[k].name());
    return c;
  }

  void refuse(const Contradiction& c, const char* what) {
    const bool one = c.names.size() == 1;
    report_.open =
        c.open.empty() ? "" : std::max_element(c.open.begin(), c.open.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
    for (const auto& [name, open] : c.open) report_.residual = std::max(report_.residual, open);
    report_.message = fmt::format(
        "the {}{} given for {} {}: with {} held, the best that can be found leaves open {}. Leave out {}, or give {} "
        "as "
        "a guess",
        what, one ? "" : "s", list_names(c.names), one ? "cannot be reached" : "contradict each other",
        one ? "it" : "all of them", list_open(c.open), one ? "the value" : "one of them",
        one ? "it" : "those that may move");
  }

  std::string explain_coordinates() {
    const Contradiction c = describe_open(Flags(start_.q.size(), false));
    report_.residual = max_abs(best_residual_);
    if (c.open.empty()) return "the configuration equations cannot be evaluated at the initial values";
    const auto worst = std::max_element(c.open.begin(), c.open.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    report_.open = worst->first;
    return fmt::format(
        "the mechanism cannot be assembled: no configuration near the initial values, and none from {} other starts, "
        "closes the constraint '{}'; at best it stays open by {:.6g}. Check the lengths that meet there, or give "
        "initial "
        "values closer to a configuration that exists",
        report_.starts, worst->first, worst->second);
  }

  static bool moved_too_far(const Vector& from, const Vector& to, const Flags& insisted) {
    for (std::size_t k = 0; k < from.size(); ++k)
      if (insisted[k] && std::abs(to[k] - from[k]) > kRounding * std::abs(from[k]) + kMoved) return true;
    return false;
  }

  // ---- speeds ----------------------------------------------------------------------------------------------------------
  bool assemble_speeds() {
    evaluator_.calc_constraints(state_.q, state_.u);
    if (speeds_closed(kClosedSpeeds)) return true;
    if (solve_speeds(given_.u)) return true;
    Contradiction all = describe_open_speeds(given_.u), first = all;
    const Flags held = find_held_speeds(evaluator_.active_jacobian(), given_, equations_);
    if (any_of(given_.insisted_u) && given_.insisted_u != given_.u && !solve_speeds(given_.insisted_u))
      first = describe_open_speeds(given_.insisted_u);
    if (!solve_speeds(held) && !project_speeds()) return false;
    if (contradiction_.names.empty()) contradiction_ = std::move(all), contradiction_of_speeds_ = true;
    if (!moved_too_far(start_.u, state_.u, given_.insisted_u)) return true;
    refuse(first, "speed");
    return false;
  }

  [[nodiscard]] bool speeds_closed(double tolerance) const {
    const ConstMatrixView a = evaluator_.active_jacobian();
    const auto b = evaluator_.active_b();
    for (std::size_t i = 0; i < a.rows; ++i) {
      double sum = b[i], size = std::abs(b[i]);
      for (std::size_t j = 0; j < state_.u.size(); ++j)
        sum += a(i, j) * state_.u[j], size += std::abs(a(i, j) * state_.u[j]);
      if (!(std::abs(sum) <= tolerance * std::max(1.0, size))) return false;
    }
    return true;
  }

  /// The shortest change of the speeds that are not held, from the start.
  bool solve_speeds(const Flags& held) {
    const ConstMatrixView a = evaluator_.active_jacobian();
    const auto b = evaluator_.active_b();
    state_.u = start_.u;
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < state_.u.size(); ++j)
      if (!held[j]) free.push_back(j);
    if (free.empty()) return false;
    PivotedQr qr(a.rows, free.size());
    double* const columns = qr.prepare(a.rows, free.size());
    Vector r(a.rows), x(free.size());
    for (std::size_t i = 0; i < a.rows; ++i)
      for (std::size_t j = 0; j < free.size(); ++j) columns[j * a.rows + i] = a(i, free[j]);
    qr.factor(1e-9);
    constexpr int kRefinements = 3;
    for (int pass = 0; pass < kRefinements; ++pass) {
      for (std::size_t i = 0; i < a.rows; ++i) r[i] = -b[i] - dot(a.row(i), state_.u.data(), state_.u.size());
      if (!all_finite(r)) return false;
      qr.solve_minimum_norm(r, x);
      for (std::size_t j = 0; j < free.size(); ++j) state_.u[free[j]] += x[j];
      if (speeds_closed(kClosedSpeeds)) return true;
    }
    return speeds_closed(kClosed);
  }

  [[nodiscard]] Contradiction describe_open_speeds(const Flags& held) const {
    Contradiction c;
    const ConstMatrixView a = evaluator_.active_jacobian();
    const auto b = evaluator_.active_b();
    Vector r(a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) r[i] = b[i] + dot(a.row(i), state_.u.data(), state_.u.size());
    Flags used(held.size(), false);
    for (std::size_t i = 0; i < a.rows; ++i) {
      const std::size_t row = at(evaluator_.active_rows()[i]);
      if (row >= equations_.constraints.size()) continue;
      double& open = c.open[group_of(row)];
      open = std::hypot(open, r[i]);
      if (std::abs(r[i]) < 1e-3 * max_abs(r)) continue;
      for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k] && std::abs(a(i, k)) > 1e-12) used[k] = true;
    }
    for (std::size_t k = 0; k < used.size(); ++k)
      if (used[k]) c.names.push_back(equations_.u[k].name());
    return c;
  }

  /// Where no choice of free speeds satisfies all rows: the nearest in kinetic energy.
  bool project_speeds() {
    state_.u = start_.u;
    if (projector_.project_speeds(state_.q, state_.u) != ProjectionStatus::Failed) return true;
    const auto& open = projector_.residuals();
    report_.residual = open.motion;
    report_.open = open.motion_row < 0 ? "" : equations_.constraints[at(open.motion_row)].name;
    report_.message = fmt::format(
        "no speeds satisfy all constraints at the initial configuration: the constraint '{}' is violated by {:.6g}. "
        "Constraints that contradict each other, or one that has to move a mechanism in a dead position, cannot hold",
        report_.open, report_.residual);
    return false;
  }

  // ---- the report --------------------------------------------------------------------------------------------------------
  void list_moves() {
    const auto list = [&](const std::vector<Expr>& symbols, const Vector& from, const Vector& to, const Flags& given) {
      for (std::size_t k = 0; k < from.size(); ++k)
        if (std::abs(to[k] - from[k]) > kMoved * std::max(1.0, std::abs(from[k])))
          report_.moved.push_back({symbols[k].name(), from[k], to[k], given[k]});
    };
    list(equations_.q, start_.q, state_.q, given_.q);
    list(equations_.u, start_.u, state_.u, given_.u);
  }

  /// Values of the model give way to those of a state or a setting; that is not a contradiction.
  void warn() {
    if (contradiction_.names.empty() || !report_.moved_given()) return;
    const auto insisted = [&](const AssemblyMove& m) {
      return is_among(equations_.q, given_.insisted_q, m.name) || is_among(equations_.u, given_.insisted_u, m.name);
    };
    const bool settings = any_of(given_.insisted_q) || any_of(given_.insisted_u);
    if (settings && std::none_of(report_.moved.begin(), report_.moved.end(), insisted)) return;
    std::vector<std::string> moved;
    for (const AssemblyMove& m : report_.moved)
      if (m.given) moved.push_back(fmt::format("{} to {:.9g}", m.name, m.to));
    report_.warning = fmt::format(
        "the {} given for {} contradict each other: held together they leave open {}. Moved: {}. Values that may move "
        "belong under 'guess'",
        contradiction_of_speeds_ ? "speeds" : "values", list_names(contradiction_.names),
        list_open(contradiction_.open), list_names(moved));
  }

  static bool is_among(const std::vector<Expr>& symbols, const Flags& flags, const std::string& name) {
    for (std::size_t k = 0; k < symbols.size(); ++k)
      if (flags[k] && symbols[k].name() == name) return true;
    return false;
  }

  SystemEvaluator& evaluator_;
  const EquationsOfMotion& equations_;
  State& state_;
  GivenValues given_;
  const AssemblyOptions& options_;
  ConstraintProjector projector_;
  GaussNewton newton_;
  State start_;
  Vector origin_;  ///< start_.q with quaternions normalised
  Vector best_residual_, best_q_;
  bool found_ = false, closed_ = false;  ///< by the last search: nearly, and to rounding
  Contradiction contradiction_;
  bool contradiction_of_speeds_ = false;
  AssemblyReport report_;
};

}  // namespace

std::vector<bool> find_held_coordinates(ConstMatrixView j, std::span<const double> q, const GivenValues& values,
                                        const EquationsOfMotion& e) {
  const Flags given = whole_quaternions(values.q, e, q), insisted = whole_quaternions(values.insisted_q, e, q);
  Flags dependent(e.q.size(), false);
  for (const int u : e.dependent_speeds)
    for (std::size_t k = 0; k < dependent.size(); ++k)
      if (e.qdot[k] == e.u[at(u)]) dependent[k] = true;
  // The norm of a quaternion that is given as a whole is not an equation, and its length is not an unknown.
  Matrix rows(j.rows, j.columns);
  for (std::size_t i = 0; i < j.rows; ++i) std::copy_n(j.row(i), j.columns, rows.view().row(i));
  for (const int quaternion : e.quaternions) {
    const std::size_t first = at(quaternion);
    for (std::size_t i = 0; i < j.rows && given[first]; ++i) {
      const double along = dot(j.row(i) + first, &q[first], 4);
      for (std::size_t c = first; c < first + 4; ++c) rows(i, c) -= along * q[c];
    }
  }
  return whole_quaternions(find_holdable(rows.view(), given, insisted, dependent), e, q);
}

std::vector<bool> find_held_speeds(ConstMatrixView a, const GivenValues& given, const EquationsOfMotion& e) {
  Flags dependent(e.u.size(), false);
  for (const int u : e.dependent_speeds) dependent[at(u)] = true;
  return find_holdable(a, given.u, given.insisted_u, dependent);
}

bool AssemblyReport::moved_given() const {
  return std::any_of(moved.begin(), moved.end(), [](const AssemblyMove& m) { return m.given; });
}

std::string AssemblyReport::to_string() const {
  std::string text;
  for (const auto& m : moved)
    text += fmt::format("  {:<16} {:>16.10g} -> {:>16.10g}{}\n", m.name, m.from, m.to, m.given ? "  (was given)" : "");
  return text;
}

AssemblyReport assemble(SystemEvaluator& evaluator, State& state, const GivenValues& given,
                        const AssemblyOptions& options) {
  const EquationsOfMotion& e = evaluator.system().equations();
  ensure(state.q.size() == e.q.size() && state.u.size() == e.u.size() && given.q.size() == e.q.size() &&
             given.u.size() == e.u.size(),
         "a state of another system");
  require(all_finite(state.q) && all_finite(state.u), "the initial values contain a number that is not finite");
  return Assembler(evaluator, state, given, options).run();
}

void require_assembly(SystemEvaluator& evaluator, State& state, const GivenValues& given,
                      const AssemblyOptions& options, AssemblyReport* report) {
  AssemblyReport own = assemble(evaluator, state, given, options);
  const bool ok = own.ok;
  const std::string message = own.message;
  if (report != nullptr) *report = std::move(own);
  require(ok, "{}", message);
}

void check_initial_state(const EquationsOfMotion& e, const State& state) {
  require(state.q.size() == e.q.size() && state.u.size() == e.u.size(),
          "a state with {} coordinates and {} speeds was given to '{}', which has {} and {}", state.q.size(),
          state.u.size(), e.name, e.q.size(), e.u.size());
  require(all_finite(state.q) && all_finite(state.u) && std::isfinite(state.t),
          "the initial state contains a number that is not finite");
}

}  // namespace kane
