// ContactStepper: impulses of the two halves of a step.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/stepping/contact_stepper.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Approach slower than this many times what the forces cause in a step is that of things at rest.
constexpr double kResting = 4;
/// So is what is slower than this part of what the strongest force causes anywhere.
constexpr double kSlow = 0.1;
/// Speeds of an island below this fraction of what forces cause in a step, before and after, are zero.
constexpr double kStill = 1e-5;
/// What may be left open of the speeds of an island: while it moves, and where it was at rest.
constexpr double kTolerance = 1e-5, kRestTolerance = 1e-9;
/// Where things are at rest: sweeps before Newton's method, and multiplications of one of its factorisations.
constexpr long kFirstSweeps = 12;
constexpr double kMostCostAtRest = 1e9;
/// Sweeps of an island: what rests is solved to the end, once; what moves as far as some sweeps carry it, and on in the next step.
constexpr std::size_t kSmall = 40;
constexpr long kSweepsAtRest = 2000, kSweepsOfSmall = 200, kSweepsOfLarge = 80;
/// Sweeps from no impulses, which never add energy.
constexpr long kSweepsOfPlain = 60;
/// Sliding slower than this fraction may come to hold.
constexpr double kHolds = 1e-3;

}  // namespace

/// Conditions of an item: how far it may go, how much it rebounds, and limits of its frictions. Then impulses to start with.
void ContactStepper::prepare_item(std::size_t i, Half half, double h) {
  const ItemRef& ref = items_[i];
  std::size_t row = sweep_.first_row(i);
  if (ref.kind == ItemRef::Kind::Friction) {
    const SwitchedFriction& f = set_.frictions[ref.index];
    const double limit = set_.presses(f) ? set_.known_limit(f, own_sticks_[ref.index] ? set_.stiction(ref.index)
                                                                                      : set_.kinetic(ref.index))
                                         : 0.0;
    sweep_.set_friction(i, 0, 0, limit * h / 2);
    for (const std::size_t r : f.rows) sweep_.set_impulse(row++, row_memory_[r]);
    return;
  }
  if (ref.kind == ItemRef::Kind::Contact) {
    const std::size_t normal = set_.contacts[ref.index].row;
    const double gap = evaluator_.phi()[normal], e = set_.restitution(ref.index);
    const bool far = half == Half::Second && gap > 1e-9;
    sweep_.set_enabled(i, !far);
    set_normal(row, half, h, gap, e, own_approach_[ref.index]);
    sweep_.set_impulse(row++, far ? 0.0 : row_memory_[normal]);
    std::size_t k = 0;
    for (std::size_t f = 0; f < own_sticks_.size() && k < ContactSweep::kMostFrictions; ++f) {
      if (set_.frictions[f].contact != static_cast<int>(ref.index)) continue;
      sweep_.set_friction(i, k++, own_sticks_[f] ? set_.stiction(f) : set_.kinetic(f), 0);
      for (const std::size_t r : set_.frictions[f].rows) sweep_.set_impulse(row++, far ? 0.0 : row_memory_[r]);
    }
    return;
  }
  ContactPlace& place = field_->places()[ref.index];
  const PairValues v = set_.shapes->pair_values(place.pair);
  const bool compliant = v.stiffness > 0;
  const double known = compliant && place.gap < 0 ? (place.sum_press + v.adhesion) * h / 2 : 0.0;
  if (!compliant) {
    set_normal(row, half, h, place.gap, std::clamp(v.restitution, 0.0, 1.0), place.approach);
    sweep_.set_impulse(row++, place.press);
  }
  const Vec3 t1 = place.first_across(), t2 = cross(place.normal, t1);
  std::size_t k = 0;
  if (v.kinetic > 0 || v.stiction > 0) {
    const double mu = place.sticks ? v.stiction : v.kinetic;
    sweep_.set_friction(i, k++, compliant ? 0 : mu, mu * known);
    sweep_.set_impulse(row++, dot(place.drag, t1)), sweep_.set_impulse(row++, dot(place.drag, t2) / place.ratio);
  }
  if (v.rolling > 0) {
    sweep_.set_friction(i, k++, compliant ? 0 : v.rolling, v.rolling * known);
    sweep_.set_impulse(row++, dot(place.roll, t1)), sweep_.set_impulse(row++, dot(place.roll, t2));
  }
  if (v.spinning > 0) {
    sweep_.set_friction(i, k++, compliant ? 0 : v.spinning, v.spinning * known);
    sweep_.set_impulse(row++, place.spin);
  }
}

