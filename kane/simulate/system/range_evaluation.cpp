// The parts of a SystemEvaluator for mechanisms with many loops: accelerations, speeds and the independence of the constraints
// by factors of the mass matrix and of the Gram matrices of the rows, instead of the dense matrices of an embedding.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Products of numbers that an embedding of r rows in n speeds takes.
double embedding_work(std::size_t rows, std::size_t speeds) {
  const double r = static_cast<double>(rows), p = static_cast<double>(speeds - rows);
  return r * r * r / 3 + 2 * r * r * p + r * p * p + p * p * p / 6;
}

/// The range space has more overhead for each product, and small mechanisms gain nothing.
constexpr double kWorthwhile = 3;
constexpr double kLeastWork = 2000;
/// Rows nearer to the others than this are judged by an orthogonal factorisation.
constexpr double kLeastGramRow = 1e-5;

}  // namespace

/// After a new choice of rows.
void SystemEvaluator::prepare_range() {
  range_rows_ = true;
  range_worth_ = false;
  range_mass_ = range_constraints_ = -1;
  const bool known = std::ranges::all_of(active_, [&](int i) { return at(i) < system_->constraint_count(); });
  const std::size_t n = rhs_.size(), rows = choice_.kept_rows().size();
  if (!known || !mass_.present() || !system_->equations().symmetric || given_.present() ||
      embedding_work(rows, n) < kLeastWork)
    return;
  if (!range_) {
    std::vector<std::pair<int, int>> places;
    for (const auto& p : system_->mass_places())
      places.emplace_back(static_cast<int>(p.row), static_cast<int>(p.column));
    range_ = std::make_unique<RangeSpace>(find_parents(n, places), system_->row_count());
    rows_gram_ = RowGram(system_->row_count(), n);
    range_lambda_.resize(system_->row_count());
  }
  std::vector<std::span<const int>> places, kept;
  for (const int i : active_) places.push_back(system_->constraint_places()[at(i)]);
  range_->set_rows(choice_.kept_rows(), choice_.redundant_rows(), places);
  range_worth_ = kWorthwhile * range_->work() < embedding_work(rows, n);
  if (!range_worth_) return;
  for (const int k : choice_.kept_rows()) kept.push_back(places[at(k)]);
  rows_gram_.set_places(kept);
  row_lengths_.assign(kept.size(), 0.0);
}

bool SystemEvaluator::factor_range() {
  if (!range_allowed_ || (!chosen_ && !adopt_prepared() && !choose_independent().finite) || doubtful_) return false;
  if (!range_rows_) prepare_range();
  if (!range_worth_) return false;
  // Kernels that were not run again have the values that were factored.
  if (range_mass_ == mass_.runs() && range_constraints_ == constraints_.runs()) return true;
  range_mass_ = range_constraints_ = -1;
  if (!range_->factor(mass_matrix_.view(), active_jacobian())) return false;
  range_mass_ = mass_.runs(), range_constraints_ = constraints_.runs();
  return true;
}

bool SystemEvaluator::impose_speeds(std::span<const double> q, std::span<double> u) {
  if (range_allowed_ && range_rows_ && range_worth_) {
    calc_mass(q, u);
    if (factor_range()) {
      range_->impose(active_b(), u);
      embedding_behind_ = true;
      return true;
    }
  }
  if (!refresh_embedding().ok()) return false;
  calc_mass(q, u);
  if (!embedding_.impose(mass_matrix_.view(), active_b(), u, Multipliers::Basic, {}).ok())
    embedding_.complete_speeds(active_b(), u);  // no inertia to measure with: keep the independent speeds
  return true;
}

// The pivots of the Gram matrix of rows of length one are the squares of what is independent in each row. A row that was
// longer once is divided by what it was then (as in independent.hpp): as it vanishes, it becomes dependent.
double SystemEvaluator::calc_independence(int& most_rank) {
  if (range_allowed_ && chosen_ && !doubtful_ && range_rows_ && range_worth_) {
    const ConstMatrixView a = active_jacobian();
    const MatrixView y = rows_gram_.rows();
    const auto kept = choice_.kept_rows();
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const double* const row = a.row(at(kept[k]));
      double square = 0;
      for (const int j : rows_gram_.places(k)) square += row[j] * row[j];
      row_lengths_[k] = std::max(row_lengths_[k], std::sqrt(square));
      for (const int j : rows_gram_.places(k)) y(k, at(j)) = row_lengths_[k] > 0 ? row[j] / row_lengths_[k] : 0.0;
    }
    const GramReport report = rows_gram_.factor();
    if (report.finite && report.rank == kept.size() && report.smallest > kLeastGramRow * kLeastGramRow) {
      most_rank = std::max(most_rank, static_cast<int>(kept.size()));
      return std::sqrt(report.smallest);
    }
  }
  const IndependentReport& report = choose_independent();
  if (!report.finite || report.rank < most_rank) return 0;  // the row that is least independent was dropped
  most_rank = report.rank;
  return report.smallest_row;
}

}  // namespace kane
