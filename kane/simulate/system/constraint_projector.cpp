#include "kane/simulate/system/constraint_projector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/simulate/tick/written_constraint.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kMostIterations = 20;
/// Directions in which phi hardly changes (near a singular configuration, or redundant rows) are left alone.
constexpr double kRankTolerance = 1e-7;
/// Residual that may remain when no step reduces it: rounding inside large expressions, or a singular direction.
constexpr double kStalledResidual = 1e-9;
/// Largest |A u + b|, relative to its terms, that may be left after a projection: redundant rows that disagree.
constexpr double kSpeedContradiction = 1e-8;
/// The same near a change point, and how many times the tolerance coordinates may be off there.
constexpr double kMostContradiction = 1e-3;
constexpr double kNoise = 1e3;
/// Coordinates are not known better than this, whatever the tolerance.
constexpr double kKnown = 1e-13;
/// Entries of dphi/dq from which on it pays to skip those that are zero.
constexpr std::size_t kManyEntries = 400;

const Kernel* configuration_kernel(const CompiledSystem& system) {
  const ConfigurationKernel* const configuration = system.extra().configuration();
  return configuration == nullptr ? nullptr : &configuration->kernel;
}

}  // namespace

ConstraintProjector::ConstraintProjector(SystemEvaluator& evaluator, double tolerance)
    : evaluator_(evaluator),
      tolerance_(tolerance),
      configuration_(configuration_kernel(evaluator.system()), evaluator.context()),
      quaternions_(evaluator.system().equations().quaternions.size()),
      qr_(evaluator.system().row_count() + quaternions_, evaluator.system().coordinate_count()) {
  const auto& constraints = evaluator.system().equations().constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints[i].phi) phi_constraints_.push_back(static_cast<int>(i));
  const std::size_t slots = evaluator.system().contact_layout().slots;
  const std::size_t free = evaluator.system().free_rows();
  const std::size_t rows = phi_constraints_.size() + quaternions_ + slots + free,
                    nq = evaluator.system().coordinate_count();
  contact_rows_.reserve(slots), written_.reserve(free);
  if (slots > 0) gram_ = Matrix(evaluator.system().speed_count(), evaluator.system().speed_count());
  zeros_.resize(evaluator.system().speed_count()), speeds_.resize(evaluator.system().speed_count());
  jacobian_ = Matrix(rows, nq);
  residual_.resize(rows);
  step_.resize(nq);
  trial_.resize(rows);
  rows_.reserve(rows);
  update_active();
}

void ConstraintProjector::update_active() {
  rows_.clear();
  const auto& active = evaluator_.active_rows();
  for (std::size_t k = 0; k < phi_constraints_.size(); ++k)
    if (std::find(active.begin(), active.end(), phi_constraints_[k]) != active.end()) rows_.push_back(k);
  written_.clear();
  for (std::size_t k = 0; k < evaluator_.system().free_rows(); ++k) {
    const auto row = static_cast<int>(evaluator_.system().first_free_row() + k);
    const WrittenRow* written = evaluator_.written(k);
    if (written != nullptr && written->constraint().configuration() &&
        std::find(active.begin(), active.end(), row) != active.end())
      written_.push_back(k);
  }
  contact_rows_.clear();
  const ContactRows* contacts = evaluator_.contacts();
  for (std::size_t slot = 0; contacts != nullptr && slot < contacts->layout().slots; ++slot)
    if (std::find(active.begin(), active.end(), static_cast<int>(contacts->first_row(slot))) != active.end())
      contact_rows_.push_back(contacts->first_row(slot));
  find_places();
}

/// Places of the entries of dphi/dq that are not zero, where there are many and all of them are known beforehand.
void ConstraintProjector::find_places() {
  const std::size_t nq = step_.size();
  few_entries_ = !rows_.empty() && contact_rows_.empty() && written_.empty() && row_count() * nq >= kManyEntries;
  if (!few_entries_) return;
  const auto& known = evaluator_.system().extra().configuration()->places;
  std::vector<std::vector<int>> quaternions;
  for (const int first : evaluator_.system().equations().quaternions)
    quaternions.push_back({first, first + 1, first + 2, first + 3});
  std::vector<std::span<const int>> places;
  for (const std::size_t k : rows_) places.push_back(known[k]);
  for (const auto& q : quaternions) places.push_back(q);
  if (gram_of_rows_.capacity() < places.size()) gram_of_rows_ = RowGram(jacobian_.rows(), nq);
  gram_of_rows_.set_places(places);
}