/// First half: the gap may close and no more; a contact that closes fast is remembered. Second half: those rebound.
void ContactStepper::set_normal(std::size_t row, Half half, double h, double gap, double restitution,
                                double& approach) {
  if (half == Half::First) {
    const double speed = sweep_.speed(row, w_), caused = 2 * std::abs(speed - sweep_.speed(row, u_));
    const double resting = std::max(kResting * caused, kSlow * h * strongest_);
    approach = speed < -resting && std::max(gap, 0.0) + h * speed < 0 ? -speed : 0.0;
    sweep_.set_target(row, -std::max(gap, 0.0) / h);
    return;
  }
  if (approach > 0) ++arrivals_;
  rebounds_ = rebounds_ || (approach > 0 && restitution > 0);
  sweep_.set_target(row, restitution * approach);
}

/// What forces cause along normals, in half a step.
void ContactStepper::note_strongest(double h) {
  strongest_ = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].kind == ItemRef::Kind::Friction) continue;
    const std::size_t row = sweep_.first_row(i);
    strongest_ = std::max(strongest_, 2 / h * std::abs(sweep_.speed(row, w_) - sweep_.speed(row, u_)));
  }
}

void ContactStepper::solve(Half half, double h) {
  sweep_.finish();
  if (half == Half::First) {
    (void)add_speculative(h, w_);
    for (std::size_t i = 0; i < items_.size(); ++i) sweep_.set_enabled(i, true);
  }
  rebounds_ = false;
  if (half == Half::First) note_strongest(h);
  for (std::size_t i = 0; i < items_.size(); ++i) prepare_item(i, half, h);
  free_ = w_;
  note_energy(half);
  const std::size_t blocks = inertia_.blocks().size() + 1;
  rest_failures_.resize(blocks), residuals_.assign(blocks, 0.0), asleep_.assign(blocks, false);
  for (auto& rests : rests_) rests.resize(blocks);
  for (std::size_t k = 0; k < sweep_.island_count(); ++k) solve_island(k, half);
  solved_items_ = items_.size();
  constexpr int kMostRounds = 4;
  for (int round = 0; half == Half::First && round < kMostRounds && add_speculative(h, w_); ++round) {
    // Impulses of the first round drive bodies against others.
    const std::size_t solved = solved_items_;
    for (std::size_t i = solved; i < items_.size(); ++i) prepare_item(i, half, h);
    for (std::size_t k = 0; k < sweep_.island_count(); ++k)
      if (std::ranges::any_of(sweep_.island(k), [&](std::uint32_t i) { return i >= solved; })) continue_island(k);
    solved_items_ = items_.size();
  }
  if (half == Half::Second) {
    if (rebounds_) limit_rebound();
    kinetic_after_ = inertia_.calc_kinetic(w_);
  }
  for (std::size_t k = 0; k < sweep_.island_count(); ++k)
    if (rest_island(k)) remember_rest(k, half);
  keep_impulses(half);
}

/// The largest speed that forces and motion give to a row of the island, without contacts.
double ContactStepper::calc_scale(std::size_t island) const {
  double scale = 0;
  for (const std::uint32_t i : sweep_.island(island)) {
    const std::size_t end = i + 1 < items_.size() ? sweep_.first_row(i + 1) : sweep_.row_count();
    for (std::size_t r = sweep_.first_row(i); r < end; ++r) scale = std::max(scale, std::abs(sweep_.speed(r, free_)));
  }
  return scale;
}

void ContactStepper::note(const SweepReport& report) {
  work_.sweeps += report.sweeps;
  ++work_.islands;
  if (!report.converged) ++work_.unconverged;
  if (!report.converged) work_.residual = std::max(work_.residual, report.residual);
}

/// Starts with the impulses of the last step. Sweeps from no impulses at all only take energy away, however few they are; those
/// that start with others may not, if they end too early. Then they are done again.
void ContactStepper::solve_island(std::size_t k, Half half) {
  if (sleeps(k, half)) return;
  sweep_.apply(k, w_);
  continue_island(k);
  if (moving_ground_ || !gained(k)) return;
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
    const BlockInertia::Block& block = inertia_.blocks()[b];
    std::copy_n(free_.begin() + block.first, block.count, w_.begin() + block.first);
  }
  sweep_.clear_impulses(k);
  continue_island(k, false);
}

/// The energy that contacts may leave to each block: what it has without them. The first half stops what collides; where it
/// rebounds in the second, it has at most what it had before the first.
void ContactStepper::note_energy(Half half) {
  allowed_.resize(inertia_.blocks().size());
  if (half == Half::First) kinetic_before_ = inertia_.calc_kinetic(w_);
  for (std::size_t b = 0; b < allowed_.size(); ++b) {
    const double kinetic = inertia_.calc_kinetic(inertia_.blocks()[b], w_);
    allowed_[b] = half == Half::First ? kinetic : std::max(kinetic, allowed_[b]);
  }
}

