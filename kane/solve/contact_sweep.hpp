#pragma once
// Impulses of many contacts with friction, by sweeps over the contacts. With the speeds w of a system whose inertia falls into
// blocks (bodies that no joint connects), and rows J of relative speeds,
//
//     w = w0 + M^-1 J^T p,      v = J w + b
//     0 <= v_n  _|_  p_n >= 0,      p_t in the disc of radius mu p_n + limit, opposite to v_t if it slides
//
// One contact after the other gets the impulses that it would have if the others kept theirs (M. Jean, The non-smooth
// contact dynamics method, CMAME 177 (1999); block Gauss-Seidel): p_n <- max(0, p_n - v_n / W_nn), then p_t, with the disc of
// the new p_n. Where no impulse changes any speed by more than the tolerance the equations above hold: the fixed points are
// those of Coulomb's law, without the convex relaxation that lets sliding bodies hover. Contacts that share no block that can
// move (islands) are solved apart from each other, each with as many sweeps as it needs.
//
// Successive sweeps are extrapolated (SweepAcceleration), which makes a few dozen of several hundred. They still carry forces
// through a tall stack slowly. An island that is not done after some of them is finished by Newton's
// method (ContactNewton), if M is known (set_inertia()); otherwise by solving for all impulses that are neither zero nor on
// their discs at once, (W + e D) dp = -v, with a small multiple of the diagonal for redundant supports. Then sweeps judge.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kane/solve/contact_newton.hpp"
#include "kane/solve/dense.hpp"
#include "kane/solve/matrix.hpp"
#include "kane/solve/sweep_acceleration.hpp"

namespace kane {

/// Friction along one row, or two: |p| <= mu p_n + limit.
struct SweepFriction {
  std::uint32_t rows = 0;
  double mu = 0, limit = 0;
};

struct SweepReport {
  long sweeps = 0;      ///< the most of any island
  long islands = 0;     ///< that were solved
  double residual = 0;  ///< largest change of a row's speed in the last sweep
  bool converged = true;
};

class ContactSweep {
 public:
  static constexpr std::size_t kMostFrictions = 3;  ///< sliding, rolling, spinning

  /// Begins anew. `blocks`: of each speed. Speeds of a block are neighbours.
  void begin(std::span<const std::uint32_t> block_of_speed);
  /// A row, and its coefficients block by block; `response` is M^-1 of these. `b`: its speed where w = 0. Returns its number.
  /// Rows of one item must follow one another, the normal first.
  std::size_t add_row(double b);
  void add_part(std::size_t first_speed, std::span<const double> coefficients, std::span<const double> response);
  /// M of the speeds, valid until begin().
  void set_inertia(const SweepInertia& inertia) { inertia_ = inertia; }
  /// Makes an item of the last rows: a contact (`normal`), with frictions; or frictions with limits of their own.
  void add_item(bool normal, std::span<const SweepFriction> frictions);
  /// Sorts items into islands; again after more items were added.
  void finish();

  [[nodiscard]] std::size_t row_count() const { return rows_.size(); }
  [[nodiscard]] std::size_t item_count() const { return items_.size(); }
  [[nodiscard]] std::size_t first_row(std::size_t item) const { return items_[item].row; }
  [[nodiscard]] std::size_t island_count() const { return island_ends_.size(); }
  /// Items of an island.
  [[nodiscard]] std::span<const std::uint32_t> island(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : island_ends_[i - 1];
    return std::span(order_).subspan(begin, island_ends_[i] - begin);
  }

  /// The blocks that its items act on, ascending.
  [[nodiscard]] std::span<const std::uint32_t> blocks_of_island(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : block_ends_[i - 1];
    return std::span(island_blocks_).subspan(begin, block_ends_[i] - begin);
  }

  /// The condition on a normal row is J w + b >= target. Limits of frictions may change too.
  void set_target(std::size_t row, double target) { rows_[row].offset = rows_[row].b - target; }
  /// The same with J w + offset >= 0.
  void set_offset(std::size_t row, double offset) { rows_[row].offset = offset; }
  /// An item that is not enabled has no impulses.
  void set_enabled(std::size_t item, bool enabled) { items_[item].enabled = enabled; }
  void set_friction(std::size_t item, std::size_t k, double mu, double limit) {
    items_[item].frictions[k].mu = mu, items_[item].frictions[k].limit = limit;
  }

