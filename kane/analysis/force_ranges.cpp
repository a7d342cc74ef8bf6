#include "kane/analysis/force_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "kane/base/at.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/solve/linear_program.hpp"

namespace kane {

namespace {

constexpr std::size_t kMostRangeUnknowns = 2'000;
constexpr int kPyramidEdges = 16;
constexpr double kSameForce = 1e-7;  ///< bounds as near as this, relative to the forces, are one value

/// An unknown of the linear program: so much of each row per unit.
struct ForceColumn {
  std::size_t first = 0, second = 0;  ///< rows
  double along = 1, across = 0;
};

/// |p_t| <= mu p_n, or <= limit: the sum of these unknowns and of a slack.
struct ForceCone {
  std::size_t begin = 0, end = 0;
  std::optional<std::size_t> normal{};
  double bound = 0;  ///< mu, or the limit
};

class RangeProblem {
 public:
  explicit RangeProblem(SwitchedDynamics& dynamics) : dynamics_(dynamics), set_(dynamics.contact_set()) { collect(); }

  std::vector<ForceRange> solve() {
    std::vector<ForceRange> all;
    if (columns_.size() + cones_.size() > kMostRangeUnknowns || wanted_.empty()) return all;
    LinearProgram program = make();
    if (!program.find_start()) return all;
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const auto most = bound(program, wanted_rows_[k], 1), least = bound(program, wanted_rows_[k], -1);
      if (!most || !least) return {};
      ForceRange range = wanted_[k];
      range.most = *most, range.least = *least == 0 ? 0.0 : -*least;
      all.push_back(std::move(range));
    }
    return all;
  }

 private:
  void collect() {
    for (std::size_t row = 0; row < set_.bilateral.size(); ++row)
      if (set_.bilateral[row]) columns_.push_back({row, row, 1, 0}), columns_.push_back({row, row, -1, 0});
    std::vector<std::optional<std::size_t>> normals(set_.contacts.size());
    for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
      const SwitchedContact& c = set_.contacts[k];
      if (dynamics_.contact_name(k).empty() || !set_.touches(c)) continue;
      normals[k] = columns_.size();
      columns_.push_back({c.row, c.row, 1, 0});
      wanted_.push_back({.name = dynamics_.contact_name(k)}), wanted_rows_.push_back(c.row);
    }
    for (std::size_t f = 0; f < set_.frictions.size(); ++f) {
      const SwitchedFriction& friction = set_.frictions[f];
      const double coefficient = set_.stiction(f);
      if (!set_.rigid_contact(friction)) {
        add_cone(f, {.bound = set_.known_limit(friction, coefficient)});
      } else if (const auto& normal = normals[at(friction.contact)]) {
        add_cone(f, {.normal = normal, .bound = coefficient});
      }
    }
  }

  void add_cone(std::size_t f, ForceCone cone) {
    std::vector<std::size_t> rows;  // along which something can move
    for (const std::size_t row : set_.frictions[f].rows) {
      const double* const a = set_.evaluator.jacobian().row(row);
      if (std::any_of(a, a + set_.n, [](double x) { return x != 0; })) rows.push_back(row);
    }
    if (rows.empty() || !(cone.bound > 0)) return;
    cone.begin = columns_.size();
    const int edges = rows.size() == 1 ? 2 : kPyramidEdges;
    for (int k = 0; k < edges; ++k) {
      const double angle = 2 * std::numbers::pi * k / edges;
      columns_.push_back({rows.front(), rows.back(), std::cos(angle), rows.size() == 1 ? 0.0 : std::sin(angle)});
    }
    cone.end = columns_.size();
    cones_.push_back(cone);
    const auto& all = set_.frictions[f].rows;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (std::find(rows.begin(), rows.end(), all[k]) != rows.end()) {
        wanted_.push_back({.name = dynamics_.friction_name(f), .is_friction = true, .component = k});
        wanted_.back().polygon = edges > 2;
        wanted_rows_.push_back(all[k]);
      }
  }

  LinearProgram make() {
    LinearProgram program(set_.n + cones_.size(), columns_.size() + cones_.size());
    // Forces in units of the largest one, so that rounding is judged alike for a watch and a crane.
    std::vector<double> load(set_.n);
    std::vector<std::size_t> rows;
    for (const ForceColumn& c : columns_) rows.push_back(c.first), rows.push_back(c.second);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const std::size_t row : rows) {
      set_.add_row(row, dynamics_.row_force(row), load);
      unit_ = std::max(unit_, std::abs(dynamics_.row_force(row)));
    }
    if (!(unit_ > 0)) unit_ = 1;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::vector<double> a(set_.n);
      set_.add_row(columns_[k].first, columns_[k].along, a);
      if (columns_[k].across != 0) set_.add_row(columns_[k].second, columns_[k].across, a);
      for (std::size_t r = 0; r < set_.n; ++r) program.a(r, k) = a[r];
    }
    for (std::size_t r = 0; r < set_.n; ++r) program.b(r) = load[r] / unit_;
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const std::size_t r = set_.n + i;
      for (std::size_t k = cones_[i].begin; k < cones_[i].end; ++k) program.a(r, k) = 1;
      program.a(r, columns_.size() + i) = 1;
      if (cones_[i].normal)
        program.a(r, *cones_[i].normal) = -cones_[i].bound;
      else
        program.b(r) = cones_[i].bound / unit_;
    }
    return program;
  }

  /// The greatest value of sign times the force of a row; infinity, or none if it was not found.
  std::optional<double> bound(LinearProgram& program, std::size_t row, double sign) const {
    std::vector<double> c(columns_.size() + cones_.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k].first == row) c[k] += sign * columns_[k].along;
      if (columns_[k].second == row) c[k] += sign * columns_[k].across;
    }
    const LinearProgram::Optimum found = program.maximize(c);
    if (found.outcome == LinearProgram::Outcome::GaveUp) return std::nullopt;
    if (found.outcome == LinearProgram::Outcome::Unbounded) return std::numeric_limits<double>::infinity();
    return std::abs(found.value) < kSameForce * 1e-3 ? 0.0 : found.value * unit_;
  }

  SwitchedDynamics& dynamics_;
  ContactSet& set_;
  std::vector<ForceColumn> columns_;
  std::vector<ForceCone> cones_;
  std::vector<ForceRange> wanted_;
  std::vector<std::size_t> wanted_rows_;  ///< of these
  double unit_ = 0;
};

}  // namespace

bool ForceRange::open() const {
  if (std::isinf(least) || std::isinf(most)) return true;
  return most - least > kSameForce * std::max(std::abs(most), std::abs(least));
}

std::vector<ForceRange> calc_force_ranges(SwitchedDynamics& dynamics) { return RangeProblem(dynamics).solve(); }

}  // namespace kane
