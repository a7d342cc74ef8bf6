#include "kane/solve/friction_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

double largest(std::span<const double> x) {
  double m = 0;
  for (const double v : x) m = std::max(m, std::abs(v));
  return m;
}

/// Slower than this part of the fastest is no direction.
constexpr double kStill = 1e-9;
/// A force that is this near to the cone's, relative to its limit, needs no other pyramid.
constexpr double kAligned = 1e-13;

}  // namespace

FrictionLcp::FrictionLcp(std::size_t max_contacts, std::size_t max_frictions, int turns)
    : turns_(turns),
      capacity_(max_contacts + max_frictions * (kDirections + 1)),
      lemke_(capacity_),
      g_(max_contacts + 2 * max_frictions, capacity_),
      wg_(max_contacts + 2 * max_frictions, capacity_),
      m_(capacity_, capacity_),
      q_(capacity_),
      z_(capacity_),
      other_(capacity_),
      p0_(max_contacts + 2 * max_frictions),
      v_(p0_.size()),
      other_p_(p0_.size()),
      other_v_(p0_.size()),
      cover_(capacity_),
      edges_(max_frictions),
      last_edges_(max_frictions),
      lines_(max_frictions) {}

// ---- pyramids -------------------------------------------------------------------------------------------------------

std::size_t FrictionLcp::direction_count(std::span<const FrictionTerm> frictions, std::size_t f) const {
  return frictions[f].sliding ? 0 : lines_[f] != 0 ? 2 : kDirections;
}

FrictionLcp::Direction FrictionLcp::pyramid(std::size_t f, std::size_t j) const {
  static const auto kSides = [] {
    std::array<Direction, kDirections> sides{};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / kDirections;
      sides[i] = {std::cos(angle), std::sin(angle)};
    }
    return sides;
  }();
  const auto [c, s] = edges_[f];
  if (lines_[f] != 0) return j == 0 ? Direction{c, s} : Direction{-c, -s};
  return {c * kSides[j][0] - s * kSides[j][1], s * kSides[j][0] + c * kSides[j][1]};
}

/// At first against the speed there would be without forces.
void FrictionLcp::place_pyramids(ConstMatrixView w, std::span<const double> v0,
                                 std::span<const FrictionTerm> frictions) {
  const double still = kStill * largest(v0);
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    edges_[i] = {1, 0};
    lines_[i] = frictions[i].rows == 1 ? 1 : 0;
    if (lines_[i] != 0) continue;
    const std::size_t r = frictions[i].first;
    const double a = v0[r], b = v0[r + 1], speed = std::hypot(a, b);
    if (speed > still) edges_[i] = {-a / speed, -b / speed};
    const auto immovable = [&](std::size_t row) { return w(row, row) == 0 && v0[row] == 0; };
    if (!immovable(r) && !immovable(r + 1)) continue;
    lines_[i] = 1;
    edges_[i] = immovable(r + 1) ? Direction{1, 0} : Direction{0, 1};
  }
}

/// False if every friction that slides opposes its speed already.
bool FrictionLcp::turn_pyramids(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions,
                                std::span<const double> p) {
  const double still = kStill * std::max(largest(v0), largest({v_.data(), rows_}));
  bool turned = false;
  std::ranges::copy(edges_, last_edges_.begin());
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const FrictionTerm& f = frictions[i];
    if (f.sliding || lines_[i] != 0) continue;
    const std::size_t r = f.first;
    const double limit = f.limit + (f.contact >= 0 ? f.mu * p[at(f.contact)] : 0.0);
    const double speed = std::hypot(v_[r], v_[r + 1]);
    if (!(speed > still) || !(limit > 0)) continue;
    const double miss = std::hypot(p[r] + limit * v_[r] / speed, p[r + 1] + limit * v_[r + 1] / speed);
    if (miss <= kAligned * limit) continue;
    const double mean = (w(r, r) + w(r + 1, r + 1)) / 2, half = (w(r, r) - w(r + 1, r + 1)) / 2;
    const double most = mean + std::hypot(half, w(r, r + 1));
    const double a = most * p[r] - v_[r], b = most * p[r + 1] - v_[r + 1], size = std::hypot(a, b);
    if (!(size > 0)) continue;
    edges_[i] = {a / size, b / size};
    turned = true;
  }
  return turned;
}

