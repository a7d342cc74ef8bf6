#include "kane/batch/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlopt.hpp>

#include "kane/base/suggest.hpp"
#include "kane/batch/measure_gradient.hpp"
#include "kane/batch/row_expression.hpp"
#include "kane/batch/statistics.hpp"

namespace kane {

namespace {

using Numbers = std::vector<double>;

class DesignSearch {
 public:
  DesignSearch(const Sweep& sweep, const SearchOptions& options, const SearchEvaluation& evaluate)
      : sweep_(sweep), options_(options), evaluate_(evaluate) {
    std::vector<std::string> names;
    for (const StudyVariable& v : sweep.study().variables()) {
      require(v.range, "a search needs a range for each variable: {}=a..b", v.name);
      low_.push_back(v.distribution->a), high_.push_back(v.distribution->b);
      names.push_back(v.name);
    }
    names.insert(names.end(), sweep.measure_names().begin(), sweep.measure_names().end());
    require(!options.goals.empty(), "a search needs a goal: --minimize or --maximize");
    for (const SearchText& goal : options.goals) goals_.emplace_back(goal.text, names, goal.where);
    for (const SearchText& condition : options.conditions) {
      conditions_.emplace_back(condition.text, names, condition.where);
      if (!conditions_.back().is_condition()) {
        const std::string message = fmt::format("'{}' is not a condition; write a <= b or a >= b", condition.text);
        throw condition.where.line > 0 ? ModelError(condition.where, message) : ModelError(message);
      }
    }
    weights_.assign(goals_.size(), 1.0 / static_cast<double>(goals_.size()));
    ideal_.assign(goals_.size(), std::numeric_limits<double>::infinity());
    worst_.assign(goals_.size(), -std::numeric_limits<double>::infinity());
  }

  SearchReport run() {
    static const std::vector<std::string> kMethods = {"auto", "local", "global", "gradient", "pareto"};
    require(std::find(kMethods.begin(), kMethods.end(), options_.method) != kMethods.end(),
            "unknown search '{}'{} (known: {})", options_.method, suggestion(options_.method, kMethods),
            fmt::join(kMethods, ", "));
    const bool several = goals_.size() > 1;
    require(several || options_.method != "pareto", "search pareto needs at least two goals");
    require(!several || options_.method == "auto" || options_.method == "pareto",
            "search {} has one goal; several need search pareto", options_.method);
    nlopt::srand(options_.seed);
    if (several)
      run_front();
    else if (options_.method == "global")
      run_algorithm(nlopt::GN_ISRES, options_.evaluations);
    else if (options_.method == "auto") {
      run_algorithm(nlopt::GN_ISRES, options_.evaluations * 2 / 3);
      prepare_gradient();
      if (gradient_) run_algorithm(nlopt::LD_SLSQP, options_.evaluations);
      if (!gradient_ || broken_) run_algorithm(nlopt::LN_COBYLA, options_.evaluations);
    } else if (options_.method == "gradient") {
      prepare_gradient();
      run_algorithm(nlopt::LD_SLSQP, options_.evaluations);
    } else
      run_algorithm(nlopt::LN_COBYLA, options_.evaluations);
    return report();
  }

 private:
  struct Point {
    CaseResult result;
    Numbers goals;    ///< to be small
    Numbers margins;  ///< positive: the condition holds
    bool feasible = false;
  };

  /// Variables as numbers from 0 to 1.
  [[nodiscard]] Numbers values_at(const Numbers& x) const {
    Numbers v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      v[i] = std::clamp(low_[i] + x[i] * (high_[i] - low_[i]), low_[i], high_[i]);
    return v;
  }

  const Point& point_at(const Numbers& x) {
    Numbers v = values_at(x);
    for (auto p = points_.rbegin(); p != points_.rend(); ++p)  // goal and conditions ask for the same point
      if (p->result.values == v) return *p;
    if (points_.size() >= limit_) throw nlopt::forced_stop();
    Point p;
    p.result = evaluate_(points_.size(), v);
    Numbers row = p.result.values;
    row.insert(row.end(), p.result.measures.begin(), p.result.measures.end());
    p.feasible = p.result.ok;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      const double g = goals_[i].calc(row) * (options_.goals[i].larger ? -1 : 1);
      p.goals.push_back(p.result.ok && std::isfinite(g) ? g : std::nan(""));
      p.feasible = p.feasible && std::isfinite(p.goals.back());
      if (std::isfinite(p.goals.back())) ideal_[i] = std::min(ideal_[i], g), worst_[i] = std::max(worst_[i], g);
    }
    for (RowExpression& c : conditions_) {
      const double m = c.calc_margin(row);
      p.margins.push_back(p.result.ok && std::isfinite(m) ? m : -1);
      p.feasible = p.feasible && p.margins.back() >= -1e-9;
    }
    points_.push_back(std::move(p));
    return points_.back();
  }

