#include "kane/mechanics/linear_solver.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/mechanics/magnitudes.hpp"

namespace kane {
namespace {

std::uint64_t cost_of(const Expr& e) {
  if (e.is_number()) return e.is_one() || (-e).is_one() ? 0 : 1;
  return 2 + e.graph()->cost(e.id());
}

/// Augmenting paths on the pattern of nonzero entries: match[column] = row. Cheap entries are tried first.
std::vector<int> match_columns(const ExprMatrix& a) {
  const int n = a.rows;
  std::vector<std::vector<int>> candidates(at(n));
  for (int r = 0; r < n; ++r) {
    auto& list = candidates[at(r)];
    for (int c = 0; c < n; ++c) {
      if (!a(r, c).is_zero()) list.push_back(c);
    }
    std::stable_sort(list.begin(), list.end(), [&](int c, int d) { return cost_of(a(r, c)) < cost_of(a(r, d)); });
  }
  std::vector<int> match(at(n), -1);
  std::vector<int> visited(at(n), -1);
  std::function<bool(int, int)> augment = [&](int r, int stamp) {
    for (const int c : candidates[at(r)]) {
      int& mark = visited[at(c)];
      if (mark == stamp) continue;
      mark = stamp;
      int& owner = match[at(c)];
      if (owner < 0 || augment(owner, stamp)) {
        owner = r;
        return true;
      }
    }
    return false;
  };
  for (int r = 0; r < n; ++r)
    require(augment(r, r), "linear equations cannot be solved: their matrix is singular, whatever the values");
  return match;
}

/// Strongly connected components (Tarjan 1972) of the graph unknown -> unknowns its equation needs; given in an order in
/// which every component needs only earlier ones.
class Components {
 public:
  explicit Components(std::vector<std::vector<int>> needs) : needs_(std::move(needs)) {
    const std::size_t n = needs_.size();
    index_.assign(n, -1);
    low_.assign(n, 0);
    on_stack_.assign(n, false);
    for (std::size_t i = 0; i < n; ++i) {
      if (index_[i] < 0) visit(static_cast<int>(i));
    }
  }
  std::vector<std::vector<int>> result;

 private:
  void visit(int v) {
    const auto i = at(v);
    index_[i] = low_[i] = counter_++;
    stack_.push_back(v);
    on_stack_[i] = true;
    for (const int w : needs_[i]) {
      const auto j = at(w);
      if (index_[j] < 0) {
        visit(w);
        low_[i] = std::min(low_[i], low_[j]);
      } else if (on_stack_[j]) {
        low_[i] = std::min(low_[i], index_[j]);
      }
    }
    if (low_[i] != index_[i]) return;
    std::vector<int> component;
    int w = -1;
    do {
      w = stack_.back();
      stack_.pop_back();
      on_stack_[at(w)] = false;
      component.push_back(w);
    } while (w != v);
    std::sort(component.begin(), component.end());
    result.push_back(std::move(component));
  }

