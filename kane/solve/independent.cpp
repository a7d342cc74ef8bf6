#include "kane/solve/independent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kSwapAbove = 2;          ///< exchange speeds while some |D_ij| exceeds this
constexpr double kPreferenceWeight = 10;  ///< how much shorter a preferred column may be when it is chosen
constexpr double kRowThreshold = 0.1;     ///< rows are kept in the order they were written, unless this much shorter
constexpr double kZeroRow = 1e-13;        ///< a row this much shorter than the longest has vanished

bool contains(std::span<const int> list, int value) { return std::find(list.begin(), list.end(), value) != list.end(); }

}  // namespace

IndependentSpeeds::IndependentSpeeds(std::size_t max_rows, std::size_t speeds, IndependentOptions options)
    : max_rows_(max_rows),
      n_(speeds),
      most_rank_(std::min(max_rows, speeds)),
      options_(options),
      row_qr_(speeds, max_rows),
      column_qr_(std::min(max_rows, speeds), speeds),
      basis_(speeds * std::min(max_rows, speeds)),
      weight_(speeds, 1.0),
      inverse_(std::min(max_rows, speeds) * std::min(max_rows, speeds)),
      d_(std::min(max_rows, speeds) * speeds),
      length_(max_rows, 0.0),
      order_(speeds),
      trial_(speeds) {
  for (auto* list : {&dependent_, &independent_, &previous_}) list->reserve(std::max(speeds, max_rows));
  kept_rows_.reserve(max_rows);
  redundant_rows_.reserve(max_rows);
  independent_.resize(n_);
  std::iota(independent_.begin(), independent_.end(), 0);
  std::iota(order_.begin(), order_.end(), 0);
}

// Rows of A S (S = diag(scale)) scaled to length one become the columns of the matrix that is factored; its range is the
// row space. A row that was longer once is scaled by what it was then: as it vanishes, near a singular configuration, its
// noise must not be blown up.
void IndependentSpeeds::scale_rows(ConstMatrixView a, std::span<const double> scale) {
  double* const columns = row_qr_.prepare(n_, a.rows);
  double longest = 0;
  for (std::size_t i = 0; i < a.rows; ++i) {
    double* const column = columns + i * n_;
    for (std::size_t j = 0; j < n_; ++j) column[j] = scale.empty() ? a(i, j) : a(i, j) * scale[j];
    longest = std::max(longest, norm2({column, n_}));
  }
  for (std::size_t i = 0; i < a.rows; ++i) {
    const std::span<double> column{columns + i * n_, n_};
    const double length = norm2(column);
    length_[i] = std::max(length_[i], length);
    const double factor = length > kZeroRow * longest ? 1.0 / length_[i] : 0.0;
    for (double& v : column) v *= factor;
  }
}

/// Pivots above the tolerance that are not noise.
std::size_t IndependentSpeeds::find_rank() const {
  double before = 1;
  for (std::size_t k = 0; k < row_qr_.rank(); ++k) {
    const double pivot = std::abs(row_qr_.r(k, k));
    if (k == most_rank_ || pivot * std::min(before, 1.0) < options_.noise_product) return k;
    before = pivot;
  }
  return row_qr_.rank();
}

bool IndependentSpeeds::find_row_space(ConstMatrixView a, std::span<const double> scale) {
  ensure(a.rows <= max_rows_ && a.columns == n_, "a {} x {} constraint matrix where at most {} x {} fits", a.rows,
         a.columns, max_rows_, n_);
  report_.changed = false;
  report_.finite = true;
  for (std::size_t i = 0; i < a.rows; ++i) report_.finite = report_.finite && all_finite(a.row_span(i));
  if (!report_.finite) return false;

  scale_rows(a, scale);
  row_qr_.factor(options_.rank_tolerance, {.weight = {}, .threshold = kRowThreshold});
  row_qr_.calc_basis(basis_);
  const std::size_t rank = find_rank();
  const auto rows = row_qr_.permutation();
  previous_.assign(kept_rows_.begin(), kept_rows_.end());
  kept_rows_.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rank));
  redundant_rows_.assign(rows.begin() + static_cast<std::ptrdiff_t>(rank), rows.end());
  std::sort(kept_rows_.begin(), kept_rows_.end());
  std::sort(redundant_rows_.begin(), redundant_rows_.end());

  report_ = {};
  report_.rank = static_cast<int>(rank);
  report_.changed = !std::ranges::equal(previous_, kept_rows_);
  report_.largest_dropped = rank < row_qr_.rank() ? std::abs(row_qr_.r(rank, rank)) : row_qr_.dropped();
  for (std::size_t k = 0; k < rank; ++k) {
    report_.smallest_row = std::min(report_.smallest_row, std::abs(row_qr_.r(k, k)));
  }
  return true;
}

