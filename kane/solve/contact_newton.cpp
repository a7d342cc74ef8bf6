#include "kane/solve/contact_newton.hpp"

#include <algorithm>
#include <cmath>

#include "kane/solve/contact_sweep.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// R relative to the diagonal of J M^-1 J^T: at the beginning, and at the end.
constexpr double kFirstSoftness = 0.1, kLastSoftness = 1e-6;

}  // namespace

/// Rows of an item on the nodes it acts on, as one dense matrix.
void ContactNewton::collect_item(ContactSweep& sweep, Own& own) {
  const auto& item = sweep.items_[own.item];
  own.rows = item.rows;
  own.first_node = static_cast<std::uint32_t>(nodes_of_item_.size());
  const auto add_node = [&](std::uint32_t node) {
    for (std::size_t k = own.first_node; k < nodes_of_item_.size(); ++k)
      if (nodes_of_item_[k] == node) return;
    nodes_of_item_.push_back(node);
  };
  for (std::uint32_t r = 0; r < item.rows; ++r)
    for (const auto& part : sweep.parts_of(sweep.rows_[item.row + r]))
      add_node(node_of_block_[sweep.block_of_speed_[part.first]]);
  own.nodes = static_cast<std::uint32_t>(nodes_of_item_.size()) - own.first_node;
  own.width = 0;
  for (std::uint32_t k = 0; k < own.nodes; ++k) own.width += sizes_[nodes_of_item_[own.first_node + k]];
  own.j = static_cast<std::uint32_t>(j_.size());
  j_.resize(j_.size() + own.rows * own.width, 0.0);
  for (std::uint32_t r = 0; r < item.rows; ++r)
    for (const auto& part : sweep.parts_of(sweep.rows_[item.row + r])) {
      const std::uint32_t node = node_of_block_[sweep.block_of_speed_[part.first]];
      std::size_t at = own.j + r * own.width;
      for (std::uint32_t k = 0; nodes_of_item_[own.first_node + k] != node; ++k)
        at += sizes_[nodes_of_item_[own.first_node + k]];
      at += part.first - inertia_.blocks[blocks_[node]].first;
      add_scaled(j_.data() + at, 1.0, sweep.j_.data() + part.at, part.count);
    }
  // One R for a cone, one for each further friction.
  std::uint32_t r = 0;
  double shared = 0;
  if (item.normal) shared = sweep.rows_[item.row].diagonal, r = 1;
  own.cone = item.normal && item.friction_count > 0 && item.frictions[0].mu > 0 && item.frictions[0].limit == 0;
  own.mu = own.cone ? item.frictions[0].mu : 0.0;
  if (own.cone)
    for (std::uint32_t k = 0; k < item.frictions[0].rows; ++k)
      shared = std::max(shared, sweep.rows_[item.row + 1 + k].diagonal);
  if (item.normal) own.r[0] = softness_ * shared;
  for (std::uint32_t k = 0; k < item.friction_count; r += item.frictions[k++].rows) {
    double size = k == 0 && own.cone ? shared : 0;
    for (std::uint32_t i = 0; i < item.frictions[k].rows; ++i)
      size = std::max(size, sweep.rows_[item.row + r + i].diagonal);
    for (std::uint32_t i = 0; i < item.frictions[k].rows; ++i) own.r[r + i] = softness_ * size;
  }
  for (std::uint32_t i = 0; i < item.rows; ++i) own.p[i] = sweep.rows_[item.row + i].p;
}

void ContactNewton::collect(ContactSweep& sweep, std::span<const std::uint32_t> items) {
  own_.clear(), nodes_of_item_.clear(), j_.clear();
  for (const std::uint32_t i : items) {
    if (!sweep.items_[i].enabled || !(sweep.rows_[sweep.items_[i].row].diagonal > 0)) continue;
    own_.emplace_back();
    own_.back().item = i;
    collect_item(sweep, own_.back());
  }
  std::size_t n = 0;
  start_.clear();
  for (const std::uint32_t size : sizes_) start_.push_back(n), n += size;
  for (auto* v : {&away_, &gradient_, &direction_, &pushed_}) v->assign(n, 0.0);
}

