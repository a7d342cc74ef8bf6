#include "kane/analysis/fit.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/qr.hpp"

namespace kane {

namespace {

constexpr double kOptimal = 1e-7;     ///< cosine of the angle between r and the changes the parameters can make
constexpr double kSmallStep = 1e-10;  ///< relative change of all parameters
constexpr double kSmallGain = 1e-13;  ///< relative decrease of the cost
constexpr double kUnidentifiable = 1e-7;
constexpr long kRunsGivenUp = 10;  ///< abandoned after this many times the steps of the best run
constexpr long kLeastStepLimit = 2000;
constexpr int kSquaresIntervals = 200;

std::vector<std::string> names_of(const std::vector<FitParameter>& parameters) {
  std::vector<std::string> names;
  for (const auto& p : parameters) names.push_back(p.name);
  return names;
}

std::vector<Signal> signals_of(const FitOptions& options) {
  std::vector<Signal> signals;
  for (const auto& d : options.data) signals.push_back(d.signal);
  for (const auto& g : options.goals) signals.push_back(g.signal);
  return signals;
}

double default_weight(const FitData& data) {
  double sum = 0, count = 0;
  for (const double v : data.value)
    if (!std::isnan(v)) sum += v, ++count;
  const double mean = count > 0 ? sum / count : 0;
  double square = 0;
  for (const double v : data.value)
    if (!std::isnan(v)) square += (v - mean) * (v - mean);
  const double deviation = count > 0 ? std::sqrt(square / count) : 0;
  return deviation > 0 ? 1 / deviation : 1;
}

}  // namespace

std::vector<FitData> fit_data(const EquationsOfMotion& equations, const SeriesTable& table) {
  std::vector<FitData> data;
  for (std::size_t i = 0; i < table.names.size(); ++i)
    data.push_back({parse_signal(equations, table.names[i], "column"), table.t, table.columns[i], 0});
  return data;
}

Fit::Fit(std::shared_ptr<const CompiledSystem> system, FitOptions options)
    : system_(std::move(system)),
      options_(std::move(options)),
      run_(system_, {.parameters = names_of(options_.parameters),
                     .signals = signals_of(options_),
                     .tolerance = options_.tolerance,
                     .inputs = options_.inputs,
                     .initial = options_.initial}) {
  require(!options_.parameters.empty(), "a fit needs at least one parameter to change");
  require(!options_.data.empty() || !options_.goals.empty(), "a fit needs data or a goal");
  for (const auto& p : options_.parameters)
    require(p.lower <= p.upper, "the bounds of '{}' are empty: from {} to {}", p.name, p.lower, p.upper);
  for (auto& d : options_.data) {
    ensure(d.t.size() == d.value.size(), "{} times and {} values", d.t.size(), d.value.size());
    if (d.weight == 0) d.weight = default_weight(d);
    require(d.weight > 0 && std::isfinite(d.weight), "the weight of '{}' must be positive, but it is {}", d.signal.name,
            d.weight);
  }
}

void Fit::collect_times(double begin) {
  times_.clear(), rows_.clear();
  for (const auto& d : options_.data) times_.insert(times_.end(), d.t.begin(), d.t.end());
  bool squares = false;
  for (const auto& g : options_.goals) {
    if (!g.squares) times_.push_back(g.t);
    squares = squares || g.squares;
  }
  const auto grid = [&](int k) { return begin + (options_.until - begin) * k / kSquaresIntervals; };
  require(!squares || options_.until > begin, "the run must end after it begins, but it is from {} to {}", begin,
          options_.until);
  for (int k = 0; squares && k <= kSquaresIntervals; ++k) times_.push_back(grid(k));
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  require(!times_.empty(), "the data has no rows");
  require(times_.front() >= begin, "the data begins at t = {} s, before the run, which starts at {} s", times_.front(),
          begin);
  const auto index = [&](double t) {
    return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
  };
  for (std::size_t i = 0; i < options_.data.size(); ++i) {
    const FitData& d = options_.data[i];
    for (std::size_t k = 0; k < d.t.size(); ++k)
      if (!std::isnan(d.value[k])) rows_.push_back({index(d.t[k]), i, i, d.value[k], d.weight});
  }
  for (std::size_t i = 0; i < options_.goals.size(); ++i) {
    const FitGoal& g = options_.goals[i];
    const std::size_t signal = options_.data.size() + i;
    if (!g.squares) rows_.push_back({index(g.t), signal, signal, g.value, g.weight});
    // Trapezoidal rule: the ends count half.
    for (int k = 0; g.squares && k <= kSquaresIntervals; ++k) {
      const double part = (k == 0 || k == kSquaresIntervals ? 0.5 : 1.0) / kSquaresIntervals;
      rows_.push_back({index(grid(k)), signal, signal, 0, g.weight * std::sqrt(part)});
    }
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.time < b.time; });
  require(rows_.size() >= 1, "the data contains no numbers");
}