/// W G, column by column: a normal has its own row and those of what slides with it, a direction those of its friction.
void FrictionLcp::form_response(ConstMatrixView w, std::span<const FrictionTerm> frictions, MatrixView wg) const {
  for (std::size_t i = 0; i < w.rows; ++i) std::copy_n(w.row(i), contacts_, wg.row(i));
  std::size_t column = contacts_;
  for (std::size_t k = 0; k < frictions.size(); ++k) {
    const FrictionTerm& f = frictions[k];
    if (f.sliding) {
      for (std::size_t i = 0; i < w.rows && f.contact >= 0; ++i)
        for (std::size_t r = 0; r < f.rows; ++r) wg(i, at(f.contact)) -= w(i, f.first + r) * (f.mu * f.direction[r]);
      continue;
    }
    for (std::size_t j = 0; j < direction_count(frictions, k); ++j, ++column) {
      const Direction d = pyramid(k, j);
      for (std::size_t i = 0; i < w.rows; ++i) {
        const double* const own = w.row(i) + f.first;
        wg(i, column) = f.rows == 1 ? own[0] * d[0] : own[0] * d[0] + own[1] * d[1];
      }
    }
  }
}

void FrictionLcp::form(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions) {
  std::size_t betas = 0, sigmas = 0;
  for (std::size_t i = 0; i < frictions.size(); ++i)
    betas += direction_count(frictions, i), sigmas += frictions[i].sliding ? 0U : 1U;
  const std::size_t forces = forces_ = contacts_ + betas;
  size_ = forces + sigmas;
  ensure(size_ <= capacity_, "{} unknown in a friction problem for {}", size_, capacity_);
  const MatrixView g = g_.packed(rows_, forces), wg = wg_.packed(rows_, forces), m = m_.packed(size_, size_);
  std::fill_n(g.data, rows_ * forces, 0.0);
  std::fill_n(m.data, size_ * size_, 0.0);
  std::fill_n(p0_.begin(), rows_, 0.0);
  for (std::size_t i = 0; i < contacts_; ++i) g(i, i) = 1;
  std::size_t beta = contacts_;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const FrictionTerm& f = frictions[i];
    for (std::size_t k = 0; k < f.rows && f.sliding; ++k) {
      if (f.contact >= 0) g(f.first + k, at(f.contact)) -= f.mu * f.direction[k];
      p0_[f.first + k] = -f.limit * f.direction[k];
    }
    for (std::size_t j = 0; j < direction_count(frictions, i); ++j, ++beta) {
      const Direction d = pyramid(i, j);
      for (std::size_t k = 0; k < f.rows; ++k) g(f.first + k, beta) = d[k];
    }
  }
  form_response(w, frictions, wg);
  calc_v(w, v0, {p0_.data(), rows_}, v_);  // speeds with the known forces only
  for (std::size_t i = 0; i < contacts_; ++i) {
    std::copy_n(wg.row(i), forces, m.row(i));
    q_[i] = v_[i];
  }
  beta = contacts_;
  std::size_t sigma = forces;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const FrictionTerm& f = frictions[i];
    if (f.sliding) continue;
    for (std::size_t j = 0; j < direction_count(frictions, i); ++j, ++beta) {
      const Direction d = pyramid(i, j);
      q_[beta] = 0;
      for (std::size_t k = 0; k < f.rows; ++k) {
        for (std::size_t c = 0; c < forces; ++c) m(beta, c) += d[k] * wg(f.first + k, c);
        q_[beta] += d[k] * v_[f.first + k];
      }
      m(beta, sigma) = 1;
      m(sigma, beta) = -1;
    }
    if (f.contact >= 0) m(sigma, at(f.contact)) = f.mu;
    q_[sigma] = f.limit;
    ++sigma;
  }
}

