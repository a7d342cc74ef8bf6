#include "kane/batch/study.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/batch/philox.hpp"

namespace kane {

namespace {

[[noreturn]] void fail_study(const Where& where, const std::string& message) {
  if (where.line > 0) throw ModelError(where, message);
  throw ModelError(message);
}

}  // namespace

Study::Study(StudyOptions options) : options_(std::move(options)) {
  add_cases();
  for (const StudyVariable& v : options_.variables) variables_.push_back(v);
  std::set<std::string> names;
  for (const StudyVariable& v : variables_)
    if (!names.insert(v.name).second) fail_study(v.where, fmt::format("'{}' is varied twice", v.name));
  sort_variables();
  count_cases();
  factor_correlations();
  const auto d = static_cast<std::uint32_t>(random_.size());
  if (random_.empty()) return;
  const bool pairs = options_.sampling == Sampling::Saltelli;
  Sampling sampling = options_.sampling;
  if (pairs) sampling = 2 * d <= SobolSequence::kMostDimensions ? Sampling::Sobol : Sampling::Random;
  points_.emplace(sampling, pairs ? 2 * d : d, samples_, options_.seed);
}

void Study::add_cases() {
  const StudyCases& cases = options_.cases;
  if (cases.names.empty()) return;
  Axis axis{{}, cases.rows.size()};
  for (std::size_t column = 0; column < cases.names.size(); ++column) {
    StudyVariable v;
    v.name = cases.names[column];
    for (const auto& row : cases.rows) v.values.push_back(row[column]);
    axis.variables.push_back(variables_.size());
    variables_.push_back(std::move(v));
  }
  axes_.push_back(std::move(axis));
}

void Study::sort_variables() {
  require(!variables_.empty(), "a study varies something: --vary name=1..2:10, or 'vary:' in the study file");
  constexpr std::size_t kMostVariables = 2000;
  require(variables_.size() <= kMostVariables, "a study varies at most {} quantities, not {}", kMostVariables,
          variables_.size());
  for (std::size_t i = options_.cases.names.size(); i < variables_.size(); ++i) {
    const StudyVariable& v = variables_[i];
    if (v.distribution)
      random_.push_back(i);
    else
      axes_.push_back({{i}, v.choices.empty() ? v.values.size() : v.choices.size()});
  }
  for (const Axis& axis : axes_) {
    require(axis.count > 0, "'{}' has no values", variables_[axis.variables.front()].name);
    require(grid_ <= kMostCases / axis.count, "the grid of this study has more than {} points", kMostCases);
    grid_ *= axis.count;
  }
}

void Study::count_cases() {
  const auto runs = options_.runs;
  const std::uint64_t d = random_.size();
  require(!runs || (*runs > 0 && *runs <= kMostCases), "a study has 1 to {} runs, not {}", kMostCases,
          runs.value_or(0));
  const bool special = options_.sampling == Sampling::Saltelli || options_.sampling == Sampling::Morris;
  if (random_.empty()) {
    require(!special, "sampling {} needs variables with a distribution, such as m=1..2 or L~normal(0.3, 0.01)",
            to_string(options_.sampling));
    require(!runs || *runs == grid_, "the values given make {} cases; leave out --runs, or give {} (not {})", grid_,
            grid_, runs.value_or(0));
    count_ = grid_;
    return;
  }
  require(runs.has_value(),
          "'{}' has a distribution: say how many runs there shall be (--runs N, or 'runs:' in the study file)",
          variables_[random_.front()].name);
  if (!special) {
    count_ = *runs;
    samples_ = (count_ + grid_ - 1) / grid_;
    return;
  }
  require(axes_.empty(),
          "sampling {} varies all variables together; give each a range (a..b) or a distribution, not a list of values",
          to_string(options_.sampling));
  const std::uint64_t group = options_.sampling == Sampling::Saltelli ? d + 2 : d + 1;
  require(*runs >= 2 * group, "sampling {} of {} variables comes in groups of {} runs; at least {} are needed",
          to_string(options_.sampling), d, group, 2 * group);
  samples_ = *runs / group;
  count_ = samples_ * group;
}

// The lower triangle L with L L^T = R.
void Study::factor_correlations() {
  if (options_.correlations.empty()) return;
  const std::size_t n = random_.size();
  require(options_.sampling != Sampling::Saltelli && options_.sampling != Sampling::Morris,
          "Sobol's indices and Morris' effects are defined for independent variables: leave the correlations away");
  std::vector<std::string> names;
  for (const std::size_t i : random_) names.push_back(variables_[i].name);
  std::vector<double> r(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) r[i * n + i] = 1;
  for (const StudyCorrelation& c : options_.correlations) {
    std::size_t place[2];
    for (int side = 0; side < 2; ++side) {
      const std::string& name = side == 0 ? c.a : c.b;
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        fail_study(c.where, fmt::format("the correlation names '{}', which has no distribution in this study{}", name,
                                        suggestion(name, names)));
      place[side] = static_cast<std::size_t>(found - names.begin());
    }
    if (place[0] == place[1] || !(std::abs(c.value) <= 1))
      fail_study(c.where, "a correlation is a number from -1 to 1 between two different variables");
    r[place[0] * n + place[1]] = r[place[1] * n + place[0]] = c.value;
  }
  factor_.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = r[i * n + j];
      for (std::size_t m = 0; m < j; ++m) sum -= factor_[i * n + m] * factor_[j * n + m];
      if (i == j) {
        if (sum < -1e-12)
          fail_study(options_.correlations.front().where,
                     "these correlations contradict each other: the correlation matrix has a negative eigenvalue");
        factor_[i * n + i] = std::sqrt(std::max(sum, 0.0));
      } else {
        factor_[i * n + j] = factor_[j * n + j] > 1e-9 ? sum / factor_[j * n + j] : 0;
      }
    }
}