void Fit::fill_residuals(const SensitivitySample& sample, std::size_t index, Point& point) const {
  const auto first = std::lower_bound(rows_.begin(), rows_.end(), index,
                                      [](const Row& row, std::size_t time) { return row.time < time; });
  for (auto row = first; row != rows_.end() && row->time == index; ++row) {
    const auto i = static_cast<std::size_t>(row - rows_.begin());
    point.r[i] = row->weight * (sample.values[row->signal] - row->target);
    for (std::size_t k = 0; k < unit_.size(); ++k)
      point.j(i, k) = row->weight * sample.derivatives(row->signal, k) * unit_[k];
  }
}

/// Residuals and derivatives (in units of the parameters) for parameter values p.
Fit::Point Fit::evaluate(const Vector& p) {
  Point point{p, Vector(rows_.size()), Matrix(rows_.size(), p.size()), 0, {}};
  const EquationsOfMotion& e = system_->equations();
  Values given = given_;
  std::vector<std::size_t> initial;  ///< of the unknowns that are initial values: place in (q, u)
  for (std::size_t k = 0; k < p.size(); ++k) {
    const std::string& name = options_.parameters[k].name;
    const auto place = [&](const std::vector<Expr>& symbols) {
      return static_cast<std::size_t>(
          std::find_if(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.name() == name; }) -
          symbols.begin());
    };
    initial.push_back(place(e.q) < e.q.size() ? place(e.q) : e.q.size() + place(e.u));
    if (initial.back() == e.q.size() + e.u.size()) given[name] = p[k];
  }
  State state = options_.initial ? options_.initial(given) : state_;
  GivenValues held = given_values_;
  held.insisted_q.resize(e.q.size()), held.insisted_u.resize(e.u.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (const std::size_t i = initial[k]; i < e.q.size())
      state.q[i] = p[k], held.q[i] = held.insisted_q[i] = true;
    else if (const std::size_t j = i - e.q.size(); j < e.u.size())
      state.u[j] = p[k], held.u[j] = held.insisted_u[j] = true;
  }
  ++runs_;
  try {
    run_.start(given, state, held);
    std::size_t index = 0;
    point.failure = run_.run(times_, [&](const SensitivitySample& sample) { fill_residuals(sample, index++, point); });
  } catch (const ModelError& error) {
    point.failure = error.message();
  }
  if (point.failure.empty() && (!all_finite(point.r) || !all_finite({point.j.view().data, point.r.size() * p.size()})))
    point.failure = "the signals or their derivatives are not finite numbers";
  point.cost = dot(point.r.data(), point.r.data(), point.r.size());
  count_run(point);
  return point;
}

/// If a trial makes the motion run away (negative damping), steps become shorter and shorter; such a run is abandoned
/// after many times the steps of the best run so far.
void Fit::count_run(const Point& point) {
  const IntegratorTotals& totals = run_.totals();
  if (step_limit_ > 0 && totals.steps + totals.rejected > step_limit_) ++given_up_;
  if (point.failure.empty() && (runs_ == 1 || point.cost < least_)) {
    least_ = point.cost;
    step_limit_ = std::max(kLeastStepLimit, kRunsGivenUp * (totals.steps + totals.rejected));
    run_.set_step_limit(step_limit_);
  }
  if (options_.on_run) options_.on_run(runs_, least_);
}

/// Parameters at a bound that the descent would cross.
std::vector<bool> Fit::find_held(const Point& at) const {
  std::vector<bool> held(at.p.size(), false);
  for (std::size_t k = 0; k < at.p.size(); ++k) {
    double gradient = 0;
    for (std::size_t i = 0; i < at.r.size(); ++i) gradient += at.j(i, k) * at.r[i];
    const auto& bounds = options_.parameters[k];
    held[k] = (at.p[k] <= bounds.lower && gradient > 0) || (at.p[k] >= bounds.upper && gradient < 0);
  }
  return held;
}

/// Largest cosine between r and a column of J.
double Fit::calc_optimality(const Point& at, const std::vector<bool>& held) const {
  double largest = 0;
  const double length = std::sqrt(at.cost);
  for (std::size_t k = 0; k < at.p.size() && length > 0; ++k) {
    double product = 0, square = 0;
    for (std::size_t i = 0; i < at.r.size(); ++i) product += at.j(i, k) * at.r[i], square += at.j(i, k) * at.j(i, k);
    if (!held[k] && square > 0) largest = std::max(largest, std::abs(product) / (std::sqrt(square) * length));
  }
  return largest;
}

