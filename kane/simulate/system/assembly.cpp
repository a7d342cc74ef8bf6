#include "kane/simulate/system/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

namespace {

/// Given values move this much less than guesses when they have to move.
constexpr double kGivenScale = 0.1;
/// Differences below this are not worth telling.
constexpr double kMoved = 1e-9;
/// Successful other starts among which the nearest is taken.
constexpr int kEnough = 5;
/// A residual that counts as closed while searching; the projector does the rest.
constexpr double kClosed = 1e-10;

/// Uniform in (-1, 1), the same numbers on every machine.
double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1; }

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
        start_(state) {}

  AssemblyReport run() {
    evaluator_.set_time(state_.t);
    if (projector_.row_count() > 0 && !assemble_coordinates()) {
      report_.message = explain_coordinates();
      return report_;
    }
    if (!evaluator_.active_rows().empty() && !assemble_speeds()) return report_;
    report_.ok = true;
    list_moves();
    return report_;
  }

 private:
  using Vector = std::vector<double>;

  // ---- coordinates -----------------------------------------------------------------------------------------------------
  bool assemble_coordinates() {
    Vector q = start_.q;
    prepare_quaternions(q);
    remember(q);
    const bool any_given = std::find(given_.q.begin(), given_.q.end(), true) != given_.q.end();
    const bool all_given = std::find(given_.q.begin(), given_.q.end(), false) == given_.q.end();
    if (any_given && !all_given && search(q, held_scale(0))) return true;
    return search(q, held_scale(any_given && !all_given ? kGivenScale : 1));
  }

  /// From the start, then from elsewhere, with these scales (0: held).
  bool search(const Vector& from, const Vector& scale) {
    Vector q = from;
    if (solve(q, scale, 3.0) || (q = from, solve(q, scale, 1e300))) return finish(q);
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
    return found > 0 && finish(best);
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

  /// The last digits, where the held values allow it.
  bool finish(Vector q) {
    Vector polished = q;
    if (projector_.project_coordinates(polished) != ProjectionStatus::Failed) q = polished;
    state_.q = q;
    return true;
  }

  /// Keeps the configuration that is least open, for the explanation.
  void remember(const Vector& q) {
    Vector r(projector_.row_count());
    projector_.calc_configuration(q, r, {});
    const double size = norm2(r);
    if (std::isnan(size) || (!best_residual_.empty() && size >= norm2(best_residual_))) return;
    best_residual_ = r;
  }

  [[nodiscard]] Vector held_scale(double given) const {
    Vector scale(start_.q.size(), 1.0);
    for (std::size_t k = 0; k < scale.size(); ++k)
      if (given_.q[k]) scale[k] = given;
    // The four numbers of a quaternion belong together: held if all are given, free otherwise.
    for (const int first : equations_.quaternions) {
      const auto begin = at(first);
      const bool whole = given_.q[begin] && given_.q[begin + 1] && given_.q[begin + 2] && given_.q[begin + 3];
      for (std::size_t k = begin; k < begin + 4; ++k) scale[k] = whole ? given : 1.0;
    }
    return scale;
  }

  /// A quaternion of nothing but zeros has no direction to be normalised in.
  void prepare_quaternions(Vector& q) const {
    for (const int first : equations_.quaternions) {
      const std::span<double> e{&q[at(first)], 4};
      const double length = norm2(e);
      if (length == 0) e[3] = 1;
      if (length > 0 && std::isfinite(length))
        for (double& v : e) v /= length;
    }
  }

  static double calc_distance(const Vector& from, const Vector& to, const Vector& scale) {
    double sum = 0;
    for (std::size_t k = 0; k < from.size(); ++k)
      if (scale[k] != 0) sum += (to[k] - from[k]) * (to[k] - from[k]) / (scale[k] * scale[k]);
    return sum;
  }

  std::string explain_coordinates() {
    std::map<std::string, double> groups;
    double worst = -1;
    std::string group;
    for (std::size_t i = 0; i < best_residual_.size(); ++i) {
      const int c = projector_.constraint_of_row(i);
      report_.residual = std::max(report_.residual, std::abs(best_residual_[i]));
      if (c >= static_cast<int>(equations_.constraints.size())) continue;
      const auto& constraint = equations_.constraints[at(c)];
      double& open = groups[constraint.group.empty() ? constraint.name : constraint.group];
      open = std::hypot(open, best_residual_[i]);
    }
    for (const auto& [name, open] : groups)
      if (open > worst) worst = open, group = name;
    if (groups.empty()) return "the configuration equations cannot be evaluated at the initial values";
    report_.open = group;
    return fmt::format(
        "the mechanism cannot be assembled: no configuration near the initial values, and none from {} other starts, "
        "closes the constraint '{}'; at best it stays open by {:.6g}. Check the lengths that meet there, or give "
        "initial "
        "values closer to a configuration that exists",
        report_.starts, group, worst);
  }

  // ---- speeds ----------------------------------------------------------------------------------------------------------
  bool assemble_speeds() {
    if (speeds_with_given_held()) return polish_speeds();
    state_.u = start_.u;
    return polish_speeds();
  }

  /// The shortest change of the speeds that are not given.
  bool speeds_with_given_held() {
    evaluator_.calc_constraints(state_.q, state_.u);
    const ConstMatrixView a = evaluator_.active_jacobian();
    const auto b = evaluator_.active_b();
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < state_.u.size(); ++j)
      if (!given_.u[j]) free.push_back(j);
    if (free.empty()) return false;
    PivotedQr qr(a.rows, free.size());
    double* const columns = qr.prepare(a.rows, free.size());
    Vector r(a.rows), x(free.size());
    double size = 1;
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t j = 0; j < free.size(); ++j) columns[j * a.rows + i] = a(i, free[j]);
      r[i] = -b[i] - dot(a.row(i), state_.u.data(), state_.u.size());
      size = std::max(size, std::abs(r[i]));
    }
    if (!all_finite(r)) return false;
    qr.factor(1e-9);
    qr.solve_minimum_norm(r, x);
    for (std::size_t j = 0; j < free.size(); ++j) state_.u[free[j]] += x[j];
    return projector_.calc_residuals(state_.q, state_.u).motion <= 1e-9 * size;
  }

  bool polish_speeds() {
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

  void list_moves() {
    const auto list = [&](const std::vector<Expr>& symbols, const Vector& from, const Vector& to,
                          const std::vector<bool>& given) {
      for (std::size_t k = 0; k < from.size(); ++k)
        if (std::abs(to[k] - from[k]) > kMoved * std::max(1.0, std::abs(from[k])))
          report_.moved.push_back({symbols[k].name(), from[k], to[k], given[k]});
    };
    list(equations_.q, start_.q, state_.q, given_.q);
    list(equations_.u, start_.u, state_.u, given_.u);
  }

  SystemEvaluator& evaluator_;
  const EquationsOfMotion& equations_;
  State& state_;
  const GivenValues& given_;
  const AssemblyOptions& options_;
  ConstraintProjector projector_;
  GaussNewton newton_;
  State start_;
  Vector best_residual_;
  AssemblyReport report_;
};

}  // namespace

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
  require(all_finite(state.q) && all_finite(state.u), "the initial values hold something that is not a finite number");
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
          "the initial state holds something that is not a finite number");
}

}  // namespace kane