/// The shortest step that closes the constraints to first order, into step_. False where the rows are nearly dependent: then
/// an orthogonal factorisation has to tell.
bool ConstraintProjector::solve_with_gram() {
  gram_of_rows_.load(jacobian_.packed(row_count(), step_.size()));
  constexpr double kRounding = 1e-12;
  if (!gram_of_rows_.factor(kRounding).clear()) return false;
  gram_of_rows_.solve_shortest({trial_.data(), row_count()}, step_);
  return true;
}

int ConstraintProjector::constraint_of_row(std::size_t row) const {
  if (row < rows_.size()) return phi_constraints_[rows_[row]];
  if (row >= rows_.size() + quaternions_ + contact_rows_.size()) return -3;
  if (row >= rows_.size() + quaternions_) return -2;
  return static_cast<int>(evaluator_.system().constraint_count() + row - rows_.size());
}

/// A contact of shapes knows A, its rate along the speeds, and qdot = Q u + ...: the shortest dphi/dq with dphi/dq Q = A is
/// A (Q^T Q)^-1 Q^T.
void ConstraintProjector::calc_contacts(std::span<const double> q, std::span<double> residual, MatrixView j) {
  evaluator_.calc_contacts(q, zeros_);
  const std::size_t first = rows_.size() + quaternions_, n = zeros_.size();
  for (std::size_t i = 0; i < contact_rows_.size() && !residual.empty(); ++i)
    residual[first + i] = evaluator_.phi()[contact_rows_[i]];
  if (j.rows == 0) return;
  const ConstMatrixView Q = evaluator_.contacts()->calc_rates(q, zeros_);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a; b < n; ++b) {
      double sum = 0;
      for (std::size_t k = 0; k < q.size(); ++k) sum += Q(k, a) * Q(k, b);
      gram_(a, b) = sum;
    }
  const bool good = factor_ldlt(gram_.view()).ok();
  for (std::size_t i = 0; i < contact_rows_.size(); ++i) {
    std::copy_n(evaluator_.jacobian().row(contact_rows_[i]), n, speeds_.begin());
    if (good) solve_ldlt(gram_.view(), speeds_);
    for (std::size_t k = 0; k < q.size(); ++k) j(first + i, k) = good ? dot(Q.row(k), speeds_.data(), n) : 0.0;
  }
}

void ConstraintProjector::calc_written(std::span<const double> q, std::span<double> residual, MatrixView j) {
  const std::size_t first = rows_.size() + quaternions_ + contact_rows_.size(), n = zeros_.size();
  for (std::size_t i = 0; i < written_.size(); ++i) {
    WrittenRow& row = *evaluator_.written(written_[i]);
    row.calc(q, zeros_);
    if (!residual.empty()) residual[first + i] = row.phi();
    if (j.rows > 0) std::ranges::copy(row.gradient(n), j.row(first + i));
  }
}

void ConstraintProjector::calc_configuration(std::span<const double> q, std::span<double> residual, MatrixView j) {
  const std::size_t nq = q.size(), width = nq + 1;
  if (!rows_.empty()) {
    // phi does not depend on u; whatever stands there is not read.
    const auto y = configuration_.run(q);
    const bool compact = evaluator_.system().equations().switched();
    const auto& places = evaluator_.system().extra().configuration()->places;
    std::size_t row = 0, first = 0;  // where that row begins if only entries that are not zero are there
    for (std::size_t i = 0; i < rows_.size(); ++i) {  // ascending
      for (; compact && row < rows_[i]; ++row) first += 1 + places[row].size();
      const double* const from = y.data() + (compact ? first : rows_[i] * width);
      if (!residual.empty()) residual[i] = from[0];
      if (j.rows == 0) continue;
      if (!compact) {
        std::copy_n(from + 1, nq, j.row(i));
        continue;
      }
      std::fill_n(j.row(i), nq, 0.0);
      for (std::size_t k = 0; k < places[rows_[i]].size(); ++k) j(i, at(places[rows_[i]][k])) = from[1 + k];
    }
  }
  const auto& quaternions = evaluator_.system().equations().quaternions;
  for (std::size_t k = 0; k < quaternions_; ++k) {
    const std::size_t row = rows_.size() + k, first = at(quaternions[k]);
    if (!residual.empty()) residual[row] = 0.5 * (dot(&q[first], &q[first], 4) - 1);
    if (j.rows == 0) continue;
    std::fill_n(j.row(row), nq, 0.0);
    std::copy_n(&q[first], 4, j.row(row) + first);
  }
  if (!contact_rows_.empty()) calc_contacts(q, residual, j);
  if (!written_.empty()) calc_written(q, residual, j);
}