bool ContactNewton::analyse(double most_cost) {
  pairs_.clear();
  pair_of_.clear();
  for (const Own& own : own_)
    for (std::uint32_t a = 0; a < own.nodes; ++a)
      for (std::uint32_t b = a + 1; b < own.nodes; ++b) {
        const std::uint32_t one = nodes_of_item_[own.first_node + a], other = nodes_of_item_[own.first_node + b];
        pairs_.push_back({std::min(one, other), std::max(one, other)});
      }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (const Own& own : own_)
    for (std::uint32_t a = 0; a < own.nodes; ++a)
      for (std::uint32_t b = a + 1; b < own.nodes; ++b) {
        const std::uint32_t one = nodes_of_item_[own.first_node + a], other = nodes_of_item_[own.first_node + b];
        const auto found = std::lower_bound(pairs_.begin(), pairs_.end(),
                                            BlockCholesky::Pair{std::min(one, other), std::max(one, other)});
        pair_of_.push_back(static_cast<std::uint32_t>(found - pairs_.begin()));
      }
  factors_.analyse(sizes_, pairs_);
  return factors_.cost() <= most_cost;
}

/// The impulses P(p - v / R) of an item, and P' (rows x rows) if asked for.
void ContactNewton::project(const ContactSweep& sweep, const Own& own, const Rows& v, Rows& pi,
                            double* derivative) const {
  const auto& item = sweep.items_[own.item];
  const std::size_t n = own.rows;
  Rows z;
  for (std::size_t i = 0; i < n; ++i) z[i] = own.p[i] - v[i] / own.r[i];
  if (derivative != nullptr) std::fill_n(derivative, n * n, 0.0);
  const auto d = [&](std::size_t i, std::size_t k) -> double& { return derivative[i * n + k]; };
  std::size_t r = 0, friction = 0;
  if (own.cone) {
    const std::size_t rows = item.frictions[0].rows;
    z[0] -= own.slip / own.r[0];
    double squared = 0;
    for (std::size_t k = 1; k <= rows; ++k) squared += z[k] * z[k];
    const double size = std::sqrt(squared), mu = own.mu;
    if (size <= mu * z[0]) {
      for (std::size_t k = 0; k <= rows; ++k) {
        pi[k] = z[k];
        if (derivative != nullptr) d(k, k) = 1;
      }
    } else if (mu * size <= -z[0]) {
      for (std::size_t k = 0; k <= rows; ++k) pi[k] = 0;
    } else {
      const double share = 1 / (1 + mu * mu);
      pi[0] = (z[0] + mu * size) * share;
      for (std::size_t k = 1; k <= rows; ++k) pi[k] = mu * pi[0] * z[k] / size;
      if (derivative != nullptr) {
        const double across = mu * pi[0] / size;
        d(0, 0) = share;
        for (std::size_t k = 1; k <= rows; ++k) {
          d(0, k) = d(k, 0) = share * mu * z[k] / size;
          for (std::size_t l = 1; l <= rows; ++l)
            d(k, l) = (share * mu * mu - across) * z[k] * z[l] / squared + (k == l ? across : 0.0);
        }
      }
    }
    r = 1 + rows, friction = 1;
  } else if (item.normal) {
    pi[0] = std::max(0.0, z[0]);
    if (derivative != nullptr) d(0, 0) = z[0] > 0 ? 1 : 0;
    r = 1;
  }
  const double press = item.normal ? own.p[0] : 0.0;
  for (; friction < item.friction_count; r += item.frictions[friction++].rows) {
    const auto& f = item.frictions[friction];
    const double limit = f.mu * press + f.limit;
    double squared = 0;
    for (std::size_t k = r; k < r + f.rows; ++k) squared += z[k] * z[k];
    const double size = std::sqrt(squared);
    const bool inside = size <= limit;
    for (std::size_t k = r; k < r + f.rows; ++k) {
      pi[k] = inside ? z[k] : limit * z[k] / size;
      if (derivative == nullptr || (!inside && !(limit > 0))) continue;
      for (std::size_t l = r; l < r + f.rows; ++l)
        d(k, l) = inside ? (k == l ? 1.0 : 0.0) : limit / size * ((k == l ? 1.0 : 0.0) - z[k] * z[l] / squared);
    }
  }
}

