#include "kane/solve/contact_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Multiple of the diagonal that makes redundant supports solvable; refined away by solving again.
constexpr double kSoftening = 1e-9;

std::uint32_t root_of(std::vector<std::uint32_t>& root, std::uint32_t i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

/// Impulses are neither tiny nor huge: std::hypot() would take as long as the rest of a sweep.
double length_of(double a, double b) { return std::sqrt(a * a + b * b); }

/// p within the disc.
std::array<double, 2> onto_disc(std::array<double, 2> p, double radius) {
  const double size = length_of(p[0], p[1]);
  if (size <= radius) return p;
  return {p[0] * radius / size, p[1] * radius / size};
}

/// Impulses of a friction with two rows, from p with the speeds v, in the disc: v = 0 if it can be, else opposite to v.
std::array<double, 2> step_on_disc(double pa, double pb, double va, double vb, double waa, double wbb, double wab,
                                   double radius) {
  const double det = waa * wbb - wab * wab;
  std::array<double, 2> p{waa > 0 ? pa - va / waa : 0.0, wbb > 0 ? pb - vb / wbb : 0.0};
  if (det > 1e-12 * waa * wbb) p = {pa - (wbb * va - wab * vb) / det, pb - (waa * vb - wab * va) / det};
  if (p[0] * p[0] + p[1] * p[1] <= radius * radius) return p;
  // It slides: p <- P(p - v / w) leads to where p is opposite to v, with w the largest eigenvalue of the block.
  const double largest = (waa + wbb) / 2 + length_of((waa - wbb) / 2, wab);
  constexpr double kRound = 1e-6;
  const bool round = std::abs(waa - wbb) + std::abs(wab) <= kRound * largest;
  const int local_steps = round ? 1 : 4;
  p = {pa, pb};
  for (int k = 0; k < local_steps && largest > 0; ++k) {
    const double da = p[0] - pa, db = p[1] - pb;
    const double na = va + waa * da + wab * db, nb = vb + wab * da + wbb * db;
    p = onto_disc({p[0] - na / largest, p[1] - nb / largest}, radius);
  }
  return p;
}

}  // namespace

void ContactSweep::begin(std::span<const std::uint32_t> block_of_speed) {
  block_of_speed_.assign(block_of_speed.begin(), block_of_speed.end());
  inertia_ = {};
  rows_.clear(), items_.clear(), packed_.clear(), parts_.clear(), j_.clear(), r_.clear(), order_.clear(),
      island_ends_.clear();
}

std::size_t ContactSweep::add_row(double b) {
  rows_.push_back({});
  rows_.back().b = rows_.back().offset = b;
  rows_.back().first_part = static_cast<std::uint32_t>(parts_.size());
  return rows_.size() - 1;
}

void ContactSweep::add_part(std::size_t first_speed, std::span<const double> coefficients,
                            std::span<const double> response) {
  Row& row = rows_.back();
  ++row.parts;
  parts_.push_back({static_cast<std::uint32_t>(first_speed), static_cast<std::uint32_t>(coefficients.size()),
                    static_cast<std::uint32_t>(j_.size())});
  j_.insert(j_.end(), coefficients.begin(), coefficients.end());
  r_.insert(r_.end(), response.begin(), response.end());
  row.diagonal += dot(coefficients.data(), response.data(), coefficients.size());
}

void ContactSweep::add_item(bool normal, std::span<const SweepFriction> frictions) {
  Item item;
  item.normal = normal;
  item.rows = normal ? 1 : 0;
  for (const SweepFriction& f : frictions) item.frictions[item.friction_count++] = f, item.rows += f.rows;
  item.row = static_cast<std::uint32_t>(rows_.size()) - item.rows;
  items_.push_back(item);
}

