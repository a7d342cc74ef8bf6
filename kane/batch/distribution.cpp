#include "kane/batch/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"

namespace kane {

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// Newton's method with the second-order term of Halley on log P, which is concave: from the left tail's asymptote
// x ~ -sqrt(-2 log p), for p below a half, it converges from any start.
double normal_quantile(double p) {
  if (p == 0.5) return 0;
  const bool upper = p > 0.5;
  const double q = upper ? 1 - p : p;
  double x = -std::sqrt(-2 * std::log(q));
  if (q > 0.02) x = (q - 0.5) * std::sqrt(2 * std::numbers::pi);  // the slope in the middle
  constexpr int kMostSteps = 60;
  for (int step = 0; step < kMostSteps; ++step) {
    const double f = normal_probability(x);
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double newton = std::log(f / q) * f / density;
    const double change = newton / (1 + 0.5 * newton * (x + density / f));
    const double next = x - (std::isfinite(change) ? change : newton);
    if (std::abs(next - x) <= 1e-15 * (1 + std::abs(x))) return upper ? -next : next;
    x = std::min(next, 0.0);
  }
  return upper ? -x : x;
}

namespace {

struct DistributionName {
  const char* name;
  Distribution::Kind kind;
  std::size_t arguments;
};

constexpr DistributionName kDistributions[] = {{"uniform", Distribution::Kind::Uniform, 2},
                                               {"normal", Distribution::Kind::Normal, 2},
                                               {"lognormal", Distribution::Kind::LogNormal, 2},
                                               {"triangular", Distribution::Kind::Triangular, 3},
                                               {"exponential", Distribution::Kind::Exponential, 1}};

double plain_probability(const Distribution& d, double x) {
  using Kind = Distribution::Kind;
  switch (d.kind) {
    case Kind::Uniform: return std::clamp((x - d.a) / (d.b - d.a), 0.0, 1.0);
    case Kind::Normal: return normal_probability((x - d.a) / d.b);
    case Kind::LogNormal: return x <= 0 ? 0 : normal_probability(std::log(x / d.a) / d.b);
    case Kind::Triangular:
      if (x <= d.a) return 0;
      if (x >= d.c) return 1;
      return x < d.b ? (x - d.a) * (x - d.a) / ((d.c - d.a) * (d.b - d.a))
                     : 1 - (d.c - x) * (d.c - x) / ((d.c - d.a) * (d.c - d.b));
    case Kind::Exponential: return x <= 0 ? 0 : -std::expm1(-x / d.a);
  }
  return 0;
}

double plain_quantile(const Distribution& d, double p) {
  using Kind = Distribution::Kind;
  switch (d.kind) {
    case Kind::Uniform: return d.a + p * (d.b - d.a);
    case Kind::Normal: return d.a + d.b * normal_quantile(p);
    case Kind::LogNormal: return d.a * std::exp(d.b * normal_quantile(p));
    case Kind::Triangular: {
      const double at_mode = (d.b - d.a) / (d.c - d.a);
      return p < at_mode ? d.a + std::sqrt(p * (d.c - d.a) * (d.b - d.a))
                         : d.c - std::sqrt((1 - p) * (d.c - d.a) * (d.c - d.b));
    }
    case Kind::Exponential: return -d.a * std::log1p(-p);
  }
  return 0;
}

bool is_truncated(const Distribution& d) { return std::isfinite(d.least) || std::isfinite(d.most); }

}  // namespace

double Distribution::quantile(double p) const {
  if (!is_truncated(*this)) return plain_quantile(*this, p);
  const double low = std::isfinite(least) ? plain_probability(*this, least) : 0;
  const double high = std::isfinite(most) ? plain_probability(*this, most) : 1;
  const double inside = std::clamp(low + p * (high - low), 0x1p-1000, 1 - 0x1p-53);
  return std::clamp(plain_quantile(*this, inside), least, most);
}

double Distribution::probability(double x) const {
  if (!is_truncated(*this)) return plain_probability(*this, x);
  if (x <= least) return 0;
  if (x >= most) return 1;
  const double low = std::isfinite(least) ? plain_probability(*this, least) : 0;
  const double high = std::isfinite(most) ? plain_probability(*this, most) : 1;
  return (plain_probability(*this, x) - low) / (high - low);
}

std::string Distribution::to_string() const {
  const auto& row = kDistributions[at(kind)];
  std::string text = fmt::format("{}({}", row.name, a);
  if (row.arguments > 1) text += fmt::format(", {}", b);
  if (row.arguments > 2) text += fmt::format(", {}", c);
  if (is_truncated(*this)) text += fmt::format(", {}, {}", least, most);
  return text + ")";
}

void Distribution::check() const {
  require(std::isfinite(a) && std::isfinite(b) && std::isfinite(c), "the arguments of {} must be finite numbers",
          to_string());
  switch (kind) {
    case Kind::Uniform: require(a < b, "uniform(least, most) needs least < most, but {} and {} are given", a, b); break;
    case Kind::Normal: require(b > 0, "normal(mean, deviation) needs a positive deviation, but {} is given", b); break;
    case Kind::LogNormal:
      require(a > 0 && b > 0, "lognormal(median, sigma) needs positive numbers, but {} and {} are given", a, b);
      break;
    case Kind::Triangular:
      require(a <= b && b <= c && a < c, "triangular(least, likeliest, most) needs increasing numbers, not {}, {}, {}",
              a, b, c);
      break;
    case Kind::Exponential: require(a > 0, "exponential(mean) needs a positive mean, but {} is given", a); break;
  }
  if (!is_truncated(*this)) return;
  require(least < most, "a distribution is truncated to an interval least < most, not to {} .. {}", least, most);
  const double share = plain_probability(*this, most) - plain_probability(*this, least);
  require(share > 1e-12, "there is almost nothing of {2} between {0} and {1}", least, most, to_string());
}

const std::vector<std::string>& distribution_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& row : kDistributions) list.emplace_back(row.name);
    return list;
  }();
  return names;
}

Distribution make_distribution(std::string_view name, std::span<const double> arguments) {
  for (const auto& row : kDistributions) {
    if (row.name != name) continue;
    const bool truncatable = row.kind == Distribution::Kind::Normal || row.kind == Distribution::Kind::LogNormal;
    const bool truncated = truncatable && arguments.size() == row.arguments + 2;
    require(arguments.size() == row.arguments || truncated, "{} takes {} argument{}{}, but {} {} given", name,
            row.arguments, row.arguments == 1 ? "" : "s", truncatable ? ", or two more that truncate it" : "",
            arguments.size(), arguments.size() == 1 ? "is" : "are");
    Distribution d;
    d.kind = row.kind;
    d.a = arguments[0];
    if (row.arguments > 1) d.b = arguments[1];
    if (row.arguments > 2) d.c = arguments[2];
    if (truncated) d.least = arguments[row.arguments], d.most = arguments[row.arguments + 1];
    d.check();
    return d;
  }
  throw ModelError(fmt::format("there is no distribution '{}'{} (known: {})", name,
                               suggestion(name, distribution_names()), fmt::join(distribution_names(), ", ")));
}

}  // namespace kane