void ContactNewton::multiply_mass(std::span<const double> x, std::span<double> y) const {
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    const double* m = inertia_.values.data() + inertia_.blocks[blocks_[k]].factor;
    for (std::size_t i = 0; i < sizes_[k]; ++i)
      y[start_[k] + i] = dot(m + i * sizes_[k], x.data() + start_[k], sizes_[k]);
  }
}

/// M (w - w0) - J^T P(p - v / R).
void ContactNewton::calc_gradient(const ContactSweep& sweep) {
  multiply_mass(away_, gradient_);
  Rows pi{};
  for (const Own& own : own_) {
    project(sweep, own, own.v, pi, nullptr);
    for (std::size_t r = 0; r < own.rows; ++r) {
      if (pi[r] == 0) continue;
      std::size_t at = own.j + r * own.width;
      for (std::uint32_t k = 0; k < own.nodes; ++k) {
        const std::uint32_t node = nodes_of_item_[own.first_node + k];
        add_scaled(gradient_.data() + start_[node], -pi[r], j_.data() + at, sizes_[node]);
        at += sizes_[node];
      }
    }
  }
}

/// As speeds, without the couplings of M: what is left to move is less.
double ContactNewton::largest_gradient() const {
  double largest = 0;
  for (std::size_t k = 0; k < sizes_.size(); ++k) {
    const double* m = inertia_.values.data() + inertia_.blocks[blocks_[k]].factor;
    for (std::size_t i = 0; i < sizes_[k]; ++i)
      largest = std::max(largest, std::abs(gradient_[start_[k] + i]) / m[i * sizes_[k] + i]);
  }
  return largest;
}