/// dp (in units) that minimises |r + J dp|^2 + mu |D dp|^2, D_k = |J_k|.
void Fit::solve_free(const Point& at, const std::vector<bool>& held, double mu, Vector& step) const {
  const std::size_t m = at.r.size(), n = at.p.size();
  PivotedQr qr(m + n, n);
  double* const columns = qr.prepare(m + n, n);
  std::fill_n(columns, (m + n) * n, 0.0);
  Vector r(m + n, 0.0), free(n);
  for (std::size_t i = 0; i < m; ++i) r[i] = -at.r[i];
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; held[k] && i < m; ++i) r[i] -= at.j(i, k) * step[k];
    if (held[k]) continue;
    double square = 0;
    for (std::size_t i = 0; i < m; ++i) columns[k * (m + n) + i] = at.j(i, k), square += at.j(i, k) * at.j(i, k);
    columns[k * (m + n) + m + k] = std::sqrt(mu * square);
  }
  qr.factor(1e-13);
  qr.solve_minimum_norm(r, free);
  for (std::size_t k = 0; k < n; ++k)
    if (!held[k]) step[k] = free[k];
}

/// Parameters that would cross a bound stop there, and the others are solved for again.
Fit::Vector Fit::calc_step(const Point& at, std::vector<bool> held, double mu) const {
  Vector step(at.p.size(), 0.0);
  for (std::size_t round = 0; round <= step.size(); ++round) {
    solve_free(at, held, mu, step);
    bool stopped = false;
    for (std::size_t k = 0; k < step.size(); ++k) {
      const auto& bounds = options_.parameters[k];
      const double next = at.p[k] + step[k] * unit_[k];
      if (held[k] || (next >= bounds.lower && next <= bounds.upper)) continue;
      step[k] = (std::clamp(next, bounds.lower, bounds.upper) - at.p[k]) / unit_[k];
      held[k] = stopped = true;
    }
    if (!stopped) break;
  }
  return step;
}

FitReport Fit::solve(const Values& given, const State& state, const GivenValues& given_values) {
  given_ = given, state_ = state, given_values_ = given_values;
  runs_ = given_up_ = 0;
  step_limit_ = 0;
  run_.set_step_limit(0);
  FitReport report;
  collect_times(state.t);
  run_.start(given, state, given_values);
  Vector p;
  unit_.clear();
  for (std::size_t k = 0; k < options_.parameters.size(); ++k) {
    const auto& bounds = options_.parameters[k];
    p.push_back(std::clamp(run_.parameter_value(k), bounds.lower, bounds.upper));
    unit_.push_back(p.back() != 0 ? std::abs(p.back()) : 1.0);
    report.parameters.push_back({bounds.name, run_.parameter_value(k)});
  }
  Point at = evaluate(p);
  report.residuals = rows_.size();
  report.cost_start = at.cost;
  if (!at.failure.empty()) {
    report.status = FitStatus::RunFailed, report.message = at.failure;
    return report;
  }
  double mu = 1e-3, growth = 2;
  report.status = FitStatus::TooManyIterations;
  while (report.iterations < options_.max_iterations) {
    const auto held = find_held(at);
    if (calc_optimality(at, held) < kOptimal || at.cost < 1e-28 * static_cast<double>(rows_.size())) {
      report.status = FitStatus::Converged;
      break;
    }
    ++report.iterations;
    const Vector step = calc_step(at, held, mu);
    Vector next = at.p;
    double change = 0, predicted = 0;
    for (std::size_t k = 0; k < next.size(); ++k) {
      const auto& bounds = options_.parameters[k];
      next[k] = std::clamp(next[k] + step[k] * unit_[k], bounds.lower, bounds.upper);
      change = std::max(change, std::abs(next[k] - at.p[k]) / std::max(std::abs(at.p[k]), 1e-3 * unit_[k]));
    }
    for (std::size_t i = 0; i < at.r.size(); ++i) {
      double linear = at.r[i];
      for (std::size_t k = 0; k < next.size(); ++k) linear += at.j(i, k) * (next[k] - at.p[k]) / unit_[k];
      predicted += at.r[i] * at.r[i] - linear * linear;
    }
    if (change < kSmallStep) {
      report.status = growth > 2 && mu > 1 ? FitStatus::Stuck : FitStatus::Converged;
      break;
    }
    Point trial = evaluate(next);
    const bool better = trial.failure.empty() && trial.cost < at.cost;
    if (!better) {
      mu *= growth, growth *= 2;
      // The difference between two runs is below their error: no further gain is possible.
      if (trial.failure.empty() && predicted < 1e-9 * at.cost) {
        report.status = FitStatus::Converged;
        break;
      }
      continue;
    }
    const double ratio = predicted > 0 ? (at.cost - trial.cost) / predicted : 0;
    mu *= std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3));
    growth = 2;
    const double gained = at.cost - trial.cost;
    at = std::move(trial);
    if (gained < kSmallGain * at.cost) {
      report.status = FitStatus::Converged;
      break;
    }
  }
  report.runs = runs_, report.given_up = given_up_;
  describe(at, report);
  return report;
}