NewtonReport ConstraintProjector::solve_configuration(GaussNewton& newton, std::span<double> q,
                                                      const NewtonOptions& options) {
  const auto residual = [&](std::span<const double> x, std::span<double> r) {
    calc_configuration(x, r, {});
    return true;
  };
  const auto jacobian = [&](std::span<const double> x, MatrixView j) {
    calc_configuration(x, {}, j);
    return true;
  };
  return newton.solve(residual, jacobian, q, options);
}

/// Where there are quaternions only, J is left for when it is needed: of a thousand bodies it has millions of zeros.
void ConstraintProjector::evaluate(std::span<const double> q) {
  const MatrixView j = jacobian_.packed(row_count(), q.size());
  calc_configuration(q, residual_, row_count() == quaternions_ ? MatrixView{} : j);
}

// Rounding of q alone moves phi by eps sum |dphi/dq_j| |q_j|.
ConstraintProjector::Measure ConstraintProjector::measure(std::span<const double> q) const {
  Measure m;
  const ConstMatrixView j = jacobian_.packed(row_count(), q.size());
  for (std::size_t i = 0; i < row_count(); ++i) {
    double noise = 0;
    if (i >= rows_.size() && i < rows_.size() + quaternions_) {  // its row of J is e itself
      const double* const e = &q[at(evaluator_.system().equations().quaternions[i - rows_.size()])];
      noise = dot(e, e, 4);
    } else {
      if (few_entries_)
        for (const int k : gram_of_rows_.places(i)) noise += std::abs(j(i, at(k)) * q[at(k)]);
      else
        for (std::size_t k = 0; k < q.size(); ++k) noise += std::abs(j(i, k) * q[k]);
    }
    const double size = std::abs(residual_[i]);
    const double excess = size / std::max(tolerance_, 4 * kEps * noise);
    if (!(excess <= m.excess)) m.excess = excess;
    if (!(size <= m.largest) || m.row < 0) m.largest = size, m.row = static_cast<int>(i);
  }
  return m;
}

bool ConstraintProjector::is_closed(std::span<const double> q) {
  if (row_count() == 0) return true;
  evaluate(q);
  return measure(q).excess <= 1;
}

ProjectionStatus ConstraintProjector::project_coordinates(std::span<double> q) {
  residuals_.configuration = 0;
  residuals_.configuration_row = -1;
  if (row_count() == 0) return ProjectionStatus::Unchanged;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    evaluate(q);
    const Measure now = measure(q);
    residuals_.configuration = now.largest;
    residuals_.configuration_row = constraint_of_row(at(now.row));
    if (!std::isfinite(now.largest)) return ProjectionStatus::Failed;
    // If an angle has grown large, its rounding alone opens a loop; the other coordinates can still close it.
    if (now.largest <= tolerance_ || (now.excess <= 1 && now.largest > 0.9 * last))
      return iteration == 0 ? ProjectionStatus::Unchanged : ProjectionStatus::Changed;
    if (now.largest > (now.excess <= 1 ? 0.9 : 0.5) * last) {
      return now.largest <= kStalledResidual ? ProjectionStatus::Changed : ProjectionStatus::Failed;
    }
    last = now.largest;
    if (row_count() == quaternions_) {
      // The shortest step of each: along e.
      for (std::size_t k = 0; k < quaternions_; ++k) {
        double* const e = &q[at(evaluator_.system().equations().quaternions[k])];
        const double squared = dot(e, e, 4);
        if (!(squared > 0)) return ProjectionStatus::Failed;
        const double step = -residual_[k] / squared;
        for (std::size_t i = 0; i < 4; ++i) e[i] += step * e[i];
      }
      continue;
    }
    for (std::size_t i = 0; i < row_count(); ++i) trial_[i] = -residual_[i];
    if (!few_entries_ || !solve_with_gram()) {
      qr_.factor(jacobian_.packed(row_count(), q.size()), kRankTolerance);
      qr_.solve_minimum_norm({trial_.data(), row_count()}, step_);
    }
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += step_[k];
  }
  return ProjectionStatus::Failed;
}

