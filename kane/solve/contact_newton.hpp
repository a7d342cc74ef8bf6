#pragma once
// Impulses of many contacts by Newton's method, where sweeps (ContactSweep) carry forces too slowly: tall stacks, walls, arches.
//
// With the friction cone K = { |p_t| <= mu p_n }, Coulomb's law is (G. de Saxce, Z.-Q. Feng, Math. Comput. Model. 28 (1998))
//
//     K  contains  p  _|_  v + s n  in  K*,      s = mu |v_t|
//
// For a given s this is the condition of a minimum of a convex function, which the method of multipliers finds (M. Hestenes,
// J. Optim. Theory Appl. 4 (1969)): with P the projection onto the cone, repeat
//
//     w = argmin 1/2 (w - w0) M (w - w0) + sum R/2 |P(p - (v(w) + s n) / R)|^2,      p <- P(p - (v + s n) / R)
//
// The minimum is smooth and convex; Newton's method with a line search reaches it: H = M + J^T P' J / R has a block per body
// and a block per pair of bodies that touch (BlockCholesky). R is a small part of the diagonal of J M^-1 J^T: it sets how
// fast p converges and is not in the result. s follows from step to step. Where everything sticks s = 0, and the forces that
// hold a structure are found if there are any. Power is p.v = -s p_n <= 0 also before s has converged.
//
// Rolling and spinning friction, and frictions with limits of their own, have discs with the radius of the last step.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kane/solve/block_cholesky.hpp"

namespace kane {

class ContactSweep;

/// M as blocks of neighbouring speeds: that of a block, row by row, begins at `factor` of `values`.
struct SweepInertia {
  struct Block {
    std::uint32_t first = 0, count = 0;
    std::size_t factor = 0;
  };
  std::span<const Block> blocks;
  std::span<const double> values;
};

class ContactNewton {
 public:
  struct Options {
    double tolerance = 1e-12;  ///< on speeds
    double most_cost = 3e7;    ///< multiplications of a factorisation
    int most_steps = 60;       ///< of Newton's method, in all
  };
  /// Improves impulses of the sweep and speeds w, which are consistent before and after. False: too large, or nothing
  /// was gained.
  [[nodiscard]] bool solve(ContactSweep& sweep, std::size_t island, const SweepInertia& inertia, std::span<double> w,
                           const Options& options);
  [[nodiscard]] long steps() const { return steps_; }

 private:
  static constexpr std::size_t kMostRows = 7;  ///< of an item
  using Rows = std::array<double, kMostRows>;
  struct Own {
    std::uint32_t item = 0, rows = 0, first_node = 0, nodes = 0, j = 0, width = 0;
    bool cone = false;
    double mu = 0, slip = 0;                          ///< s
    double found = 0, last_slip = 0, last_found = 0;  ///< what s leads to; the same of the step before
    Rows p{}, v{}, dv{}, r{};
  };

  void collect(ContactSweep& sweep, std::span<const std::uint32_t> items);
  void collect_item(ContactSweep& sweep, Own& own);
  void begin(const ContactSweep& sweep, std::size_t island, std::span<const double> w);
  [[nodiscard]] bool analyse(double most_cost);
  void project(const ContactSweep& sweep, const Own& own, const Rows& v, Rows& pi, double* derivative) const;
  void calc_gradient(const ContactSweep& sweep);
  [[nodiscard]] double largest_gradient() const;
  [[nodiscard]] bool calc_direction(const ContactSweep& sweep);
  [[nodiscard]] double slope_at(const ContactSweep& sweep, double a) const;
  [[nodiscard]] double search(const ContactSweep& sweep) const;
  /// Speeds by which p differs from what it should be.
  [[nodiscard]] double update_slips(const ContactSweep& sweep);
  [[nodiscard]] double update_multipliers(const ContactSweep& sweep, double harder);
  void multiply_mass(std::span<const double> x, std::span<double> y) const;

  SweepInertia inertia_;
  BlockCholesky factors_;
  std::vector<Own> own_;
  std::vector<std::uint32_t> nodes_of_item_, node_of_block_, blocks_, sizes_, pair_of_;
  std::vector<std::size_t> start_;  ///< of each node in the vectors below
  std::vector<BlockCholesky::Pair> pairs_;
  std::vector<double> j_, away_, gradient_, direction_, pushed_;
  double slope0_ = 0, curve_ = 0;  ///< of the part with M along the direction
  double softness_ = 0;
  bool compared_ = false;  ///< there was a step before
  long steps_ = 0;
};

}  // namespace kane
