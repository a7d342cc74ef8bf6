#pragma once
// The inertia of a system as blocks: speeds that M does not couple (bodies without a joint between them) are in different
// blocks, each factored by itself. So a thousand free bodies cost a thousand times as much as one. While constraints hold there is one block, and
// accelerations are those of the constrained system (Embedding).
//
// Inside, speeds are numbered so that those of a block are neighbours.

#include <cstdint>
#include <span>
#include <vector>

#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/contact_newton.hpp"

namespace kane {

class BlockInertia {
 public:
  explicit BlockInertia(SystemEvaluator& evaluator);

  /// At the state of the last SystemEvaluator::calc_mass() (and calc_constraints(), if constraints hold).
  [[nodiscard]] MotionReport update();

  using Block = SweepInertia::Block;
  [[nodiscard]] std::size_t size() const { return place_.size(); }
  /// The block of each speed, in the inner numbering.
  [[nodiscard]] std::span<const std::uint32_t> block_of_place() const { return block_of_place_; }
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  /// Inner number of a speed.
  [[nodiscard]] std::uint32_t place(std::size_t speed) const { return place_[speed]; }
  [[nodiscard]] const Block& block_of_speed(std::size_t speed) const { return blocks_[block_of_place_[place_[speed]]]; }

  /// M itself, of update(); nothing while constraints hold.
  [[nodiscard]] SweepInertia matrix() const { return constrained_ ? SweepInertia{} : SweepInertia{blocks_, mass_}; }

  void gather(std::span<const double> u, std::span<double> w) const;
  void scatter(std::span<const double> w, std::span<double> u) const;
  /// x becomes M^-1 x, of the speeds of one block.
  void solve(const Block& block, std::span<double> x);
  /// Accelerations under generalized forces, with the constraints that hold; both in the outer numbering.
  [[nodiscard]] MotionReport calc_accelerations(std::span<const double> force, std::span<double> udot);
  /// Kinetic energy u M u / 2 at the state of update(); inner numbering.
  [[nodiscard]] double calc_kinetic(std::span<const double> w) const;
  [[nodiscard]] double calc_kinetic(const Block& block, std::span<const double> w) const;

 private:
  void partition(bool constrained);

  SystemEvaluator& evaluator_;
  bool partitioned_ = false, constrained_ = false;
  std::vector<std::uint32_t> place_, speed_, block_of_place_;
  std::vector<Block> blocks_;
  std::vector<double> factors_, mass_, zeros_, force_, answer_;
};

}  // namespace kane