double ConstraintProjector::measure_speeds(std::span<const double> u) {
  const ConstMatrixView a = evaluator_.active_jacobian();
  const auto b = evaluator_.active_b();
  double worst = 0;
  residuals_.motion = 0;
  residuals_.motion_row = -1;
  for (std::size_t i = 0; i < a.rows; ++i) {
    double sum = b[i], size = std::abs(b[i]);
    for (std::size_t j = 0; j < u.size(); ++j) {
      sum += a(i, j) * u[j];
      size += std::abs(a(i, j) * u[j]);
    }
    if (!(std::abs(sum) <= residuals_.motion) || residuals_.motion_row < 0)
      residuals_.motion = std::abs(sum), residuals_.motion_row = evaluator_.active_rows()[i];
    const double excess = std::abs(sum) / std::max(1.0, size);
    if (!(excess <= worst)) worst = excess;
  }
  return worst;
}

ProjectionStatus ConstraintProjector::project_speeds(std::span<const double> q, std::span<double> u) {
  if (evaluator_.active_rows().empty()) return ProjectionStatus::Unchanged;
  evaluator_.calc_constraints(q, u);
  evaluator_.confirm_rank();
  const double before = measure_speeds(u);
  if (before <= tolerance_) return ProjectionStatus::Unchanged;
  if (!std::isfinite(before)) return ProjectionStatus::Failed;
  if (!evaluator_.impose_speeds(q, u)) return ProjectionStatus::Failed;
  const double left = measure_speeds(u);
  if (left <= kSpeedContradiction) return ProjectionStatus::Changed;
  // Near a change point a coordinate is known to tolerance / s only, where s tells how independent the rows still are, and
  // redundant rows that should agree differ by that over s once more. The motion must be let through.
  const double s = evaluator_.choose_independent().smallest_row;
  const double allowed = std::min(kMostContradiction, kNoise * std::max(tolerance_, kKnown) / (s * s));
  return left <= allowed ? ProjectionStatus::Changed : ProjectionStatus::Failed;
}

ProjectionStatus ConstraintProjector::project(std::span<double> q, std::span<double> u) {
  const ProjectionStatus coordinates = project_coordinates(q);
  if (coordinates == ProjectionStatus::Failed) return coordinates;
  const ProjectionStatus speeds = project_speeds(q, u);
  return speeds == ProjectionStatus::Unchanged ? coordinates : speeds;
}

ConstraintResiduals ConstraintProjector::calc_residuals(std::span<const double> q, std::span<const double> u) {
  residuals_ = {};
  if (row_count() > 0) {
    evaluate(q);
    const Measure now = measure(q);
    residuals_.configuration = now.largest;
    residuals_.configuration_row = constraint_of_row(at(now.row));
  }
  if (!evaluator_.active_rows().empty()) {
    evaluator_.calc_constraints(q, u);
    (void)measure_speeds(u);
  }
  return residuals_;
}

std::string describe_configuration_row(int row, const EquationsOfMotion& equations) {
  if (row == -3) return "a constraint added at run time";
  if (row == -2) return "a contact of shapes";
  if (row < 0) return "no constraint";
  const std::size_t k = at(row), constraints = equations.constraints.size();
  if (k < constraints) return fmt::format("the constraint '{}'", equations.constraints[k].name);
  const auto first = at(equations.quaternions[k - constraints]);
  return fmt::format("the norm of the quaternion that begins with {}", equations.q[first].name());
}

}  // namespace kane
