#include "kane/analysis/mobility.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "kane/analysis/situation.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/column_basis.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/qr.hpp"

namespace kane {

namespace {

/// Directions in which the rows (scaled to 1) change less than this are not constrained. Rounding is some 1e-13, and at a
/// distance d from a singular configuration the rows are d apart.
constexpr double kMobilityTolerance = 1e-7;
/// Rows shorter than this, relative to the longest, are rounding.
constexpr double kRowRounding = 1e-11;
/// Length of a step to a configuration nearby, rad or m.
constexpr double kStep = 0.05;
/// A step that ends nearer than this has led nowhere.
constexpr double kStuck = 1e-3;
constexpr int kDirections = 6;
constexpr int kSteps = 3;

class MobilityFinder {
 public:
  explicit MobilityFinder(Situation& at)
      : evaluator_(at.evaluator()),
        equations_(at.equations()),
        projector_(evaluator_),
        newton_(projector_.row_count(), at.state().q.size()) {}

  void explore(const State& start, MobilityReport& report) {
    evaluator_.set_time(start.t);
    rank_ = calc_rank(start.q);
    report.at_start = report.speeds - rank_;
    bool moves = report.at_start == 0;
    for (int d = 0; d < kDirections && report.at_start > 0; ++d) moves = wander(start.q) || moves;
    // Every small motion leads back: a structure that shakes and does not move.
    report.degrees_of_freedom = moves ? report.speeds - rank_ : 0;
    report.redundant = name_redundant(best_q_);
  }

 private:
  using Vector = std::vector<double>;

  /// Rows of A at q, each of length 1.
  [[nodiscard]] Matrix scaled_rows(const Vector& q) {
    evaluator_.calc_constraints(q, Vector(equations_.u.size(), 0.0));
    const ConstMatrixView a = evaluator_.active_jacobian();
    Matrix rows(a.rows, a.columns);
    double longest = 0;
    for (std::size_t i = 0; i < a.rows; ++i) longest = std::max(longest, norm2(a.row_span(i)));
    for (std::size_t i = 0; i < a.rows; ++i) {
      const double length = norm2(a.row_span(i));
      for (std::size_t j = 0; j < a.columns && length > kRowRounding * longest; ++j) rows(i, j) = a(i, j) / length;
    }
    // Speeds in metres and in radians: columns of equal size, unless they are rounding.
    for (std::size_t j = 0; j < a.columns; ++j) {
      double size = 0;
      for (std::size_t i = 0; i < a.rows; ++i) size = std::max(size, std::abs(rows(i, j)));
      for (std::size_t i = 0; i < a.rows && size > 1e-9; ++i) rows(i, j) /= size;
      scale_.resize(a.columns);
      scale_[j] = size > 1e-9 ? size : 1.0;
    }
    return rows;
  }

  std::size_t calc_rank(const Vector& q) {
    const Matrix rows = scaled_rows(q);
    PivotedQr qr(rows.rows(), rows.columns());
    qr.factor(rows.view(), kMobilityTolerance);
    if (best_q_.empty() || qr.rank() > rank_) best_q_ = q;
    return qr.rank();
  }

  /// A few steps in a direction that the constraints leave open. False if they lead nowhere.
  bool wander(const Vector& from) {
    Vector q = from, direction(equations_.u.size());
    for (double& v : direction) v = uniform();
    bool moved = false;
    for (int k = 0; k < kSteps; ++k) {
      if (!step(q, direction)) break;
      double distance = 0;
      for (std::size_t i = 0; i < q.size(); ++i) distance = std::max(distance, std::abs(q[i] - from[i]));
      if (distance < kStuck) break;
      moved = true;
      rank_ = std::max(rank_, calc_rank(q));
    }
    return moved;
  }

  /// Along the part of the direction that the constraints allow at q, then back onto them.
  bool step(Vector& q, Vector& direction) {
    const Matrix rows = scaled_rows(q);
    Vector v(direction.size()), r(rows.rows()), x(direction.size());
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = direction[j] * scale_[j];
    PivotedQr qr(rows.rows(), rows.columns());
    qr.factor(rows.view(), kMobilityTolerance);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = dot(rows.view().row(i), v.data(), v.size());
    qr.solve_minimum_norm(r, x);
    for (std::size_t j = 0; j < v.size(); ++j) direction[j] = (v[j] - x[j]) / scale_[j];
    Vector qdot = calc_rates(q, direction);
    const Vector at_rest = calc_rates(q, Vector(direction.size(), 0.0));
    for (std::size_t i = 0; i < q.size(); ++i) qdot[i] -= at_rest[i];
    const double length = max_abs(qdot);
    if (!(length > 1e-12) || !all_finite(qdot)) return false;
    Vector next = q;
    for (std::size_t i = 0; i < q.size(); ++i) next[i] += kStep / length * qdot[i];
    if (projector_.row_count() > 0) {
      NewtonOptions options;
      options.nearest = true;
      if (!projector_.solve_configuration(newton_, next, options).ok()) return false;
      (void)projector_.project_coordinates(next);
    }
    q = next;
    return true;
  }

  [[nodiscard]] Vector calc_rates(const Vector& q, const Vector& u) {
    evaluator_.calc_mass(q, u);
    return {evaluator_.qdot().begin(), evaluator_.qdot().end()};
  }

  [[nodiscard]] std::vector<std::string> name_redundant(const Vector& q) {
    const Matrix rows = scaled_rows(q);
    Matrix columns(rows.columns(), rows.rows());
    std::vector<int> classes;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      classes.push_back(1 + static_cast<int>(i));
      for (std::size_t j = 0; j < rows.columns(); ++j) columns(j, i) = rows(i, j);
    }
    const auto basis = choose_basis(columns.view(), classes, kMobilityTolerance);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < basis.size(); ++i)
      if (const auto row = at(evaluator_.active_rows()[i]); !basis[i] && row < equations_.constraints.size())
        names.push_back(equations_.constraints[row].name);
    return names;
  }

  /// Uniform in (-1, 1), the same numbers on every machine.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-52 - 1; }

  SystemEvaluator& evaluator_;
  const EquationsOfMotion& equations_;
  ConstraintProjector projector_;
  GaussNewton newton_;
  std::mt19937_64 engine_{20240229};
  Vector scale_, best_q_;
  std::size_t rank_ = 0;
};

}  // namespace

MobilityReport find_mobility(const Model& model, const StartState& state) {
  Situation at(model, state);
  const EquationsOfMotion& e = at.equations();
  MobilityReport report;
  report.speeds = e.u.size();
  report.degrees_of_freedom = report.speeds;
  for (std::size_t i = 0; i < e.constraints.size(); ++i) {
    if (!at.start().active[i]) continue;
    if (e.constraints[i].redundant)
      report.redundant.push_back(e.constraints[i].name);
    else if (report.degrees_of_freedom > 0)
      --report.degrees_of_freedom;
  }
  report.at_start = report.degrees_of_freedom;
  if (at.evaluator().active_rows().empty()) return report;
  State start = at.state();
  const AssemblyReport assembly = assemble(at.evaluator(), start, at.start().given);
  if (!assembly.ok) {
    report.failure = assembly.message;
    return report;
  }
  MobilityFinder(at).explore(start, report);
  return report;
}

}  // namespace kane