void ContactSweep::finish() {
  const std::uint32_t blocks =
      block_of_speed_.empty() ? 0 : *std::max_element(block_of_speed_.begin(), block_of_speed_.end()) + 1;
  block_begins_.assign(blocks + 1, static_cast<std::uint32_t>(block_of_speed_.size()));
  for (std::size_t i = block_of_speed_.size(); i-- > 0;)
    block_begins_[block_of_speed_[i]] = static_cast<std::uint32_t>(i);
  root_.resize(blocks + 1);
  std::iota(root_.begin(), root_.end(), 0U);
  std::vector<std::uint32_t> anchor(items_.size(), blocks);  // a block of each item
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    for (std::uint32_t r = item.row; r < item.row + item.rows; ++r)
      for (const Part& part : parts_of(rows_[r])) {
        const std::uint32_t block = block_of_speed_[part.first];
        if (anchor[i] == blocks) anchor[i] = block;
        root_[root_of(root_, block)] = root_of(root_, anchor[i]);
      }
    std::uint32_t r = item.row + (item.normal ? 1 : 0);
    for (std::uint32_t k = 0; k < item.friction_count; r += item.frictions[k++].rows)
      if (item.frictions[k].rows == 2) rows_[r].cross = coupling(rows_[r], rows_[r + 1]);
  }
  for (std::size_t i = packed_.size(); i < items_.size(); ++i) pack(items_[i], packed_.emplace_back());
  // Islands in the order of their first items, items in theirs.
  std::vector<std::uint32_t> island_of_root(blocks + 1, ~0U), island_of_item(items_.size());
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::uint32_t& island = island_of_root[root_of(root_, anchor[i])];
    if (island == ~0U) island = static_cast<std::uint32_t>(sizes.size()), sizes.push_back(0);
    island_of_item[i] = island;
    ++sizes[island];
  }
  island_ends_.resize(sizes.size());
  std::vector<std::size_t> next(sizes.size());
  for (std::size_t k = 0, sum = 0; k < sizes.size(); ++k) next[k] = sum, sum += sizes[k], island_ends_[k] = sum;
  order_.resize(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) order_[next[island_of_item[i]]++] = static_cast<std::uint32_t>(i);
  std::vector<std::vector<std::uint32_t>> own(sizes.size());
  for (std::uint32_t block = 0; block < blocks; ++block)
    if (const std::uint32_t island = island_of_root[root_of(root_, block)]; island != ~0U) own[island].push_back(block);
  island_blocks_.clear(), block_ends_.clear();
  for (const auto& list : own) {
    island_blocks_.insert(island_blocks_.end(), list.begin(), list.end());
    block_ends_.push_back(island_blocks_.size());
  }
}

double ContactSweep::row_value(const Row& row, const double* w) const {
  double v = row.offset;
  for (const Part& part : parts_of(row)) v += dot(j_.data() + part.at, w + part.first, part.count);
  return v;
}

double ContactSweep::speed(std::size_t row, std::span<const double> w) const {
  return row_value(rows_[row], w.data()) - rows_[row].offset + rows_[row].b;
}

void ContactSweep::apply_row(std::size_t row, double p, std::span<double> w) const {
  for (const Part& part : parts_of(rows_[row])) add_scaled(w.data() + part.first, p, r_.data() + part.at, part.count);
}

void ContactSweep::apply(std::size_t island_number, std::span<double> w) const {
  for (const std::uint32_t i : island(island_number))
    for (std::uint32_t r = items_[i].row; r < items_[i].row + items_[i].rows; ++r)
      if (rows_[r].p != 0) apply_row(r, rows_[r].p, w);
}

void ContactSweep::clear_impulses(std::size_t island_number) {
  for (const std::uint32_t i : island(island_number))
    for (std::uint32_t r = items_[i].row; r < items_[i].row + items_[i].rows; ++r) rows_[r].p = 0;
}

void ContactSweep::change(Row& row, double to, double* w) const {
  const double step = to - row.p;
  row.p = to;
  if (step == 0) return;
  for (const Part& part : parts_of(row)) add_scaled(w + part.first, step, r_.data() + part.at, part.count);
}

double ContactSweep::coupling(const Row& a, const Row& b) const {
  double sum = 0;
  for (const Part& own : parts_of(a))
    for (const Part& other : parts_of(b))
      if (own.first == other.first) sum += dot(j_.data() + own.at, r_.data() + other.at, own.count);
  return sum;
}

void ContactSweep::pack(const Item& item, Packed& packed) const {
  constexpr std::uint32_t n = Packed::kSpeeds;
  if (!item.normal || item.friction_count != 1 || item.frictions[0].rows != 2) return;
  const std::span<const Part> parts = parts_of(rows_[item.row]);
  if (parts.empty() || parts.size() > 2) return;
  for (std::uint32_t k = 0; k < 3; ++k) {
    const std::span<const Part> own = parts_of(rows_[item.row + k]);
    if (own.size() != parts.size() || !(rows_[item.row + k].diagonal > 0)) return;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (own[i].first != parts[i].first || own[i].count != n) return;
    for (std::uint32_t i = 0; i < parts.size(); ++i)
      for (std::uint32_t x = 0; x < n; ++x)
        packed.j[n * i + x][k] = j_[own[i].at + x], packed.r[n * i + x][k] = r_[own[i].at + x];
  }
  if (parts.size() == 2 && parts[0].first == parts[1].first) return;
  packed.parts = static_cast<std::uint32_t>(parts.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) packed.first[i] = parts[i].first;
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t b = 0; b < 3; ++b) packed.w[a][b] = coupling(rows_[item.row + a], rows_[item.row + b]);
}