void Fit::describe(const Point& at, FitReport& report) const {
  const std::size_t m = at.r.size(), n = at.p.size();
  report.cost = at.cost;
  // Root mean squares in the units of the signals.
  const std::size_t sources = options_.data.size() + options_.goals.size();
  Vector square(sources, 0.0), count(sources, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    const bool goal = rows_[i].source >= options_.data.size();
    const double weight = goal ? options_.goals[rows_[i].source - options_.data.size()].weight : rows_[i].weight;
    square[rows_[i].source] += at.r[i] * at.r[i] / (weight * weight), count[rows_[i].source] += 1;
  }
  for (std::size_t s = 0; s < sources; ++s) {
    const bool mean = s < options_.data.size();
    report.rms.push_back(std::sqrt(mean && count[s] > 0 ? square[s] / count[s] : square[s]));
  }

  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < n; ++k) {
    FittedParameter& f = report.parameters[k];
    f.value = at.p[k];
    f.at_bound = at.p[k] <= options_.parameters[k].lower || at.p[k] >= options_.parameters[k].upper;
    f.standard_error = std::numeric_limits<double>::infinity();
    if (!f.at_bound) free.push_back(k);
  }
  if (free.empty()) return;
  // From here on relative to the fitted values.
  Vector size(n);
  for (std::size_t k = 0; k < n; ++k) size[k] = at.p[k] != 0 ? std::abs(at.p[k]) : unit_[k];
  const auto rows = static_cast<Eigen::Index>(m), columns = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd j(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index k = 0; k < columns; ++k) {
      const std::size_t column = free[static_cast<std::size_t>(k)];
      j(i, k) = at.j(static_cast<std::size_t>(i), column) * size[column] / unit_[column];
    }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(j, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const auto& s = svd.singularValues();
  const double largest = s.size() > 0 ? s(0) : 0;
  report.condition =
      s.size() < columns || s(s.size() - 1) <= 0 ? std::numeric_limits<double>::infinity() : largest / s(s.size() - 1);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(columns, columns);
  std::vector<bool> known(free.size(), true);
  for (Eigen::Index k = 0; k < columns; ++k) {
    const double value = k < s.size() ? s(k) : 0;
    Eigen::VectorXd v = svd.matrixV().col(k);
    if (value > kUnidentifiable * largest && largest > 0) {
      covariance += v * v.transpose() / (value * value);
      continue;
    }
    std::string combination;
    Eigen::Index largest_part = 0;
    v.cwiseAbs().maxCoeff(&largest_part);
    if (v(largest_part) < 0) v = -v;  // the sign is arbitrary
    for (Eigen::Index i = 0; i < columns; ++i) {
      if (std::abs(v(i)) < 0.05) continue;
      known[static_cast<std::size_t>(i)] = false;
      combination += fmt::format("{}{} {:+.2f}", combination.empty() ? "" : ", ",
                                 options_.parameters[free[static_cast<std::size_t>(i)]].name, v(i));
    }
    report.unidentifiable.push_back(combination);
  }
  const double freedom = static_cast<double>(m) - static_cast<double>(free.size());
  const double sigma2 = freedom > 0 ? at.cost / freedom : std::numeric_limits<double>::infinity();
  std::vector<Eigen::Index> shown;
  for (std::size_t k = 0; k < free.size(); ++k) {
    FittedParameter& f = report.parameters[free[k]];
    f.identifiable = known[k];
    if (!known[k]) continue;
    const auto i = static_cast<Eigen::Index>(k);
    f.standard_error = std::sqrt(sigma2 * covariance(i, i)) * size[free[k]];
    shown.push_back(i);
    report.correlated.push_back(f.name);
  }
  report.correlation = Matrix(shown.size(), shown.size());
  for (std::size_t a = 0; a < shown.size(); ++a)
    for (std::size_t b = 0; b < shown.size(); ++b)
      report.correlation(a, b) =
          covariance(shown[a], shown[b]) / std::sqrt(covariance(shown[a], shown[a]) * covariance(shown[b], shown[b]));
}

}  // namespace kane
