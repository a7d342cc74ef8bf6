#include "kane/analysis/motion_tangent.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Nodes times directions beyond which derivatives are not written out one by one.
constexpr std::size_t kMostDerivativeWork = 1'000'000;

}  // namespace

std::vector<Expr> motion_rows(const KernelWorkshop& shop) {
  const EquationsOfMotion& e = shop.equations();
  require(e.M.rows > 0 || e.u.empty() || !e.inverse.empty(),
          "the analyses of '{}' need its mass matrix, which was not formed", e.name);
  std::vector<Expr> rows = e.qdot;
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    // M udot - rhs, in the shorter form where there is one.
    Expr g = e.inverse.empty() ? e.rhs[i] : -e.inverse[i];
    for (std::size_t j = 0; j < e.u.size() && e.inverse.empty(); ++j)
      g -= e.M(static_cast<int>(i), static_cast<int>(j)) * e.udot[j];
    for (const auto& c : e.constraints) g += c.a[i] * c.multiplier;
    rows.push_back(g);
  }
  for (const auto& c : e.constraints) {
    if (c.given) {
      rows.push_back(*c.given - c.multiplier);
      continue;
    }
    Expr h = c.gamma;
    for (std::size_t j = 0; j < c.a.size(); ++j) h -= c.a[j] * e.udot[j];
    rows.push_back(h);
  }
  return shop.with_laws(rows);
}

MotionTangent::MotionTangent(SystemEvaluator& evaluator, const KernelWorkshop& shop,
                             std::span<const Substitution> directions)
    : evaluator_(evaluator),
      directions_(directions.size()),
      runner_(nullptr, evaluator.context()),
      qdot_(evaluator.system().coordinate_count()),
      udot_(evaluator.system().speed_count()),
      lambda_(evaluator.system().constraint_count()),
      rows_(qdot_.size() + udot_.size() + lambda_.size()),
      gamma_(lambda_.size()),
      active_lambda_(lambda_.size()),
      all_lambda_(lambda_.size()),
      factors_(udot_.size(), evaluator.system().equations().symmetric) {
  const std::vector<Expr> rows = motion_rows(shop);
  const std::size_t columns = qdot_.size() + udot_.size() + directions.size();
  if (topological_order(rows).size() * columns > kMostDerivativeWork)
    compile_along(shop, rows, directions);
  else
    compile_columns(shop, rows, directions);
  runner_ = KernelRunner(kernel_.get(), evaluator.context());
}

void MotionTangent::compile_columns(const KernelWorkshop& shop, const std::vector<Expr>& rows,
                                    std::span<const Substitution> directions) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Substitution> all;
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) all.push_back({{s, Expr(1)}});
  all.insert(all.end(), directions.begin(), directions.end());
  std::vector<Expr> outputs;
  for (const auto& direction : all) {
    begin_.push_back(entries_.size());
    Tangent along(direction);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Expr d = along(rows[i]);
      if (d.is_zero()) continue;
      entries_.push_back({i, outputs.size()});
      outputs.push_back(d);
    }
  }
  begin_.push_back(entries_.size());
  kernel_ = std::make_unique<Kernel>(shop.compile("tangent", outputs));
}

void MotionTangent::compile_along(const KernelWorkshop& shop, const std::vector<Expr>& rows,
                                  std::span<const Substitution> directions) {
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> lengths;
  std::map<std::string, std::pair<Expr, Expr>> rates;  // symbol and rate, by name
  const auto add = [&](const Expr& symbol, const Expr& rate) {
    auto& place = rates.try_emplace(symbol.name(), symbol, Expr()).first->second;
    place.second += rate;
  };
  const auto new_length = [&](const std::string& of) {
    lengths.push_back(shop.graph().symbol("change(" + of + ")"));
    return lengths.back();
  };
  for (const auto* symbols : {&e.q, &e.u})
    for (const auto& s : *symbols) add(s, new_length(s.name()));
  const std::vector<Expr> used = symbols_of(rows);
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const Expr length = new_length(std::to_string(k));
    for (const Expr& symbol : used)
      if (const Expr* rate = directions[k].find(symbol.id())) add(symbol, length * *rate);
  }
  Substitution all;
  for (const auto& [name, rate] : rates) all.set(rate.first, rate.second);
  Tangent along(all);
  std::vector<Expr> outputs;
  for (const Expr& row : rows) outputs.push_back(along(row));
  kernel_ = std::make_unique<Kernel>(shop.compile("tangent", outputs, lengths));
  change_.resize(lengths.size());
}