  /// A failed run is worse than all others.
  [[nodiscard]] double cost(const Point& p) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      if (!std::isfinite(ideal_[i])) return 1;
      const double span = std::max(worst_[i] - ideal_[i], 1e-12 * (1 + std::abs(worst_[i])));
      const double g = std::isfinite(p.goals[i]) ? p.goals[i] : worst_[i] + span;
      if (goals_.size() == 1) return g;
      largest = std::max(largest, weights_[i] * (g - ideal_[i]) / span);
    }
    return largest;
  }

  void prepare_gradient() {
    Numbers spans;
    for (std::size_t i = 0; i < low_.size(); ++i) spans.push_back(high_[i] - low_[i]);
    try {
      gradient_ = std::make_unique<MeasureGradient>(sweep_, spans);
    } catch (const ModelError& error) {
      no_gradients_ = error.message();
    }
  }

  /// Derivatives of the measures at x; null: they are not known.
  const Matrix* measure_slopes(const Numbers& x) {
    if (!gradient_) return nullptr;
    const Numbers values = values_at(x);
    if (values != sloped_) {
      sloped_ = values;
      const std::string failure = gradient_->calc(values, slopes_);
      sloped_ok_ = failure.empty();
      if (sloped_ok_)
        ++gradients_;
      else
        no_gradients_ = failure;
    }
    return sloped_ok_ ? &slopes_ : nullptr;
  }

  /// The derivative of an expression of a row along each variable, which measures follow.
  void differentiate(RowExpression& expression, bool margin, double sign, const Numbers& x, const Matrix& m,
                     Numbers& slope) {
    const CaseResult& at = point_at(x).result;
    constexpr double kStep = 1e-6;  // of the range
    Numbers row(at.values.size() + at.measures.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      double side[2];
      for (int k = 0; k < 2; ++k) {
        const double e = (k == 0 ? kStep : -kStep) * (high_[i] - low_[i]);
        std::copy(at.values.begin(), at.values.end(), row.begin());
        row[i] += e;
        for (std::size_t j = 0; j < at.measures.size(); ++j) row[at.values.size() + j] = at.measures[j] + e * m(j, i);
        side[k] = margin ? expression.calc_margin(row) : expression.calc(row);
      }
      slope[i] = sign * (side[0] - side[1]) / (2 * kStep);
    }
  }

  /// `value`: sign times a goal or, with `margin`, a condition.
  template <class Value>
  double with_slope(const Numbers& x, Numbers& slope, Value value, RowExpression& expression, bool margin,
                    double sign) {
    const double f = value(x);
    if (slope.empty()) return f;
    if (const Matrix* m = measure_slopes(x)) {
      differentiate(expression, margin, sign, x, *m, slope);
      if (std::all_of(slope.begin(), slope.end(), [](double d) { return std::isfinite(d); })) return f;
    }
    constexpr double kStep = 1e-4;  // of the range; runs are computed to about 1e-9
    for (std::size_t i = 0; i < x.size(); ++i) {
      Numbers a = x, b = x;
      a[i] = std::max(0.0, x[i] - kStep), b[i] = std::min(1.0, x[i] + kStep);
      slope[i] = (value(b) - value(a)) / (b[i] - a[i]);
    }
    return f;
  }

  struct Constraint {
    DesignSearch* search;
    std::size_t index;
  };

  void run_algorithm(nlopt::algorithm algorithm, std::uint64_t limit) {
    limit_ = limit;
    nlopt::opt opt(algorithm, static_cast<unsigned>(low_.size()));
    opt.set_lower_bounds(0.0), opt.set_upper_bounds(1.0);
    opt.set_min_objective(
        [](const Numbers& x, Numbers& slope, void* self) {
          auto& s = *static_cast<DesignSearch*>(self);
          // Derivatives are wanted for single goals only.
          return s.with_slope(
              x, slope, [&](const Numbers& at) { return s.cost(s.point_at(at)); }, s.goals_.front(), false,
              s.options_.goals.front().larger ? -1 : 1);
        },
        this);
    std::vector<Constraint> constraints;
    for (std::size_t i = 0; i < conditions_.size(); ++i) constraints.push_back({this, i});
    for (Constraint& c : constraints)
      opt.add_inequality_constraint(
          [](const Numbers& x, Numbers& slope, void* data) {
            const auto& own = *static_cast<Constraint*>(data);
            return own.search->with_slope(
                x, slope, [&](const Numbers& at) { return -own.search->point_at(at).margins[own.index]; },
                own.search->conditions_[own.index], true, -1);
          },
          &c, 1e-9);
    opt.set_xtol_abs(1e-7);
    opt.set_maxeval(static_cast<int>(std::min<std::uint64_t>(limit, 1'000'000)));
    Numbers x = start();
    double f = 0;
    stopped_ = "the goal does not change any more";
    broken_ = false;
    try {
      const nlopt::result code = opt.optimize(x, f);
      if (code == nlopt::MAXEVAL_REACHED) stopped_ = "all runs are used up";
    } catch (const nlopt::forced_stop&) {
      stopped_ = "all runs are used up";
    } catch (const nlopt::roundoff_limited&) {
      stopped_ = "rounding errors prevent further progress";
      broken_ = true;
    } catch (const std::runtime_error& error) {
      stopped_ = fmt::format("NLopt stopped: {}", error.what());
      broken_ = true;
    }
  }

  /// The best point so far, or the middle.
  [[nodiscard]] Numbers start() const {
    Numbers x(low_.size(), 0.5);
    if (const Point* best = find_best())
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::clamp((best->result.values[i] - low_[i]) / (high_[i] - low_[i]), 0.0, 1.0);
    return x;
  }

  [[nodiscard]] const Point* find_best() const {
    const Point* best = nullptr;
    const auto open = [](const Point& p) {
      return p.margins.empty() ? 0.0 : std::min(0.0, *std::min_element(p.margins.begin(), p.margins.end()));
    };
    for (const Point& p : points_) {
      if (!p.result.ok) continue;
      const bool better =
          best == nullptr || (p.feasible && !best->feasible) ||
          (p.feasible == best->feasible && (p.feasible ? cost(p) < cost(*best) : open(p) > open(*best)));
      if (better) best = &p;
    }
    return best;
  }

  void run_front() {
    constexpr std::size_t kDirections = 9;
    const std::size_t n = goals_.size(), count = std::max(kDirections, n + 1);
    const SobolSequence sequence(static_cast<std::uint32_t>(n), options_.seed);
    for (std::size_t d = 0; d < count; ++d) {
      for (std::size_t i = 0; i < n; ++i)
        weights_[i] =
            d < n    ? (d == i ? 1.0 : 1e-3)
            : n == 2 ? (i == 0 ? 1.0 : -1.0) * (static_cast<double>(d - n + 1) / static_cast<double>(count - n + 1)) +
                           (i == 0 ? 0.0 : 1.0)
                     : sequence.unit(d, static_cast<std::uint32_t>(i));
      run_algorithm(nlopt::LN_COBYLA, options_.evaluations * (d + 1) / count);
    }
  }

  SearchReport report() {
    SearchReport r;
    r.runs = points_.size();
    r.stopped = stopped_, r.gradients = gradients_, r.no_gradients = no_gradients_;
    const auto add = [&](const Point& p) {
      r.best.push_back(p.result);
      Numbers g = p.goals;
      for (std::size_t i = 0; i < g.size(); ++i) g[i] *= options_.goals[i].larger ? -1 : 1;
      r.goals.push_back(g);
    };
    if (goals_.size() == 1) {
      if (const Point* best = find_best()) add(*best), r.feasible = best->feasible;
      return r;
    }
    std::vector<Numbers> columns(goals_.size());
    std::vector<std::size_t> rows;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      if (!points_[p].feasible) continue;
      rows.push_back(p);
      for (std::size_t i = 0; i < goals_.size(); ++i) columns[i].push_back(points_[p].goals[i]);
    }
    r.feasible = !rows.empty();
    const std::vector<std::span<const double>> spans(columns.begin(), columns.end());
    for (const std::size_t i : find_pareto_front(spans, std::vector<bool>(goals_.size(), false))) add(points_[rows[i]]);
    return r;
  }

  const Sweep& sweep_;
  const SearchOptions& options_;
  const SearchEvaluation& evaluate_;
  std::vector<RowExpression> goals_, conditions_;
  Numbers low_, high_, weights_, ideal_, worst_;
  std::vector<Point> points_;
  std::uint64_t limit_ = 0;
  std::string stopped_;
  bool broken_ = false;  ///< NLopt gave up
  std::unique_ptr<MeasureGradient> gradient_;
  Numbers sloped_;  ///< where slopes_ are from
  Matrix slopes_;
  bool sloped_ok_ = false;
  std::uint64_t gradients_ = 0;
  std::string no_gradients_;
};

}  // namespace

SearchReport search(const Sweep& sweep, const SearchOptions& options, const SearchEvaluation& evaluate) {
  require(options.evaluations >= 1 && options.evaluations <= 1'000'000, "a search takes 1 to 1000000 runs, not {}",
          options.evaluations);
  return DesignSearch(sweep, options, evaluate).run();
}

}  // namespace kane
