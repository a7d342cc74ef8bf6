#include "kane/simulate/stepping/block_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kane/solve/dense.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

BlockInertia::BlockInertia(SystemEvaluator& evaluator) : evaluator_(evaluator) {
  const std::size_t n = evaluator.system().speed_count();
  place_.resize(n), speed_.resize(n), block_of_place_.resize(n);
  force_.resize(n), answer_.resize(n);
  zeros_.resize(evaluator.system().row_count());
}

void BlockInertia::partition(bool constrained) {
  const auto n = static_cast<std::uint32_t>(place_.size());
  std::vector<std::uint32_t> root(n);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto unite = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t a = find(i), b = find(j);
    root[std::max(a, b)] = std::min(a, b);
  };
  if (constrained) std::fill(root.begin(), root.end(), 0U);
  for (const auto& m : evaluator_.system().mass_places()) unite(m.row, m.column);
  // All speeds of a body that may touch are in one block, even if M does not couple them.
  if (!evaluator_.system().equations().contact_pairs.empty())
    for (const auto& own : evaluator_.system().extra().contacts().body_speeds)
      for (const std::uint32_t speed : own) unite(own.front(), speed);
  blocks_.clear();
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> number(n, ~0U);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t r = find(i);
    if (number[r] == ~0U) number[r] = static_cast<std::uint32_t>(members.size()), members.emplace_back();
    members[number[r]].push_back(i);
  }
  std::uint32_t next = 0;
  std::size_t factor = 0;
  for (const auto& own : members) {
    blocks_.push_back({next, static_cast<std::uint32_t>(own.size()), factor});
    factor += own.size() * own.size();
    for (const std::uint32_t speed : own) {
      block_of_place_[next] = static_cast<std::uint32_t>(blocks_.size()) - 1;
      speed_[next] = speed;
      place_[speed] = next++;
    }
  }
  factors_.assign(factor, 0.0), mass_.assign(factor, 0.0);
  partitioned_ = true, constrained_ = constrained;
}

MotionReport BlockInertia::update() {
  const bool constrained = !evaluator_.active_rows().empty();
  if (!partitioned_ || constrained != constrained_) partition(constrained);
  const ConstMatrixView m = evaluator_.mass_matrix();
  for (const Block& block : blocks_) {
    double* to = mass_.data() + block.factor;
    for (std::uint32_t i = 0; i < block.count; ++i)
      for (std::uint32_t j = 0; j < block.count; ++j) *to++ = m(speed_[block.first + i], speed_[block.first + j]);
  }
  if (constrained_) {
    const EmbedReport embedded = evaluator_.refresh_embedding();
    return embedded.ok() ? MotionReport{} : MotionReport{MotionStatus::SingularBlock, embedded.index};
  }
  factors_ = mass_;
  for (const Block& block : blocks_) {
    const FactorReport factored = factor_ldlt({factors_.data() + block.factor, block.count, block.count});
    if (factored.ok()) continue;
    const auto speed = static_cast<int>(speed_[block.first + static_cast<std::uint32_t>(factored.pivot)]);
    return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass, speed};
  }
  return {};
}

void BlockInertia::gather(std::span<const double> u, std::span<double> w) const {
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = u[speed_[i]];
}

void BlockInertia::scatter(std::span<const double> w, std::span<double> u) const {
  for (std::size_t i = 0; i < w.size(); ++i) u[speed_[i]] = w[i];
}

void BlockInertia::solve(const Block& block, std::span<double> x) {
  if (!constrained_) return solve_ldlt({factors_.data() + block.factor, block.count, block.count}, x);
  const std::span<const double> still = std::span(zeros_).first(evaluator_.active_rows().size());
  if (!evaluator_.embedding().solve(evaluator_.mass_matrix(), x, still, answer_).ok())
    std::fill(answer_.begin(), answer_.end(), 0.0);
  std::ranges::copy(answer_, x.begin());
}

MotionReport BlockInertia::calc_accelerations(std::span<const double> force, std::span<double> udot) {
  if (constrained_) {
    const EmbedReport solved =
        evaluator_.embedding().solve(evaluator_.mass_matrix(), force, evaluator_.active_gamma(), udot);
    return solved.ok() ? MotionReport{} : MotionReport{MotionStatus::SingularMass, solved.index};
  }
  gather(force, force_);
  for (const Block& block : blocks_) solve(block, std::span(force_).subspan(block.first, block.count));
  scatter(force_, udot);
  if (all_finite(udot)) return {};
  const auto bad = std::ranges::find_if(udot, [](double v) { return !std::isfinite(v); });
  return {MotionStatus::NotFinite, static_cast<int>(bad - udot.begin())};
}

double BlockInertia::calc_kinetic(std::span<const double> w) const {
  double sum = 0;
  for (const Block& block : blocks_) sum += calc_kinetic(block, w);
  return sum;
}

double BlockInertia::calc_kinetic(const Block& block, std::span<const double> w) const {
  const double* own = w.data() + block.first;
  double twice = 0;
  for (std::uint32_t i = 0; i < block.count; ++i)
    twice += own[i] * dot(mass_.data() + block.factor + i * block.count, own, block.count);
  return twice / 2;
}

}  // namespace kane