bool ContactNewton::calc_direction(const ContactSweep& sweep) {
  factors_.clear();
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    std::copy_n(inertia_.values.data() + inertia_.blocks[blocks_[k]].factor,
                static_cast<std::size_t>(sizes_[k]) * sizes_[k], factors_.diagonal(k));
  std::array<double, kMostRows * kMostRows> derivative{};
  Rows pi{};
  std::size_t pair = 0;
  for (const Own& own : own_) {
    const std::size_t pairs = own.nodes * (own.nodes - 1) / 2;
    project(sweep, own, own.v, pi, derivative.data());
    const std::size_t n = own.rows;
    bool any = false;
    for (std::size_t i = 0; i < n * n; ++i) any = any || derivative[i] != 0;
    if (!any) {
      pair += pairs;
      continue;
    }
    // pushed_ = P' J / R, row by row.
    pushed_.assign(n * own.width, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        if (const double d = derivative[i * n + k]; d != 0)
          add_scaled(pushed_.data() + i * own.width, d / own.r[i], j_.data() + own.j + k * own.width, own.width);
    std::size_t a_at = 0;
    for (std::uint32_t a = 0; a < own.nodes; ++a) {
      const std::uint32_t one = nodes_of_item_[own.first_node + a];
      const std::size_t rows = sizes_[one];
      double* block = factors_.diagonal(one);
      for (std::size_t i = 0; i < n; ++i) {
        const double *ji = j_.data() + own.j + i * own.width + a_at, *di = pushed_.data() + i * own.width + a_at;
        for (std::size_t x = 0; x < rows; ++x) add_scaled(block + x * rows, ji[x], di, rows);
      }
      std::size_t b_at = a_at + rows;
      for (std::uint32_t b = a + 1; b < own.nodes; ++b) {
        const std::uint32_t other = nodes_of_item_[own.first_node + b];
        const std::size_t columns = sizes_[other];
        const BlockCholesky::Entry entry = factors_.entry(pair_of_[pair++]);
        // The block has rows of the smaller node if it is not transposed.
        const bool own_rows = (one < other) != entry.transposed;
        for (std::size_t i = 0; i < n; ++i) {
          const double *ji = j_.data() + own.j + i * own.width, *di = pushed_.data() + i * own.width;
          if (own_rows)
            for (std::size_t x = 0; x < rows; ++x)
              add_scaled(entry.values + x * columns, ji[a_at + x], di + b_at, columns);
          else
            for (std::size_t x = 0; x < columns; ++x)
              add_scaled(entry.values + x * rows, ji[b_at + x], di + a_at, rows);
        }
        b_at += columns;
      }
      a_at += rows;
    }
  }
  if (!factors_.factor()) return false;
  for (std::size_t i = 0; i < gradient_.size(); ++i) direction_[i] = -gradient_[i];
  factors_.solve(direction_);
  if (!all_finite(direction_)) return false;
  for (Own& own : own_)
    for (std::size_t r = 0; r < own.rows; ++r) {
      std::size_t at = own.j + r * own.width;
      double sum = 0;
      for (std::uint32_t k = 0; k < own.nodes; ++k) {
        const std::uint32_t node = nodes_of_item_[own.first_node + k];
        sum += dot(j_.data() + at, direction_.data() + start_[node], sizes_[node]);
        at += sizes_[node];
      }
      own.dv[r] = sum;
    }
  pushed_.resize(direction_.size());
  multiply_mass(direction_, pushed_);
  slope0_ = dot(pushed_.data(), away_.data(), away_.size());
  curve_ = dot(pushed_.data(), direction_.data(), away_.size());
  return true;
}

/// Derivative of the function along the direction.
double ContactNewton::slope_at(const ContactSweep& sweep, double a) const {
  double sum = slope0_ + a * curve_;
  Rows v{}, pi{};
  for (const Own& own : own_) {
    for (std::size_t r = 0; r < own.rows; ++r) v[r] = own.v[r] + a * own.dv[r];
    project(sweep, own, v, pi, nullptr);
    for (std::size_t r = 0; r < own.rows; ++r) sum -= pi[r] * own.dv[r];
  }
  return sum;
}

/// The slope rises along the direction: where it is zero is the minimum.
double ContactNewton::search(const ContactSweep& sweep) const {
  constexpr double kGood = 0.1;
  constexpr int kMostTrials = 12;
  const double begin = slope_at(sweep, 0);
  double low = 0, high = 1, at_low = begin, at_high = slope_at(sweep, 1);
  if (!(begin < 0) || at_high <= kGood * std::abs(begin)) return 1;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    const double a = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.05, 0.95);
    const double slope = slope_at(sweep, a);
    if (std::abs(slope) <= kGood * std::abs(begin)) return a;
    if (slope < 0)
      low = a, at_low = slope, at_high /= 2;
    else
      high = a, at_high = slope, at_low /= 2;
  }
  return low > 0 ? low : high;
}

/// s of the present speeds, extrapolated by what the last change of s led to (D. Anderson, J. ACM 12 (1965), with one step).
double ContactNewton::update_slips(const ContactSweep& sweep) {
  double left = 0, along = 0, squared = 0;
  for (Own& own : own_) {
    if (!own.cone) continue;
    double speed = 0, press = 0;
    const std::size_t rows = sweep.items_[own.item].frictions[0].rows;
    for (std::size_t k = 1; k <= rows; ++k) speed += own.v[k] * own.v[k], press += own.p[k] * own.p[k];
    constexpr double kOnCone = 1 - 1e-9;
    // Open contacts as well: they stay open only if s says so.
    const bool sticks = std::sqrt(press) < kOnCone * own.mu * own.p[0];
    own.found = sticks ? 0.0 : own.mu * std::sqrt(speed);
    const double now = own.found - own.slip, change = now - (own.last_found - own.last_slip);
    left = std::max(left, std::abs(now));
    along += now * change, squared += change * change;
  }
  constexpr double kMost = 4;
  const double share = compared_ && squared > 0 ? std::clamp(along / squared, -kMost, 0.5) : 0.0;
  for (Own& own : own_) {
    const double next = own.found - share * (own.found - own.last_found);
    own.last_slip = own.slip, own.last_found = own.found;
    own.slip = own.found > 0 ? std::max(0.0, next) : 0.0;
  }
  compared_ = true;
  return left;
}

