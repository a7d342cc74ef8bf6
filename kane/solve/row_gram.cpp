#include "kane/solve/row_gram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

RowGram::RowGram(std::size_t max_rows, std::size_t columns)
    : max_rows_(max_rows), n_(columns), begin_(max_rows + 1), y_(max_rows, columns), work_(max_rows) {
  places_.reserve(max_rows * columns), l_.reserve(max_rows * (max_rows + 1) / 2), last_seen_.reserve(columns);
  order_.reserve(max_rows), first_.reserve(max_rows), start_.reserve(max_rows + 1), inverse_.reserve(max_rows);
}

void RowGram::set_places(std::span<const std::span<const int>> places) {
  ensure(places.size() <= max_rows_, "{} rows do not fit a workspace of {}", places.size(), max_rows_);
  std::fill_n(y_.view().data, max_rows_ * n_, 0.0);
  m_ = places.size();
  places_.clear();
  for (std::size_t i = 0; i < m_; ++i) {
    begin_[i] = places_.size();
    places_.insert(places_.end(), places[i].begin(), places[i].end());
  }
  begin_[m_] = places_.size();
  sort_rows();
  find_envelope();
}

void RowGram::take(ConstMatrixView a) {
  ensure(a.rows <= max_rows_ && a.columns == n_, "a {} x {} matrix does not fit a workspace of {} x {}", a.rows,
         a.columns, max_rows_, n_);
  std::fill_n(y_.view().data, max_rows_ * n_, 0.0);
  m_ = a.rows;
  places_.clear();
  for (std::size_t i = 0; i < m_; ++i) {
    begin_[i] = places_.size();
    for (std::size_t j = 0; j < n_; ++j)
      if (a(i, j) != 0) places_.push_back(static_cast<int>(j));
  }
  begin_[m_] = places_.size();
  load(a);
  sort_rows();
  find_envelope();
}

/// By the last column: rows of neighbouring loops end at neighbouring speeds.
void RowGram::sort_rows() {
  order_.resize(m_);
  std::iota(order_.begin(), order_.end(), 0);
  const auto last = [&](int row) { return begin_[at(row)] == begin_[at(row) + 1] ? -1 : places(at(row)).back(); };
  std::sort(order_.begin(), order_.end(), [&](int a, int b) { return last(a) != last(b) ? last(a) < last(b) : a < b; });
}

void RowGram::find_envelope() {
  last_seen_.assign(n_, m_);  // the first position that has an entry in this column
  first_.resize(m_), start_.resize(m_ + 1), inverse_.resize(m_);
  start_[0] = 0;
  for (std::size_t i = 0; i < m_; ++i) {
    first_[i] = i;
    for (const int c : places(at(order_[i]))) {
      if (last_seen_[at(c)] == m_) last_seen_[at(c)] = i;
      first_[i] = std::min(first_[i], last_seen_[at(c)]);
    }
    start_[i + 1] = start_[i] + (i - first_[i] + 1);
  }
  if (l_.size() < start_[m_]) l_.resize(start_[m_]);
}

void RowGram::load(ConstMatrixView a) {
  const MatrixView y = rows();
  for (std::size_t i = 0; i < m_; ++i)
    for (const int c : places(i)) y(i, at(c)) = a(i, at(c));
}

double RowGram::dot_row(std::size_t row, std::span<const double> x) const {
  const double* const y = y_.packed(m_, n_).row(row);
  double sum = 0;
  for (const int c : places(row)) sum += y[c] * x[at(c)];
  return sum;
}

void RowGram::add_row(std::size_t row, double factor, std::span<double> x) const {
  const double* const y = y_.packed(m_, n_).row(row);
  for (const int c : places(row)) x[at(c)] += factor * y[c];
}

double RowGram::work() const {
  double sum = 0;
  for (std::size_t i = 0; i < m_; ++i) {
    const double length = static_cast<double>(start_[i + 1] - start_[i]);
    sum += length * static_cast<double>(places(at(order_[i])).size()) + 0.5 * length * length;
  }
  return sum;
}

double RowGram::product(std::size_t a, std::size_t b) const {
  const double *const x = y_.packed(m_, n_).row(a), *const y = y_.packed(m_, n_).row(b);
  const std::span<const int> pa = places(a), pb = places(b), p = pa.size() < pb.size() ? pa : pb;
  double even = 0, odd = 0;
  std::size_t k = 0;
  for (; k + 2 <= p.size(); k += 2) {
    even += x[p[k]] * y[p[k]];
    odd += x[p[k + 1]] * y[p[k + 1]];
  }
  if (k < p.size()) even += x[p[k]] * y[p[k]];
  return even + odd;
}

GramReport RowGram::factor(double drop, double shift) {
  GramReport report;
  for (std::size_t i = 0; i < m_; ++i) {
    double* const row = l_.data() + start_[i];  // entry (i, j) at [j - first_[i]]
    const std::size_t own = at(order_[i]), first = first_[i];
    for (std::size_t j = first; j < i; ++j) {
      const double* const other = l_.data() + start_[j];
      const std::size_t from = std::max(first, first_[j]);
      const double known = dot(row + (from - first), other + (from - first_[j]), j - from);
      row[j - first] = (product(own, at(order_[j])) - known) * inverse_[j];
    }
    const double whole = product(own, own) + shift, left = whole - dot(row, row, i - first);
    const double ratio = whole > 0 ? left / whole : 0.0;
    if (!std::isfinite(left)) report.finite = false;
    const bool dropped = !(ratio > drop);
    if (dropped)
      report.largest_dropped = std::max(report.largest_dropped, ratio);
    else
      report.least = std::min(report.least, ratio), report.smallest = std::min(report.smallest, left), ++report.rank;
    row[i - first] = dropped ? 0.0 : std::sqrt(left);
    inverse_[i] = dropped ? 0.0 : 1.0 / row[i - first];
  }
  return report;
}

void RowGram::solve(std::span<double> b) {
  const std::span<double> x{work_.data(), m_};
  for (std::size_t i = 0; i < m_; ++i) {
    const double* const row = l_.data() + start_[i];
    x[i] = (b[at(order_[i])] - dot(row, x.data() + first_[i], i - first_[i])) * inverse_[i];
  }
  for (std::size_t i = m_; i-- > 0;) {
    const double* const row = l_.data() + start_[i];
    x[i] *= inverse_[i];
    add_scaled(x.data() + first_[i], -x[i], row, i - first_[i]);
  }
  for (std::size_t i = 0; i < m_; ++i) b[at(order_[i])] = x[i];
}

void RowGram::solve_shortest(std::span<double> b, std::span<double> x) {
  solve(b);
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < m_; ++i) add_row(i, b[i], x);
}

}  // namespace kane