  [[nodiscard]] double impulse(std::size_t row) const { return rows_[row].p; }
  void set_impulse(std::size_t row, double p) { rows_[row].p = p; }
  /// J w + b.
  [[nodiscard]] double speed(std::size_t row, std::span<const double> w) const;
  /// w += M^-1 J^T p of all rows of an island, as they are now.
  void apply(std::size_t island, std::span<double> w) const;
  void apply_row(std::size_t row, double p, std::span<double> w) const;
  void clear_impulses(std::size_t island);
  /// All numbers that impulses of an island are found from, but for M: with the same M, problems with the same numbers have the
  /// same solutions.
  void gather_problem(std::size_t island, std::span<const double> w, std::vector<double>& all) const;
  /// Impulses of an island, row by row.
  void gather_impulses(std::size_t island, std::vector<double>& all) const;
  void set_impulses(std::size_t island, std::span<const double> all);

  struct Options {
    double tolerance = 1e-12;     ///< on changes of speeds
    long most_sweeps = 2000;      ///< of one island
    long first_sweeps = 40;       ///< before solving for all at once
    std::size_t most_rows = 360;  ///< that are solved for at once
    double most_cost = 3e7;       ///< of a factorisation of Newton's method, in multiplications
    int newton_steps = 60;        ///< of one round
    int newton_rounds = 3;        ///< Newton's method and sweeps after it
    bool accelerate = true;       ///< false: plain sweeps, which from no impulses never add energy
  };
  /// From w with the present impulses already in it.
  [[nodiscard]] SweepReport solve(std::size_t island, std::span<double> w, const Options& options);

 private:
  friend class ContactNewton;
  struct Part {
    std::uint32_t first = 0, count = 0, at = 0;
  };
  struct Row {
    std::uint32_t first_part = 0, parts = 0;
    double b = 0, offset = 0, diagonal = 0, p = 0;
    double cross = 0;  ///< W between this row and the next, of a friction with two rows
  };
  struct Item {
    std::uint32_t row = 0, rows = 0, friction_count = 0;
    bool normal = true;
    bool enabled = true;
    std::array<SweepFriction, kMostFrictions> frictions{};
  };

  /// A contact with sliding friction on one or two blocks of six speeds, which is most of them: its rows side by side.
  struct Packed {
    static constexpr std::uint32_t kSpeeds = 6;
    std::uint32_t parts = 0;  ///< 0: not of this kind
    std::array<std::uint32_t, 2> first{};
    std::array<std::array<double, 3>, 3> w{};                 ///< J M^-1 J^T
    std::array<std::array<double, 3>, 2 * kSpeeds> j{}, r{};  ///< by speed: coefficients, and M^-1 of them
  };

  [[nodiscard]] std::span<const Part> parts_of(const Row& row) const {
    return std::span(parts_).subspan(row.first_part, row.parts);
  }
  [[nodiscard]] double row_value(const Row& row, const double* w) const;
  void change(Row& row, double to, double* w) const;
  void pack(const Item& item, Packed& packed) const;
  [[nodiscard]] double sweep_packed(const Item& item, const Packed& packed, double* w);
  [[nodiscard]] double sweep_item(const Item& item, double* w);
  [[nodiscard]] double sweep_friction(const SweepFriction& friction, std::uint32_t first, double limit, double* w);
  /// The largest change of a speed.
  double sweep(std::span<const std::uint32_t> items, bool forward, double* w);
  void finish_by_newton(std::size_t island, std::span<double> w, const Options& options, SweepReport& report);
  void extrapolate(std::size_t island, std::span<double> w);
  [[nodiscard]] std::size_t rows_of_island(std::size_t island) const;
  [[nodiscard]] std::size_t speeds_of_island(std::size_t island) const;
  void gather(std::size_t island, std::span<const double> w, std::vector<double>& all) const;
  void spread(std::size_t island, std::span<const double> all, std::span<double> w);
  void keep(std::size_t island, std::span<const double> w) { gather(island, w, kept_); }
  void go_back(std::size_t island, std::span<double> w) { spread(island, kept_, w); }
  [[nodiscard]] double coupling(const Row& a, const Row& b) const;
  [[nodiscard]] bool solve_at_once(std::span<const std::uint32_t> items, double* w, std::size_t most_rows);

  std::vector<std::uint32_t> block_of_speed_;
  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<Item> items_;
  std::vector<Packed> packed_;  ///< of items
  std::vector<double> j_, r_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> island_ends_, block_ends_;
  std::vector<std::uint32_t> island_blocks_;
  std::vector<std::uint32_t> root_;          ///< of blocks, while islands are found
  std::vector<std::uint32_t> block_begins_;  ///< first speeds, and the number of speeds
  SweepAcceleration acceleration_;
  std::vector<double> before_, after_, changes_;
  SweepInertia inertia_;
  ContactNewton newton_;
  // solving at once
  struct Unknown {
    std::uint32_t row;
    std::uint32_t tied = 0, tied_rows = 0;  ///< rows of a sliding friction that follow it
    std::array<double, 2> factor{};
  };
  std::vector<Unknown> unknowns_;
  std::vector<double> step_, kept_;
  Lu lu_{0};
  std::size_t lu_size_ = 0;
};

}  // namespace kane