double ContactStepper::sum_kinetic(std::size_t k, std::span<const double> w) const {
  double sum = 0;
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) sum += inertia_.calc_kinetic(inertia_.blocks()[b], w);
  return sum;
}

double ContactStepper::sum_allowed(std::size_t k) const {
  double sum = 0;
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) sum += allowed_[b];
  return sum;
}

/// The kinetic energy of an island is larger than it may be.
bool ContactStepper::gained(std::size_t k) const {
  constexpr double kRoundingShare = 1e-12;
  return sum_kinetic(k, w_) > sum_allowed(k) * (1 + kRoundingShare);
}

void ContactStepper::continue_island(std::size_t k, bool accelerate) {
  ContactSweep::Options options;
  const std::size_t size = sweep_.island(k).size();
  const bool rests = rested(k);
  options.tolerance = (rests ? kRestTolerance : kTolerance) * calc_scale(k) + 1e-300;
  options.most_sweeps = !accelerate ? kSweepsOfPlain : size <= kSmall ? kSweepsOfSmall : kSweepsOfLarge;
  // Forces that are not found in many sweeps are not sought with as many again in every step.
  const std::size_t first = first_block(k);
  int& failures = rest_failures_[first];
  if (rests) options.most_sweeps = std::max(options.most_sweeps, kSweepsAtRest >> std::min(failures, 8));
  options.accelerate = accelerate;
  options.first_sweeps = rests ? kFirstSweeps : options.most_sweeps;
  if (rests) options.most_cost = kMostCostAtRest;
  const SweepReport report = sweep_.solve(k, w_, options);
  note(report);
  asleep_[first] = false;
  residuals_[first] = report.converged ? 0.0 : report.residual;
  if (rests) failures = report.converged ? 0 : failures + 1;
}

/// Nothing in the island moved when the step began.
bool ContactStepper::rested(std::size_t k) const {
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
    const BlockInertia::Block& block = inertia_.blocks()[b];
    if (max_abs(std::span(u_).subspan(block.first, block.count)) > 0) return false;
  }
  return true;
}

/// First block of an island; the number of blocks if it has none (bodies that only move as they are driven).
std::size_t ContactStepper::first_block(std::size_t k) const {
  const std::span<const std::uint32_t> blocks = sweep_.blocks_of_island(k);
  return blocks.empty() ? inertia_.blocks().size() : blocks.front();
}

/// Nothing that acts on the island has changed since it was solved and stayed at rest.
bool ContactStepper::sleeps(std::size_t k, Half half) {
  /// Impulses that were left open are sought so often.
  constexpr int kMostTries = 24;
  if (moving_ground_ || !rested(k)) return false;
  const Rest& rest = rests_[static_cast<std::size_t>(half)][first_block(k)];
  if (rest.tries == 0 || (rest.residual > 0 && rest.tries < kMostTries)) return false;
  sweep_.gather_problem(k, free_, problem_);
  if (problem_ != rest.problem) return false;
  sweep_.set_impulses(k, rest.impulses);
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
    const BlockInertia::Block& block = inertia_.blocks()[b];
    std::fill_n(w_.begin() + block.first, block.count, 0.0);
  }
  residuals_[first_block(k)] = rest.residual, asleep_[first_block(k)] = true;
  note({.sweeps = 0, .islands = 1, .residual = rest.residual, .converged = rest.residual == 0});
  return true;
}

void ContactStepper::remember_rest(std::size_t k, Half half) {
  if (moving_ground_) return;
  const std::size_t first = first_block(k);
  if (asleep_[first]) return;
  Rest& rest = rests_[static_cast<std::size_t>(half)][first];
  sweep_.gather_problem(k, free_, problem_);
  const double residual = residuals_[first];
  const bool same = rest.tries > 0 && problem_ == rest.problem;
  rest.tries = same ? rest.tries + (residual > 0 ? 1 : 0) : 1;
  if (same && residual > rest.residual) return;
  rest.residual = residual;
  if (!same) std::swap(rest.problem, problem_);
  sweep_.gather_impulses(k, rest.impulses);
}

/// Things that hardly move, and hardly did, are at rest.
bool ContactStepper::rest_island(std::size_t k) {
  const double still = kStill * calc_scale(k);
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
    const BlockInertia::Block& block = inertia_.blocks()[b];
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i)
      if (std::abs(w_[i]) > still || std::abs(u_[i]) > still) return false;
  }
  for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
    const BlockInertia::Block& block = inertia_.blocks()[b];
    std::fill_n(w_.begin() + block.first, block.count, 0.0);
  }
  return true;
}