bool MotionTangent::prepare_solver(std::span<const double> q, std::span<const double> u) {
  if (!evaluator_.active_rows().empty()) return true;  // calc_motion() has left M and the embedding
  evaluator_.calc_mass(q, u);
  return factors_.factor(evaluator_.mass_matrix()).ok();
}

MotionReport MotionTangent::calc(std::span<const double> q, std::span<const double> u) {
  const MotionReport report = evaluator_.calc_motion(q, u, qdot_, udot_);
  if (!report.ok()) return report;
  if (!prepare_solver(q, u)) return {MotionStatus::SingularMass, -1};
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  evaluator_.calc_multipliers(udot_, lambda_);
  if (begin_.empty()) {
    q_.assign(q.begin(), q.end()), u_.assign(u.begin(), u.end());
    return report;
  }
  values_ = runner_.run(q, u, udot_, lambda_);
  if (!all_finite(values_)) return {MotionStatus::NotFinite, -1};
  return report;
}

void MotionTangent::add_column(std::size_t column, double factor) {
  if (factor == 0) return;
  for (std::size_t k = begin_[column]; k < begin_[column + 1]; ++k)
    rows_[entries_[k].row] += factor * values_[entries_[k].output];
}

bool MotionTangent::calc_rows(std::span<const double> dy, int direction, double length) {
  const std::size_t first = qdot_.size() + udot_.size();
  if (!begin_.empty()) {
    std::fill(rows_.begin(), rows_.end(), 0.0);
    for (std::size_t c = 0; c < dy.size(); ++c) add_column(c, dy[c]);
    if (direction >= 0) add_column(first + static_cast<std::size_t>(direction), length);
    return true;
  }
  std::fill(change_.begin(), change_.end(), 0.0);
  std::ranges::copy(dy, change_.begin());
  if (direction >= 0) change_[first + static_cast<std::size_t>(direction)] = length;
  std::ranges::copy(runner_.run(q_, u_, udot_, lambda_, change_), rows_.begin());
  return all_finite(rows_);
}

bool MotionTangent::apply(std::span<const double> dy, int direction, std::span<double> dydot, std::span<double> dlambda,
                          double length) {
  const std::size_t nq = qdot_.size(), nu = udot_.size();
  if (!calc_rows(dy, direction, length)) return false;
  std::copy_n(rows_.begin(), nq, dydot.begin());
  std::fill(dlambda.begin(), dlambda.end(), 0.0);
  const std::span<double> g{rows_.data() + nq, nu}, dudot = dydot.subspan(nq);
  const auto& active = evaluator_.active_rows();
  const bool given = !evaluator_.system().given_rows().empty();
  if (given && dlambda.empty()) dlambda = all_lambda_;
  if (given) std::fill(dlambda.begin(), dlambda.end(), 0.0);
  const auto complete = [&] {
    return evaluator_.complete_tangent({rows_.data() + nq + nu, lambda_.size()}, dudot, dlambda);
  };
  if (active.empty()) {
    std::ranges::copy(g, dudot.begin());
    factors_.solve(dudot);
    return complete();
  }
  for (std::size_t k = 0; k < active.size(); ++k) gamma_[k] = rows_[nq + nu + static_cast<std::size_t>(active[k])];
  Embedding& embedding = evaluator_.embedding();
  if (!embedding.solve(evaluator_.mass_matrix(), g, {gamma_.data(), active.size()}, dudot).ok()) return false;
  if (dlambda.empty()) return true;
  const std::span<double> own{active_lambda_.data(), active.size()};
  embedding.calc_multipliers(evaluator_.mass_matrix(), g, dudot, Multipliers::MinimumNorm, own);
  for (std::size_t k = 0; k < active.size(); ++k) dlambda[at(active[k])] = own[k];
  return complete();
}

}  // namespace kane