/// What sweep_item() does, with the rows side by side.
double ContactSweep::sweep_packed(const Item& item, const Packed& packed, double* w) {
  constexpr std::uint32_t n = Packed::kSpeeds;
  Row* rows = rows_.data() + item.row;
  double vn = rows[0].offset, va = rows[1].offset, vb = rows[2].offset;
  for (std::uint32_t i = 0; i < packed.parts; ++i)
    for (std::uint32_t x = 0; x < n; ++x) {
      const double speed = w[packed.first[i] + x];
      const auto& j = packed.j[n * i + x];
      vn += j[0] * speed, va += j[1] * speed, vb += j[2] * speed;
    }
  const double press = std::max(0.0, rows[0].p - vn / packed.w[0][0]), dn = press - rows[0].p;
  if (press == 0 && dn == 0 && rows[1].p == 0 && rows[2].p == 0 && item.frictions[0].limit == 0) return 0;
  va += packed.w[1][0] * dn, vb += packed.w[2][0] * dn;
  const std::array<double, 2> to = step_on_disc(rows[1].p, rows[2].p, va, vb, packed.w[1][1], packed.w[2][2],
                                                packed.w[1][2], item.frictions[0].mu * press + item.frictions[0].limit);
  const double da = to[0] - rows[1].p, db = to[1] - rows[2].p;
  rows[0].p = press, rows[1].p = to[0], rows[2].p = to[1];
  for (std::uint32_t i = 0; i < packed.parts; ++i)
    for (std::uint32_t x = 0; x < n; ++x) {
      const auto& r = packed.r[n * i + x];
      w[packed.first[i] + x] += r[0] * dn + r[1] * da + r[2] * db;
    }
  return std::max(std::abs(dn) * packed.w[0][0], length_of(da, db) * std::max(packed.w[1][1], packed.w[2][2]));
}

double ContactSweep::sweep_friction(const SweepFriction& friction, std::uint32_t first, double limit, double* w) {
  Row& a = rows_[first];
  const double va = row_value(a, w);
  if (friction.rows == 1) {
    if (!(a.diagonal > 0)) return 0;
    const double to = std::clamp(a.p - va / a.diagonal, -limit, limit), moved = std::abs(to - a.p) * a.diagonal;
    change(a, to, w);
    return moved;
  }
  Row& b = rows_[first + 1];
  const double vb = row_value(b, w);
  const std::array<double, 2> p = step_on_disc(a.p, b.p, va, vb, a.diagonal, b.diagonal, a.cross, limit);
  const double moved = length_of(p[0] - a.p, p[1] - b.p) * std::max(a.diagonal, b.diagonal);
  change(a, p[0], w), change(b, p[1], w);
  return moved;
}

/// The largest change of a speed.
double ContactSweep::sweep_item(const Item& item, double* w) {
  if (!item.enabled) return 0;
  double moved = 0, press = 0;
  std::uint32_t r = item.row;
  if (item.normal) {
    Row& n = rows_[r++];
    if (n.diagonal > 0) {
      const double to = std::max(0.0, n.p - row_value(n, w) / n.diagonal);
      moved = std::abs(to - n.p) * n.diagonal;
      change(n, to, w);
    }
    press = n.p;
  }
  for (std::uint32_t k = 0; k < item.friction_count; r += item.frictions[k++].rows)
    moved = std::max(moved,
                     sweep_friction(item.frictions[k], r, item.frictions[k].mu * press + item.frictions[k].limit, w));
  return moved;
}

