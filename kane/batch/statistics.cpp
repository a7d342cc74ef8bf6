#include "kane/batch/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "kane/base/error.hpp"
#include "kane/batch/philox.hpp"

namespace kane {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

std::vector<double> ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> r(x.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && x[order[j]] == x[order[i]]) ++j;
    for (std::size_t k = i; k < j; ++k) r[order[k]] = 0.5 * static_cast<double>(i + j - 1);  // ties share their rank
    i = j;
  }
  return r;
}

/// Groups of `size` runs that are all there and finite: measures in the order of the runs.
std::vector<double> complete_groups(const StoreTable& table, std::size_t measure, std::size_t size,
                                    std::vector<std::size_t>* first_rows) {
  std::map<std::uint64_t, std::vector<std::pair<double, std::size_t>>> groups;
  const auto& m = table.measures[measure];
  for (std::size_t row = 0; row < table.k.size(); ++row)
    if (std::isfinite(m[row])) groups[table.k[row] / size].push_back({m[row], row});
  std::vector<double> values;
  for (const auto& [group, list] : groups) {
    if (list.size() != size) continue;
    for (const auto& [value, row] : list) values.push_back(value);
    if (first_rows != nullptr) first_rows->push_back(list.front().second);
  }
  return values;
}

}  // namespace

NumberSummary summarize(std::span<const double> numbers) {
  NumberSummary s;
  s.least = std::numeric_limits<double>::infinity(), s.most = -s.least;
  double squares = 0;
  for (const double x : numbers) {  // Welford's recurrence
    if (!std::isfinite(x)) continue;
    ++s.count;
    const double change = x - s.mean;
    s.mean += change / static_cast<double>(s.count);
    squares += change * (x - s.mean);
    s.least = std::min(s.least, x), s.most = std::max(s.most, x);
  }
  if (s.count == 0) s.mean = s.least = s.most = s.deviation = kNotKnown;
  if (s.count > 1) s.deviation = std::sqrt(squares / static_cast<double>(s.count - 1));
  return s;
}

std::vector<double> calc_quantiles(std::span<const double> numbers, std::span<const double> probabilities) {
  std::vector<double> sorted;
  for (const double x : numbers)
    if (std::isfinite(x)) sorted.push_back(x);
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> result;
  for (const double p : probabilities) {
    const double place = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    result.push_back(sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]));
  }
  return result;
}

double correlation(std::span<const double> a, std::span<const double> b) {
  double n = 0, ma = 0, mb = 0, saa = 0, sbb = 0, sab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
    n += 1;
    const double da = a[i] - ma, db = b[i] - mb;
    ma += da / n, mb += db / n;
    saa += da * (a[i] - ma), sbb += db * (b[i] - mb), sab += da * (b[i] - mb);
  }
  return saa > 0 && sbb > 0 ? sab / std::sqrt(saa * sbb) : kNotKnown;
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i])) x.push_back(a[i]), y.push_back(b[i]);
  return correlation(ranks(x), ranks(y));
}

Proportion calc_proportion(std::size_t hits, std::size_t trials, double confidence) {
  Proportion p{hits, trials, 0, 0, 1};
  if (trials == 0) return p;
  const double n = static_cast<double>(trials), z = normal_quantile(0.5 + 0.5 * confidence);
  p.share = static_cast<double>(hits) / n;
  const double middle = (p.share + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p.share * (1 - p.share) / n + z * z / (4 * n * n));
  p.low = hits == 0 ? 0 : std::max(0.0, middle - half), p.high = hits == trials ? 1 : std::min(1.0, middle + half);
  return p;
}