  std::vector<std::vector<int>> needs_;
  std::vector<int> index_, low_, stack_;
  std::vector<bool> on_stack_;
  int counter_ = 0;
};

}  // namespace

LinearSolver::LinearSolver(const ExprMatrix& a, Pivots pivots) : size_(a.rows), pivots_(pivots) {
  ensure(a.rows == a.columns, "a square matrix is needed");
  sort_into_blocks(a);
  for (Block& block : blocks_) factor(a, block);
}

void LinearSolver::sort_into_blocks(const ExprMatrix& a) {
  std::vector<int> row_of(at(size_));
  std::iota(row_of.begin(), row_of.end(), 0);
  if (pivots_ == Pivots::Anywhere) row_of = match_columns(a);
  std::vector<std::vector<int>> needs(at(size_));
  for (int c = 0; c < size_; ++c) {
    for (int d = 0; d < size_; ++d) {
      if (d != c && !a(row_of[at(c)], d).is_zero()) needs[at(c)].push_back(d);
    }
  }
  for (const std::vector<int>& component : Components(std::move(needs)).result) {
    Block block;
    block.columns = component;
    for (const int c : component) block.rows.push_back(row_of[at(c)]);
    blocks_.push_back(std::move(block));
  }
}

void LinearSolver::factor(const ExprMatrix& a, Block& block) {
  std::vector<std::vector<Expr>> m;
  for (const int r : block.rows) {
    std::vector<Expr> row;
    for (const int c : block.columns) row.push_back(a(r, c));
    m.push_back(std::move(row));
    for (int c = 0; c < size_; ++c) {
      if (!a(r, c).is_zero() && !std::binary_search(block.columns.begin(), block.columns.end(), c)) {
        block.known.push_back({r, {c, a(r, c)}});
      }
    }
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    block.core_rows.push_back(static_cast<int>(i));
    block.core_columns.push_back(static_cast<int>(i));
  }
  eliminate(m, block);
  invert_core(m, block);
}

void LinearSolver::add_divisor(const Expr& e) {
  if (!e.is_number() && std::find(divisors_.begin(), divisors_.end(), e) == divisors_.end()) divisors_.push_back(e);
}

// Gaussian elimination down to a core of three, and further while a pivot is 1 or -1 (which costs nothing). The pivot is
// the cheapest entry, least fill breaking ties, among those that are not small; if all are small, the largest.
void LinearSolver::eliminate(std::vector<std::vector<Expr>>& m, Block& block) {
  auto& rows = block.core_rows;
  auto& columns = block.core_columns;
  if (rows.size() < 2) return;
  const auto entry = [&](int r, int c) -> Expr& { return m[at(r)][at(c)]; };
  ExprMatrix whole(static_cast<int>(rows.size()), static_cast<int>(rows.size()));
  for (const int r : rows) {
    for (const int c : columns) whole(r, c) = entry(r, c);
  }
  Magnitudes magnitudes(whole);
  while (rows.size() > 1) {
    int best_row = -1, best_column = -1;
    double best_weight = 0;
    std::pair<std::uint64_t, std::size_t> best{};
    for (const int r : rows) {
      const auto in_row =
          at(std::count_if(columns.begin(), columns.end(), [&](int d) { return !entry(r, d).is_zero(); }));
      for (const int c : columns) {
        if (entry(r, c).is_zero() || (pivots_ == Pivots::Diagonal && r != c)) continue;
        const auto in_column =
            at(std::count_if(rows.begin(), rows.end(), [&](int s) { return !entry(s, c).is_zero(); }));
        const std::pair key{cost_of(entry(r, c)), (in_row - 1) * (in_column - 1)};
        const double weight = std::min(magnitudes.weight(r, c), kSmallPivot);
        if (best_row < 0 || weight > best_weight || (weight == best_weight && key < best)) {
          best = key;
          best_weight = weight;
          best_row = r;
          best_column = c;
        }
      }
    }
    ensure(best_row >= 0, "singular block in a system of full generic rank");
    if (rows.size() <= 3 && best.first > 0) return;
    magnitudes.eliminate(best_row, best_column);
    Step step{best_row, best_column, entry(best_row, best_column), {}, {}};
    std::erase(rows, best_row);
    std::erase(columns, best_column);
    for (const int c : columns) {
      if (!entry(best_row, c).is_zero()) step.upper.emplace_back(c, entry(best_row, c));
    }
    for (const int r : rows) {
      if (entry(r, best_column).is_zero()) continue;
      const Expr factor = entry(r, best_column) / step.pivot;
      step.lower.emplace_back(r, factor);
      for (const auto& [c, value] : step.upper) entry(r, c) -= factor * value;
    }
    add_divisor(step.pivot);
    block.steps.push_back(std::move(step));
  }
}

void LinearSolver::invert_core(const std::vector<std::vector<Expr>>& m, Block& block) {
  const std::size_t n = block.core_rows.size();
  const auto entry = [&](std::size_t i, std::size_t j) -> const Expr& {
    return m[at(block.core_rows[i])][at(block.core_columns[j])];
  };
  block.adjugate.assign(n, std::vector<Expr>(n));
  auto& adj = block.adjugate;
  if (n == 1) {
    adj[0][0] = 1;
    block.determinant = entry(0, 0);
  } else if (n == 2) {
    adj[0][0] = entry(1, 1);
    adj[1][1] = entry(0, 0);
    adj[0][1] = -entry(0, 1);
    adj[1][0] = -entry(1, 0);
    block.determinant = entry(0, 0) * entry(1, 1) - entry(0, 1) * entry(1, 0);
  } else {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {  // cofactor of (j, i); the cyclic order takes care of the sign
        const std::size_t r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
        adj[i][j] = entry(r, c) * entry(s, d) - entry(r, d) * entry(s, c);
      }
    }
    for (std::size_t j = 0; j < 3; ++j) block.determinant += entry(0, j) * adj[j][0];
  }
  ensure(!block.determinant.is_zero(), "singular core in a system of full generic rank");
  add_divisor(block.determinant);
}

// x_i = sum_j (adj_ij / det) b_j. A quotient that collapses to something cheaper is used as such; the others share one
// division.
void LinearSolver::solve_core(const Block& block, std::vector<Expr>& b, std::vector<Expr>& x) const {
  const std::size_t n = block.core_rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    Expr sum, over;
    for (std::size_t j = 0; j < n; ++j) {
      const Expr& value = b[at(block.core_rows[j])];
      const Expr& cofactor = block.adjugate[i][j];
      if (value.is_zero() || cofactor.is_zero()) continue;
      const Expr quotient = cofactor / block.determinant;
      if (cost_of(quotient) <= cost_of(cofactor)) {
        sum += quotient * value;
      } else {
        over += cofactor * value;
      }
    }
    if (!over.is_zero()) sum += over / block.determinant;
    x[at(block.core_columns[i])] = sum;
  }
}

std::vector<Expr> LinearSolver::solve(std::span<const Expr> b) const {
  std::vector<Expr> x(at(size_));
  for (const Block& block : blocks_) {
    std::vector<Expr> right;
    for (const int r : block.rows) right.push_back(b[at(r)]);
    for (const auto& [row, known] : block.known) {
      const auto i = at(std::find(block.rows.begin(), block.rows.end(), row) - block.rows.begin());
      right[i] -= known.second * x[at(known.first)];
    }
    for (const Step& s : block.steps) {
      for (const auto& [row, factor] : s.lower) right[at(row)] -= factor * right[at(s.row)];
    }
    std::vector<Expr> local(block.rows.size());
    solve_core(block, right, local);
    for (auto s = block.steps.rbegin(); s != block.steps.rend(); ++s) {
      Expr sum = right[at(s->row)];
      for (const auto& [column, value] : s->upper) sum -= value * local[at(column)];
      local[at(s->column)] = sum / s->pivot;
    }
    for (std::size_t i = 0; i < block.columns.size(); ++i) x[at(block.columns[i])] = local[i];
  }
  return x;
}

ExprMatrix LinearSolver::inverse() const {
  ExprMatrix result(size_, size_);
  std::vector<Expr> unit(at(size_));
  for (int j = 0; j < size_; ++j) {
    unit[at(j)] = 1;
    const std::vector<Expr> column = solve(unit);
    for (int i = 0; i < size_; ++i) result(i, j) = column[at(i)];
    unit[at(j)] = 0;
  }
  return result;
}

}  // namespace kane