void FrictionLcp::read(std::span<const double> z, std::span<double> p) const {
  const ConstMatrixView g = g_.packed(rows_, forces_);
  for (std::size_t i = 0; i < rows_; ++i) {
    p[i] = p0_[i];
    for (std::size_t j = 0; j < forces_; ++j) p[i] += g(i, j) * z[j];
  }
}

void FrictionLcp::calc_v(ConstMatrixView w, std::span<const double> v0, std::span<const double> p,
                         std::span<double> v) const {
  for (std::size_t i = 0; i < rows_; ++i) {
    double sum = v0[i];
    for (std::size_t k = 0; k < rows_; ++k) sum += w(i, k) * p[k];
    v[i] = sum;
  }
}

/// Lemke's method from one of several directions: the first that leads to a solution will do.
bool FrictionLcp::solve_from(int variant, LcpReport& report, std::span<double> z) {
  for (std::size_t i = 0; i < size_; ++i)
    cover_[i] = variant == 0 ? 1.0 : 1.0 + 0.37 * static_cast<double>((i * 7 + at(variant) * 3) % 5);
  report = lemke_.solve(m_.packed(size_, size_), std::span(q_).first(size_), z, std::span(cover_).first(size_));
  operations_ += static_cast<double>(report.pivots) * static_cast<double>(2 * size_ * size_);
  return report.ok();
}

bool FrictionLcp::solve_pyramids(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions,
                                 std::span<double> p, LcpReport& report) {
  form(w, v0, frictions);
  const std::span<double> z = std::span(z_).first(size_);
  bool solved = false;
  for (int variant = 0; variant < 4 && !solved; ++variant) solved = solve_from(variant, report, z);
  if (!solved) return false;
  read(z, p);
  calc_v(w, v0, p, v_);
  return true;
}

ContactReport FrictionLcp::solve(std::size_t contacts, ConstMatrixView w, std::span<const double> v0,
                                 std::span<const FrictionTerm> frictions, std::span<double> p, bool check_unique) {
  contacts_ = contacts;
  rows_ = w.rows;
  ContactReport result;
  LcpReport report;
  operations_ = 0;
  place_pyramids(w, v0, frictions);
  bool solved = solve_pyramids(w, v0, frictions, p, report);
  if (!solved) {
    for (std::size_t i = 0; i < frictions.size(); ++i)
      if (lines_[i] == 0) edges_[i] = {1, 0};
    solved = solve_pyramids(w, v0, frictions, p, report);
  }
  result.pivots = report.pivots;
  for (int k = 0; k < turns_ && solved && turn_pyramids(w, v0, frictions, p); ++k) {
    if (!solve_pyramids(w, v0, frictions, p, report)) {
      std::ranges::copy(last_edges_, edges_.begin());
      solved = solve_pyramids(w, v0, frictions, p, report);
      break;
    }
    result.pivots += report.pivots;
  }
  result.residual = report.residual;
  result.operations = operations_;
  if (!solved) {
    result.status = report.status == LcpStatus::Ray ? ContactStatus::NoSolution : ContactStatus::Inaccurate;
    std::fill(p.begin(), p.end(), 0.0);
    return result;
  }
  if (!check_unique) return result;
  const double scale = largest(v0) + largest({v_.data(), rows_}), force = largest(p);
  for (int variant = 1; variant < 4; ++variant) {
    LcpReport again;
    if (!solve_from(variant, again, std::span(other_).first(size_))) continue;
    read(std::span(other_).first(size_), other_p_);
    calc_v(w, v0, {other_p_.data(), rows_}, other_v_);
    for (std::size_t i = 0; i < rows_; ++i) {
      if (std::abs(other_v_[i] - v_[i]) > 1e-6 * scale) result.status = ContactStatus::MotionNotUnique;
      if (std::abs(other_p_[i] - p[i]) > 1e-6 * force && result.status == ContactStatus::Solved)
        result.status = ContactStatus::ForcesNotUnique;
    }
  }
  result.operations = operations_;
  return result;
}

}  // namespace kane