// With f_A, f_B and f_i of A, B and A with column i of B, and V the variance (Saltelli et al., Comput. Phys. Commun. 181
// (2010), table 2: (b) for the first order, (f), Jansen's, for the total):
//
//     S_i = mean(f_B (f_i - f_A)) / V,     T_i = mean((f_A - f_i)^2) / (2 V)
//
// f is taken from its mean first, which changes neither and makes the first less noisy.
std::vector<SobolIndex> calc_sobol_indices(const StoreTable& table, std::size_t measure) {
  require(table.identity.sampling == "saltelli", "Sobol's indices need a study with sampling saltelli; this one has {}",
          table.identity.sampling);
  const std::size_t d = table.identity.variables.size(), size = d + 2;
  std::vector<double> f = complete_groups(table, measure, size, nullptr);
  const std::size_t n = f.size() / size;
  require(n >= 8, "Sobol's indices of '{}' need at least 8 complete groups of {} runs; there are {}",
          table.identity.measures[measure], size, n);
  const double mean = summarize(f).mean;
  for (double& x : f) x -= mean;
  const auto calc = [&](const std::vector<std::uint32_t>& draw, std::vector<double>& out) {
    double m = 0, squares = 0;
    for (const auto g : draw)
      for (std::size_t w = 0; w < 2; ++w) m += f[g * size + w], squares += f[g * size + w] * f[g * size + w];
    const double count = static_cast<double>(draw.size());
    const double v = squares / (2 * count) - (m / (2 * count)) * (m / (2 * count));
    for (std::size_t i = 0; i < d; ++i) {
      double s = 0, t = 0;
      for (const auto g : draw) {
        const double* const row = &f[g * size];
        s += row[1] * (row[2 + i] - row[0]);
        t += (row[0] - row[2 + i]) * (row[0] - row[2 + i]);
      }
      out[2 * i] = v > 0 ? s / (count * v) : kNotKnown, out[2 * i + 1] = v > 0 ? t / (2 * count * v) : kNotKnown;
    }
  };
  std::vector<std::uint32_t> draw(n);
  std::iota(draw.begin(), draw.end(), 0U);
  std::vector<double> best(2 * d), again(2 * d), sum(2 * d), squares(2 * d);
  calc(draw, best);
  constexpr std::uint32_t kResamples = 200;
  for (std::uint32_t r = 0; r < kResamples; ++r) {
    for (std::size_t g = 0; g < n; ++g)
      draw[g] = static_cast<std::uint32_t>(random_bits(1, RandomUse::Resample, g, r) % n);
    calc(draw, again);
    for (std::size_t i = 0; i < 2 * d; ++i) sum[i] += again[i], squares[i] += again[i] * again[i];
  }
  const auto half_width = [&](std::size_t i) {
    const double m = sum[i] / kResamples;
    return 1.96 * std::sqrt(std::max(0.0, squares[i] / kResamples - m * m));
  };
  std::vector<SobolIndex> indices;
  for (std::size_t i = 0; i < d; ++i)
    indices.push_back(
        {table.identity.variables[i], best[2 * i], half_width(2 * i), best[2 * i + 1], half_width(2 * i + 1)});
  return indices;
}

std::vector<MorrisEffect> calc_morris_effects(const StoreTable& table, std::size_t measure) {
  require(table.identity.sampling == "morris", "Morris' effects need a study with sampling morris; this one has {}",
          table.identity.sampling);
  const std::size_t d = table.identity.variables.size(), size = d + 1;
  std::vector<std::size_t> rows;
  const std::vector<double> f = complete_groups(table, measure, size, &rows);
  std::vector<std::vector<double>> effects(d), sizes(d);
  for (std::size_t g = 0; g < rows.size(); ++g)
    for (std::size_t step = 0; step < d; ++step)
      for (std::size_t i = 0; i < d; ++i) {  // the variable that this step changes
        const double before = table.values[i][rows[g] + step], after = table.values[i][rows[g] + step + 1];
        if (before == after) continue;
        const double effect =
            (f[g * size + step + 1] - f[g * size + step]) / (after > before ? kMorrisStep : -kMorrisStep);
        effects[i].push_back(effect), sizes[i].push_back(std::abs(effect));
      }
  std::vector<MorrisEffect> result;
  for (std::size_t i = 0; i < d; ++i) {
    const NumberSummary s = summarize(effects[i]);
    result.push_back({table.identity.variables[i], s.mean, summarize(sizes[i]).mean, s.deviation, s.count});
  }
  return result;
}

std::vector<std::size_t> find_pareto_front(const std::vector<std::span<const double>>& goals,
                                           const std::vector<bool>& larger) {
  std::vector<std::size_t> order;
  if (goals.empty()) return order;
  for (std::size_t i = 0; i < goals.front().size(); ++i)
    if (std::all_of(goals.begin(), goals.end(), [&](const auto& g) { return std::isfinite(g[i]); })) order.push_back(i);
  const auto cost = [&](std::size_t goal, std::size_t i) { return larger[goal] ? -goals[goal][i] : goals[goal][i]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t g = 0; g < goals.size(); ++g)
      if (cost(g, a) != cost(g, b)) return cost(g, a) < cost(g, b);
    return a < b;
  });
  // Sorted by the first goal, a run can be surpassed only by one that is before it.
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const bool surpassed = std::any_of(front.begin(), front.end(), [&](std::size_t f) {
      for (std::size_t g = 0; g < goals.size(); ++g)
        if (cost(g, f) > cost(g, i)) return false;
      return true;
    });
    if (!surpassed) front.push_back(i);
  }
  return front;
}

}  // namespace kane