// Factors V^T with its columns in the given order, leaves D in d_ (rank x p) and returns |V_d^-1|_F.
double IndependentSpeeds::calc_block(std::span<const int> order) {
  const std::size_t rank = at(report_.rank), p = n_ - rank;
  if (rank == 0) return 1;
  double* to = column_qr_.prepare(rank, n_);
  for (const int j : order) {
    for (std::size_t k = 0; k < rank; ++k) *to++ = basis_[k * n_ + at(j)];
  }
  column_qr_.factor(0, {.weight = {}, .threshold = 0});  // threshold 0: no exchanges
  const auto in_place = column_qr_.permutation().first(rank);
  if (column_qr_.rank() < rank || !std::is_sorted(in_place.begin(), in_place.end()) ||
      in_place.back() != report_.rank - 1) {
    return std::numeric_limits<double>::infinity();
  }
  double inverse_size = 0;
  const MatrixView inverse{inverse_.data(), rank, rank};
  for (std::size_t k = rank; k-- > 0;) {  // rows of R11^-1 from the last up
    double* const row = inverse.row(k);
    std::fill_n(row, rank, 0.0);
    row[k] = 1;
    for (std::size_t l = k + 1; l < rank; ++l) add_scaled(row + l, -column_qr_.r(k, l), inverse.row(l) + l, rank - l);
    for (std::size_t l = k; l < rank; ++l) {
      row[l] /= column_qr_.r(k, k);
      inverse_size += row[l] * row[l];
    }
  }
  const MatrixView d{d_.data(), rank, p};
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t j = 0; j < p; ++j) {
      double sum = 0;
      for (std::size_t l = k; l < rank; ++l) sum += inverse(k, l) * column_qr_.r(l, rank + j);
      d(k, j) = -sum;
    }
  }
  const double condition = std::sqrt(inverse_size);
  return std::isfinite(condition) ? condition : std::numeric_limits<double>::infinity();
}

/// Exchanges the pair of speeds whose |D_ij| (weighted by preference) is largest, if it is large enough to pay.
bool IndependentSpeeds::swap_worst(std::span<const int> preferred) {
  const std::size_t rank = at(report_.rank), p = n_ - rank;
  const ConstMatrixView d{d_.data(), rank, p};
  double worst = kSwapAbove;
  std::size_t out = rank, in = p;
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t j = 0; j < p; ++j) {
      double gain = std::abs(d(k, j));
      if (contains(preferred, order_[k])) gain /= kPreferenceWeight;
      if (contains(preferred, order_[rank + j])) gain *= kPreferenceWeight;
      if (gain > worst) {
        worst = gain;
        out = k;
        in = j;
      }
    }
  }
  if (out == rank) return false;
  std::swap(order_[out], order_[rank + in]);
  return true;
}

double IndependentSpeeds::choose_columns(std::span<const int> preferred) {
  const std::size_t rank = at(report_.rank);
  std::fill(weight_.begin(), weight_.end(), 1.0);
  for (const int j : preferred) weight_[at(j)] = kPreferenceWeight;
  double* to = column_qr_.prepare(rank, n_);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t k = 0; k < rank; ++k) *to++ = basis_[k * n_ + j];
  }
  column_qr_.factor(0, {.weight = weight_, .threshold = 1});
  std::copy_n(column_qr_.permutation().begin(), n_, order_.begin());
  double condition = calc_block(order_);
  for (std::size_t round = 0; round < 4 * n_ && swap_worst(preferred); ++round) condition = calc_block(order_);
  return condition;
}

bool IndependentSpeeds::try_preferred(std::span<const int> preferred) {
  const std::size_t rank = at(report_.rank);
  if (preferred.empty() || preferred.size() != rank) return false;
  std::copy(preferred.begin(), preferred.end(), trial_.begin());
  auto to = trial_.begin() + static_cast<std::ptrdiff_t>(rank);
  for (int j = 0; j < static_cast<int>(n_); ++j) {
    if (!contains(preferred, j)) *to++ = j;
  }
  const double condition = calc_block(trial_);
  if (!(condition <= options_.preferred_condition)) return false;
  order_ = trial_;
  accept(condition);
  return true;
}

void IndependentSpeeds::accept(double condition) {
  const std::size_t rank = at(report_.rank);
  previous_.assign(dependent_.begin(), dependent_.end());
  dependent_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(rank));
  independent_.assign(order_.begin() + static_cast<std::ptrdiff_t>(rank), order_.end());
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
  report_.condition = condition;
  report_.changed = report_.changed || !std::ranges::equal(previous_, dependent_);
}

void IndependentSpeeds::load_current() {
  std::copy(dependent_.begin(), dependent_.end(), order_.begin());
  std::copy(independent_.begin(), independent_.end(), order_.begin() + static_cast<std::ptrdiff_t>(dependent_.size()));
}

const IndependentReport& IndependentSpeeds::finish(std::span<const int> preferred) {
  report_.preferred_kept =
      !preferred.empty() && std::ranges::all_of(preferred, [&](int j) { return contains(dependent_, j); });
  return report_;
}

const IndependentReport& IndependentSpeeds::choose(ConstMatrixView a, std::span<const double> scale,
                                                   std::span<const int> preferred) {
  std::fill(length_.begin(), length_.end(), 0.0);
  if (!find_row_space(a, scale)) return report_;
  if (!try_preferred(preferred)) accept(choose_columns(preferred));
  return finish(preferred);
}

const IndependentReport& IndependentSpeeds::update(ConstMatrixView a, std::span<const double> scale,
                                                   std::span<const int> preferred) {
  if (!find_row_space(a, scale)) return report_;
  if (at(report_.rank) != dependent_.size()) {
    if (!try_preferred(preferred)) accept(choose_columns(preferred));
    return finish(preferred);
  }
  load_current();
  double condition = calc_block(order_);
  if (condition > options_.keep_condition) {
    const double fresh = choose_columns(preferred);
    if (fresh * options_.gain <= condition) {
      condition = fresh;
    } else {
      load_current();  // not worth it
    }
  }
  accept(condition);
  return finish(preferred);
}

}  // namespace kane