/// Newton's method on the impulses that are neither zero nor on their discs; frictions that slide follow their normals.
bool ContactSweep::solve_at_once(std::span<const std::uint32_t> items, double* w, std::size_t most_rows) {
  unknowns_.clear();
  for (const std::uint32_t i : items) {
    const Item& item = items_[i];
    if (!item.enabled) continue;
    std::uint32_t r = item.row;
    std::size_t normal = ~std::size_t{0};
    double press = 0;
    if (item.normal) {
      press = rows_[r].p;
      if (!(press > 0)) continue;
      normal = unknowns_.size();
      unknowns_.push_back({r++});
    }
    for (std::uint32_t k = 0; k < item.friction_count; r += item.frictions[k++].rows) {
      const SweepFriction& f = item.frictions[k];
      const double limit = f.mu * press + f.limit;
      const double size = f.rows == 2 ? length_of(rows_[r].p, rows_[r + 1].p) : std::abs(rows_[r].p);
      constexpr double kOnDisc = 1 - 1e-9;
      if (!(limit > 0)) continue;
      if (size < kOnDisc * limit) {
        for (std::uint32_t s = 0; s < f.rows; ++s)
          if (rows_[r + s].diagonal > 0) unknowns_.push_back({r + s});
      } else if (normal != ~std::size_t{0} && k == 0 && size > 0) {
        Unknown& n = unknowns_[normal];
        n.tied = r, n.tied_rows = f.rows;
        for (std::uint32_t s = 0; s < f.rows; ++s) n.factor[s] = f.mu * rows_[r + s].p / size;
      }
    }
  }
  const std::size_t m = unknowns_.size();
  if (m == 0 || m > most_rows) return false;
  if (lu_size_ < m) lu_size_ = std::max(m, 2 * lu_size_), lu_ = Lu(lu_size_);
  const MatrixView a = lu_.prepare(m);
  step_.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const Row& row = rows_[unknowns_[i].row];
    for (std::size_t j = 0; j < m; ++j) {
      double sum = coupling(row, rows_[unknowns_[j].row]);
      for (std::uint32_t s = 0; s < unknowns_[j].tied_rows; ++s)
        sum += unknowns_[j].factor[s] * coupling(row, rows_[unknowns_[j].tied + s]);
      a(i, j) = sum;
    }
    a(i, i) += kSoftening * row.diagonal;
    step_[i] = -row_value(row, w);
  }
  if (!lu_.factor().ok()) return false;
  lu_.solve(step_);
  if (!all_finite(step_)) return false;
  for (std::size_t i = 0; i < m; ++i) {
    Row& row = rows_[unknowns_[i].row];
    change(row, row.p + step_[i], w);
    for (std::uint32_t s = 0; s < unknowns_[i].tied_rows; ++s) {
      Row& tied = rows_[unknowns_[i].tied + s];
      change(tied, tied.p + unknowns_[i].factor[s] * step_[i], w);
    }
  }
  return true;
}

double ContactSweep::sweep(std::span<const std::uint32_t> items, bool forward, double* w) {
  double moved = 0;
  const auto visit = [&](std::uint32_t i) {
    const bool packed = packed_[i].parts > 0 && items_[i].enabled;
    moved = std::max(moved, packed ? sweep_packed(items_[i], packed_[i], w) : sweep_item(items_[i], w));
  };
  if (forward)
    for (const std::uint32_t i : items) visit(i);
  else
    for (std::size_t k = items.size(); k-- > 0;) visit(items[k]);
  return moved;
}

/// Impulses of an island.
void ContactSweep::gather_impulses(std::size_t island_number, std::vector<double>& all) const {
  all.resize(rows_of_island(island_number));
  double* to = all.data();
  for (const std::uint32_t i : island(island_number))
    for (std::uint32_t r = items_[i].row; r < items_[i].row + items_[i].rows; ++r) *to++ = rows_[r].p;
}

void ContactSweep::set_impulses(std::size_t island_number, std::span<const double> all) {
  const double* from = all.data();
  for (const std::uint32_t i : island(island_number))
    for (std::uint32_t r = items_[i].row; r < items_[i].row + items_[i].rows; ++r) rows_[r].p = *from++;
}

void ContactSweep::gather_problem(std::size_t island_number, std::span<const double> w,
                                  std::vector<double>& all) const {
  all.clear();
  for (const std::uint32_t i : island(island_number)) {
    const Item& item = items_[i];
    all.push_back(item.enabled ? item.rows : -1.0);
    for (std::uint32_t k = 0; k < item.friction_count; ++k)
      all.push_back(item.frictions[k].mu), all.push_back(item.frictions[k].limit);
    for (std::uint32_t r = item.row; r < item.row + item.rows; ++r) {
      all.push_back(rows_[r].offset);
      for (const Part& part : parts_of(rows_[r])) {
        all.push_back(part.first);
        all.insert(all.end(), j_.begin() + part.at, j_.begin() + part.at + part.count);
      }
    }
  }
  for (const std::uint32_t b : blocks_of_island(island_number))
    all.insert(all.end(), w.begin() + block_begins_[b], w.begin() + block_begins_[b + 1]);
}

std::size_t ContactSweep::rows_of_island(std::size_t island_number) const {
  std::size_t rows = 0;
  for (const std::uint32_t i : island(island_number)) rows += items_[i].rows;
  return rows;
}