double ContactNewton::update_multipliers(const ContactSweep& sweep, double harder) {
  double left = 0;
  Rows pi{};
  softness_ *= harder;
  for (Own& own : own_) {
    project(sweep, own, own.v, pi, nullptr);
    for (std::size_t r = 0; r < own.rows; ++r) {
      left = std::max(left, std::abs(pi[r] - own.p[r]) * own.r[r]);
      own.p[r] = pi[r];
      own.r[r] *= harder;
    }
  }
  return left;
}

/// w - w0 = M^-1 J^T p, from the impulses that are in w; speeds of rows, and s.
void ContactNewton::begin(const ContactSweep& sweep, std::size_t island, std::span<const double> w) {
  std::vector<double>& outer = pushed_;
  outer.assign(w.size(), 0.0);
  sweep.apply(island, outer);
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    std::copy_n(outer.begin() + inertia_.blocks[blocks_[k]].first, sizes_[k],
                away_.begin() + static_cast<std::ptrdiff_t>(start_[k]));
  for (Own& own : own_) {
    const auto& item = sweep.items_[own.item];
    double squared = 0;
    for (std::size_t r = 0; r < own.rows; ++r) {
      own.v[r] = sweep.row_value(sweep.rows_[item.row + r], w.data());
      if (own.cone && r > 0 && r <= item.frictions[0].rows) squared += own.v[r] * own.v[r];
    }
    if (own.cone) own.slip = own.mu * std::sqrt(squared);
  }
}

bool ContactNewton::solve(ContactSweep& sweep, std::size_t island, const SweepInertia& inertia, std::span<double> w,
                          const Options& options) {
  inertia_ = inertia;
  softness_ = kFirstSoftness;
  compared_ = false;
  const auto blocks = sweep.blocks_of_island(island);
  blocks_.assign(blocks.begin(), blocks.end());
  node_of_block_.resize(inertia.blocks.size());
  sizes_.clear();
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    node_of_block_[blocks_[k]] = static_cast<std::uint32_t>(k);
    sizes_.push_back(inertia.blocks[blocks_[k]].count);
  }
  collect(sweep, sweep.island(island));
  if (own_.empty() || !analyse(options.most_cost)) return false;
  begin(sweep, island, w);
  bool done = false;
  for (int step = 0; step < options.most_steps && !done;) {
    // One minimum, then the multipliers.
    constexpr int kMostInside = 6;
    constexpr double kEnough = 0.1, kHarder = 0.1, kSofter = 4;
    constexpr int kFew = 2;
    int inside = 0;
    for (; inside < kMostInside && step < options.most_steps; ++inside) {
      calc_gradient(sweep);
      if (inside > 0 && largest_gradient() <= kEnough * options.tolerance) break;
      ++step, ++steps_;
      if (!calc_direction(sweep)) return false;
      const double a = search(sweep);
      double moved = 0;
      for (std::size_t i = 0; i < away_.size(); ++i) away_[i] += a * direction_[i];
      for (Own& own : own_)
        for (std::size_t r = 0; r < own.rows; ++r) {
          own.v[r] += a * own.dv[r];
          moved = std::max(moved, std::abs(own.dv[r]));
        }
      if (moved <= options.tolerance) break;
    }
    // Harder where Newton's method has an easy time, softer where it has not.
    double next = softness_;
    if (inside <= kFew) next = std::max(kLastSoftness, kHarder * softness_);
    if (inside == kMostInside) next = std::min(kFirstSoftness, kSofter * softness_);
    const double left = update_multipliers(sweep, next / softness_);
    const double slip = update_slips(sweep);
    done = std::max(left, slip) <= options.tolerance;
  }
  // Impulses decide: speeds follow from them.
  for (const Own& own : own_)
    for (std::size_t r = 0; r < own.rows; ++r) {
      auto& row = sweep.rows_[sweep.items_[own.item].row + r];
      sweep.change(row, own.p[r], w.data());
    }
  return true;
}

}  // namespace kane