/// Rebounds with friction, or of several contacts with different coefficients, can add energy (Kane and Levinson 1985). Each
/// island is then moved towards its impact without rebound, which cannot: T(w_i + s (w - w_i)) <= T before.
void ContactStepper::limit_rebound() {
  if (moving_ground_) return;
  for (std::size_t k = 0; k < sweep_.island_count(); ++k) {
    if (!gained(k)) continue;
    for (const std::uint32_t i : sweep_.island(k)) {
      if (items_[i].kind == ItemRef::Kind::Friction) continue;
      if (items_[i].kind == ItemRef::Kind::Place &&
          set_.shapes->pair_values(field_->places()[items_[i].index].pair).stiffness > 0)
        continue;
      sweep_.set_target(sweep_.first_row(i), 0);
    }
    // From no impulses: then no energy is added, even if the sweeps end early.
    inelastic_ = free_;
    sweep_.clear_impulses(k);
    ContactSweep::Options options;
    options.tolerance = kTolerance * calc_scale(k) + 1e-300;
    options.most_sweeps = options.first_sweeps = kSweepsOfPlain;
    options.accelerate = false;
    note(sweep_.solve(k, inelastic_, options));
    // T(w_i + s d) = T_i + s mixed + s^2 squared, with d the difference of the two.
    elastic_ = inelastic_;
    for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
      const BlockInertia::Block& block = inertia_.blocks()[b];
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) elastic_[i] = w_[i] - inelastic_[i];
    }
    const double squared = sum_kinetic(k, elastic_), plain = sum_kinetic(k, inelastic_);
    const double mixed = sum_kinetic(k, w_) - squared - plain, rest = plain - sum_allowed(k);
    double s = 0;
    if (squared > 0 && rest < 0)
      s = std::clamp((-mixed + std::sqrt(std::max(0.0, mixed * mixed - 4 * squared * rest))) / (2 * squared), 0.0, 1.0);
    for (const std::uint32_t b : sweep_.blocks_of_island(k)) {
      const BlockInertia::Block& block = inertia_.blocks()[b];
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) w_[i] = inelastic_[i] + s * elastic_[i];
    }
  }
}

void ContactStepper::keep_impulses(Half half) {
  const bool first = half == Half::First;
  const auto holds = [&](std::size_t row, std::size_t count) {
    double speed = 0, size = 0;
    for (std::size_t k = 0; k < count; ++k) {
      speed = std::hypot(speed, sweep_.speed(row + k, w_));
      size = std::hypot(size, sweep_.speed(row + k, free_));
    }
    return speed <= kHolds * size;
  };
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const ItemRef& ref = items_[i];
    std::size_t row = sweep_.first_row(i);
    const auto keep_row = [&](std::size_t r) {
      row_memory_[r] = sweep_.impulse(row++);
      row_impulses_[r] += row_memory_[r];
    };
    if (ref.kind == ItemRef::Kind::Friction) {
      const auto& rows = set_.frictions[ref.index].rows;
      own_sticks_[ref.index] = holds(row, rows.size());
      for (const std::size_t r : rows) keep_row(r);
      continue;
    }
    if (ref.kind == ItemRef::Kind::Contact) {
      keep_row(set_.contacts[ref.index].row);
      if (first && sweep_.impulse(row - 1) == 0) own_approach_[ref.index] = 0;
      if (!first) own_arrived_[ref.index] = own_approach_[ref.index] > 0, own_approach_[ref.index] = 0;
      for (std::size_t f = 0; f < own_sticks_.size(); ++f) {
        if (set_.frictions[f].contact != static_cast<int>(ref.index)) continue;
        own_sticks_[f] = holds(row, set_.frictions[f].rows.size());
        for (const std::size_t r : set_.frictions[f].rows) keep_row(r);
      }
      continue;
    }
    ContactPlace& place = field_->places()[ref.index];
    const PairValues v = set_.shapes->pair_values(place.pair);
    if (!(v.stiffness > 0)) {
      place.press = sweep_.impulse(row++);
      place.sum_press = (first ? 0.0 : place.sum_press) + place.press;
      if (first && place.press == 0) place.approach = 0;
    }
    const Vec3 t1 = place.first_across(), t2 = cross(place.normal, t1);
    if (v.kinetic > 0 || v.stiction > 0) {
      place.sticks = holds(row, 2);
      place.drag = sweep_.impulse(row) * t1 + (place.ratio * sweep_.impulse(row + 1)) * t2;
      place.sum_drag = (first ? Vec3{} : place.sum_drag) + place.drag;
      row += 2;
    }
    if (v.rolling > 0) {
      place.roll = sweep_.impulse(row) * t1 + sweep_.impulse(row + 1) * t2;
      row += 2;
    }
    if (v.spinning > 0) place.spin = sweep_.impulse(row++);
    place.arrived = !first && place.approach > 0;
    if (!first) place.approach = 0;
  }
}

}  // namespace kane
