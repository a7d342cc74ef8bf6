#include "kane/mechanics/rank.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/fingerprint.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/magnitudes.hpp"

namespace kane {
namespace {

constexpr Fingerprint kZeroPrint{};

/// [A | 1] with A as values in the field; the right half remembers the combination of rows.
class Elimination {
 public:
  Elimination(const ExprMatrix& a, std::span<const int> columns, Rank kind) : rows_(a.rows), columns_(a.columns) {
    if (kind == Rank::Rounded) magnitudes_.emplace(a);
    std::optional<Graph> numbers;  // where all entries are numbers that have no graph yet
    Graph* graph = common_graph(a.entries);
    if (graph == nullptr) graph = &numbers.emplace();
    values_.resize(a.entries.size());
    cost_.resize(a.entries.size());
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
      const Expr& e = a.entries[i];
      if (e.is_zero()) continue;
      const Expr bound = graph->bind(e);
      values_[i] = graph->fingerprint(bound.id());
      cost_[i] = bound.is_number() ? 0 : 1 + graph->cost(bound.id());
    }
    combination_.assign(at(rows_) * at(rows_), kZeroPrint);
    for (int r = 0; r < rows_; ++r) combination(r, r) = Fingerprint::integer(1);
    done_.assign(at(rows_), false);
    allowed_.assign(at(columns_), columns.empty());
    for (const int c : columns) allowed_[at(c)] = true;
  }

  RankReport run() {
    RankReport report;
    while (const auto pivot = find_pivot()) {
      report.pivots.push_back(*pivot);
      done_[at(pivot->row)] = true;
      allowed_[at(pivot->column)] = false;
      eliminate(*pivot);
    }
    for (int r = 0; r < rows_; ++r) {
      if (done_[at(r)]) continue;
      std::vector<int> rows{r};
      for (int s = 0; s < rows_; ++s) {
        if (s != r && combination(r, s) != kZeroPrint) rows.push_back(s);
      }
      report.dependencies.push_back(std::move(rows));
    }
    return report;
  }

 private:
  [[nodiscard]] std::size_t place(int r, int c) const { return at(r) * at(columns_) + at(c); }
  Fingerprint& combination(int r, int s) { return combination_[at(r) * at(rows_) + at(s)]; }

  // Entries that are not small first; then the cheapest entry; among equals the one that causes least fill (Markowitz).
  [[nodiscard]] std::optional<RankReport::Pivot> find_pivot() const {
    std::vector<std::uint64_t> row_count(at(rows_));
    std::vector<std::uint64_t> column_count(at(columns_));
    const auto candidates = [&](auto&& visit) {
      for (int r = 0; r < rows_; ++r) {
        if (done_[at(r)]) continue;
        for (int c = 0; c < columns_; ++c) {
          if (!allowed_[at(c)] || values_[place(r, c)] == kZeroPrint) continue;
          if (!magnitudes_ || !magnitudes_->negligible(r, c)) visit(r, c);
        }
      }
    };
    candidates([&](int r, int c) {
      ++row_count[at(r)];
      ++column_count[at(c)];
    });
    std::optional<RankReport::Pivot> best;
    std::tuple<double, std::uint64_t, std::uint64_t> least;
    candidates([&](int r, int c) {
      const std::uint64_t fill = (row_count[at(r)] - 1) * (column_count[at(c)] - 1);
      const double smallness = magnitudes_ ? -std::min(magnitudes_->weight(r, c), kSmallPivot) : 0;
      const std::tuple key{smallness, cost_[place(r, c)], fill};
      if (!best || key < least) {
        best = RankReport::Pivot{r, c};
        least = key;
      }
    });
    return best;
  }

  void eliminate(const RankReport::Pivot& p) {
    const Fingerprint inverse = values_[place(p.row, p.column)].inverse();
    for (int r = 0; r < rows_; ++r) {
      if (done_[at(r)] || values_[place(r, p.column)] == kZeroPrint) continue;
      if (magnitudes_ && magnitudes_->negligible(r, p.column)) continue;
      const Fingerprint factor = values_[place(r, p.column)] * inverse;
      const std::uint64_t added = cost_[place(r, p.column)] + cost_[place(p.row, p.column)];
      for (int c = 0; c < columns_; ++c) {
        if (values_[place(p.row, c)] == kZeroPrint) continue;
        values_[place(r, c)] = values_[place(r, c)] - factor * values_[place(p.row, c)];
        cost_[place(r, c)] =
            std::min<std::uint64_t>(cost_[place(r, c)] + cost_[place(p.row, c)] + added + 2, 1ULL << 40);
      }
      for (int s = 0; s < rows_; ++s) {
        if (combination(p.row, s) != kZeroPrint) combination(r, s) = combination(r, s) - factor * combination(p.row, s);
      }
    }
    if (magnitudes_) magnitudes_->eliminate(p.row, p.column);
  }

  int rows_;
  int columns_;
  std::vector<Fingerprint> values_;
  std::vector<std::uint64_t> cost_;
  std::vector<Fingerprint> combination_;
  std::vector<bool> done_;
  std::vector<bool> allowed_;
  std::optional<Magnitudes> magnitudes_;
};

/// Rows and columns that nonzero entries connect, directly or through others: rows first, then columns behind them.
std::vector<std::vector<int>> find_parts(const ExprMatrix& a) {
  std::vector<int> root(at(a.rows + a.columns));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[at(i)] != i) i = root[at(i)] = root[at(root[at(i)])];
    return i;
  };
  for (int r = 0; r < a.rows; ++r)
    for (int c = 0; c < a.columns; ++c)
      if (!a(r, c).is_zero()) root[at(find(a.rows + c))] = find(r);
  std::vector<std::vector<int>> parts;
  std::vector<int> number(root.size(), -1);
  for (int i = 0; i < a.rows + a.columns; ++i) {
    int& own = number[at(find(i))];
    if (own < 0) own = static_cast<int>(parts.size()), parts.emplace_back();
    parts[at(own)].push_back(i);
  }
  return parts;
}

/// Part by part: many bodies without joints between them have as many small matrices.
RankReport find_rank_of_parts(const ExprMatrix& a, std::span<const int> columns, Rank kind) {
  RankReport report;
  for (const std::vector<int>& part : find_parts(a)) {
    std::vector<int> rows, own, wanted;
    for (const int i : part) (i < a.rows ? rows : own).push_back(i < a.rows ? i : i - a.rows);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (columns.empty() || std::find(columns.begin(), columns.end(), own[k]) != columns.end())
        wanted.push_back(static_cast<int>(k));
    if (wanted.empty()) {
      for (const int r : rows) report.dependencies.push_back({r});
      continue;
    }
    ExprMatrix block(rows.size(), own.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < own.size(); ++c) block(r, c) = a(rows[r], own[c]);
    const RankReport found = rows.empty() ? RankReport{} : Elimination(block, wanted, kind).run();
    for (const auto& pivot : found.pivots) report.pivots.push_back({rows[at(pivot.row)], own[at(pivot.column)]});
    for (const auto& dependency : found.dependencies) {
      report.dependencies.emplace_back();
      for (const int r : dependency) report.dependencies.back().push_back(rows[at(r)]);
    }
  }
  return report;
}

}  // namespace

RankReport find_rank(const ExprMatrix& a, std::span<const int> columns, Rank kind) {
  if (a.rows == 0) return {};
  constexpr int kManyRows = 64;
  return a.rows > kManyRows ? find_rank_of_parts(a, columns, kind) : Elimination(a, columns, kind).run();
}

}  // namespace kane