/// M. D. Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33 (1991): from a random
/// point, one variable after the other (in random order) goes half of the levels up or down.
void Study::calc_morris(std::uint64_t k, std::span<double> units) const {
  const std::uint64_t d = random_.size(), path = k / (d + 1), step = k % (d + 1);
  constexpr int kHalf = kMorrisLevels / 2;
  const std::uint64_t key = options_.seed + 0x9E3779B97F4A7C15U * (path + 1);
  for (std::uint64_t i = 0; i < d; ++i) {
    const auto dimension = static_cast<std::uint32_t>(i);
    const std::uint64_t bits = random_bits(options_.seed, RandomUse::Morris, path, dimension);
    const bool up = (bits & 1U) != 0;
    int level = static_cast<int>((bits >> 8U) % kHalf) + (up ? 0 : kHalf);
    if (permute(i, d, key, 0) < step) level += up ? kHalf : -kHalf;
    units[i] = kMorrisEdge + (1 - 2 * kMorrisEdge) * level / (kMorrisLevels - 1);
  }
}

void Study::calc_units(std::uint64_t k, std::span<double> units) const {
  const auto d = static_cast<std::uint32_t>(random_.size());
  if (options_.sampling == Sampling::Morris) return calc_morris(k, units);
  if (options_.sampling == Sampling::Saltelli) {
    // Saltelli et al., Comput. Phys. Commun. 181 (2010), section 3: A, B, then A with column i of B.
    const std::uint64_t j = k / (d + 2), which = k % (d + 2);
    for (std::uint32_t i = 0; i < d; ++i) units[i] = points_->unit(j, which == 1 || which == i + 2 ? d + i : i);
    return;
  }
  for (std::uint32_t i = 0; i < d; ++i) units[i] = points_->unit(k / grid_, i);
}

void Study::calc_values(std::uint64_t k, std::span<double> values) const {
  std::uint64_t point = k % grid_;
  for (const Axis& axis : axes_) {
    const std::uint64_t index = point % axis.count;
    point /= axis.count;
    for (const std::size_t v : axis.variables)
      values[v] = variables_[v].choices.empty() ? variables_[v].values[index] : static_cast<double>(index);
  }
  if (random_.empty()) return;
  const std::size_t n = random_.size();
  std::vector<double> units(n);
  calc_units(k, units);
  if (!factor_.empty()) {
    std::vector<double> scores(n);
    for (std::size_t i = 0; i < n; ++i) scores[i] = normal_quantile(units[i]);
    for (std::size_t i = 0; i < n; ++i) {
      double z = 0;
      for (std::size_t j = 0; j <= i; ++j) z += factor_[i * n + j] * scores[j];
      units[i] = std::clamp(normal_probability(z), 0x1p-1000, 1 - 0x1p-53);
    }
  }
  for (std::size_t i = 0; i < n; ++i) values[random_[i]] = variables_[random_[i]].distribution->quantile(units[i]);
}

std::string Study::describe() const {
  std::string text;
  for (const StudyVariable& v : variables_) {
    text += v.name;
    if (v.distribution)
      text += " ~ " + v.distribution->to_string();
    else if (!v.choices.empty())
      text += fmt::format(" = {{{}}}", fmt::join(v.choices, ", "));
    else
      text += fmt::format(" = {{{}}}", fmt::join(v.values, ", "));
    text += "\n";
  }
  for (const StudyCorrelation& c : options_.correlations)
    text += fmt::format("correlation {} {} {}\n", c.a, c.b, c.value);
  text += fmt::format("cases {} sampling {} seed {}\n", options_.cases.names.size(), to_string(options_.sampling),
                      options_.seed);
  if (options_.sampling == Sampling::Morris) text += fmt::format("levels {} from {}\n", kMorrisLevels, kMorrisEdge);
  // With more runs, the first ones stay the same, except in a Latin hypercube.
  if (options_.sampling == Sampling::LatinHypercube) text += fmt::format("runs {}\n", count_);
  return text;
}

}  // namespace kane