std::size_t ContactSweep::speeds_of_island(std::size_t island_number) const {
  std::size_t speeds = 0;
  for (const std::uint32_t b : blocks_of_island(island_number)) speeds += block_begins_[b + 1] - block_begins_[b];
  return speeds;
}

/// Impulses of an island, then the speeds of its blocks.
void ContactSweep::gather(std::size_t island_number, std::span<const double> w, std::vector<double>& all) const {
  gather_impulses(island_number, all);
  std::size_t at = all.size();
  all.resize(at + speeds_of_island(island_number));
  for (const std::uint32_t b : blocks_of_island(island_number))
    for (std::uint32_t k = block_begins_[b]; k < block_begins_[b + 1]; ++k) all[at++] = w[k];
}

void ContactSweep::spread(std::size_t island_number, std::span<const double> all, std::span<double> w) {
  set_impulses(island_number, all);
  const double* from = all.data() + rows_of_island(island_number);
  for (const std::uint32_t b : blocks_of_island(island_number))
    for (std::uint32_t k = block_begins_[b]; k < block_begins_[b + 1]; ++k) w[k] = *from++;
}

/// From impulses before_ a sweep led to the present ones.
void ContactSweep::extrapolate(std::size_t island_number, std::span<double> w) {
  gather(island_number, w, after_);
  changes_.clear();
  for (const std::uint32_t i : island(island_number))
    for (std::uint32_t r = items_[i].row; r < items_[i].row + items_[i].rows; ++r)
      changes_.push_back((rows_[r].p - before_[changes_.size()]) * std::sqrt(rows_[r].diagonal));
  acceleration_.extrapolate(changes_, after_);
  spread(island_number, after_, w);
}

/// Newton's method, and sweeps that judge what it has found.
void ContactSweep::finish_by_newton(std::size_t island_number, std::span<double> w, const Options& options,
                                    SweepReport& report) {
  const std::span<const std::uint32_t> items = island(island_number);
  double best = report.residual;
  keep(island_number, w);
  for (int round = 0; round < options.newton_rounds && !report.converged; ++round) {
    if (!newton_.solve(
            *this, island_number, inertia_, w,
            {.tolerance = options.tolerance / 4, .most_cost = options.most_cost, .most_steps = options.newton_steps}))
      break;
    constexpr int kSweepsAfter = 4;
    for (int k = 0; k < kSweepsAfter && !report.converged; ++k) {
      report.residual = sweep(items, k % 2 == 0, w.data());
      ++report.sweeps;
      report.converged = report.residual <= options.tolerance;
    }
    if (report.residual < best) best = report.residual, keep(island_number, w);
  }
  if (!report.converged && report.residual > best) go_back(island_number, w), report.residual = best;
}

SweepReport ContactSweep::solve(std::size_t island_number, std::span<double> w, const Options& options) {
  SweepReport report;
  report.islands = 1;
  const std::span<const std::uint32_t> items = island(island_number);
  long next_at_once = options.first_sweeps;
  double best = std::numeric_limits<double>::infinity();
  report.converged = false;
  bool fresh = true;  // nothing to extrapolate from
  while (report.sweeps < options.most_sweeps) {
    if (options.accelerate) gather_impulses(island_number, before_);
    if (options.accelerate && fresh) {
      acceleration_.begin(before_.size(), speeds_of_island(island_number));
      fresh = false;
    }
    report.residual = sweep(items, options.accelerate || report.sweeps % 2 == 0, w.data());
    ++report.sweeps;
    report.converged = report.residual <= options.tolerance;
    if (report.converged) return report;
    // Extrapolation need not improve every time: what is best near the end counts.
    const bool late = 2 * report.sweeps > options.most_sweeps || !options.accelerate;
    if (report.residual < best && late) best = report.residual, keep(island_number, w);
    if (report.sweeps >= options.most_sweeps) break;
    if (report.sweeps < next_at_once) {
      if (options.accelerate) extrapolate(island_number, w);
      continue;
    }
    fresh = true;
    if (!inertia_.blocks.empty()) {
      finish_by_newton(island_number, w, options, report);
      if (report.converged) return report;
      next_at_once = options.most_sweeps;
      continue;
    }
    constexpr long kSweepsBetween = 10;
    next_at_once = report.sweeps + kSweepsBetween + (report.sweeps - options.first_sweeps) / 2;
    if (!solve_at_once(items, w.data(), options.most_rows)) next_at_once = options.most_sweeps;
  }
  if (report.residual > best) go_back(island_number, w), report.residual = best;
  return report;
}

}  // namespace kane
