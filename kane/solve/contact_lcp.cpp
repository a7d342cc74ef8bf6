#include "kane/solve/contact_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kDifferent = 1e-7;     ///< relative difference of two solutions that counts
constexpr std::size_t kEnumerated = 8;  ///< unknowns up to which all complementary choices are tried
constexpr int kCovers = 4;              ///< directions of approach otherwise

std::size_t unknowns_per_contact(std::size_t dimension, int directions) {
  if (dimension == 1) return 1;
  return 2 + (dimension == 2 ? 2u : at(directions));
}

bool differ(std::span<const double> a, std::span<const double> b, double size) {
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) distance = std::max(distance, std::abs(a[i] - b[i]));
  return distance > kDifferent * size;
}

}  // namespace

ContactLcpSolver::ContactLcpSolver(std::size_t max_contacts, std::size_t dimension, ContactOptions options)
    : max_contacts_(max_contacts),
      dimension_(dimension),
      options_(options),
      lemke_(max_contacts * unknowns_per_contact(dimension, options.directions)),
      enumerator_(kEnumerated),
      g_(dimension * max_contacts, lemke_.capacity()),
      wg_(dimension * max_contacts, lemke_.capacity()),
      m_(lemke_.capacity(), lemke_.capacity()),
      squeeze_(lemke_.capacity(), lemke_.capacity()),
      q_(lemke_.capacity()),
      z_(lemke_.capacity()),
      other_z_(lemke_.capacity()),
      v_(dimension * max_contacts),
      other_p_(dimension * max_contacts),
      other_v_(dimension * max_contacts),
      cover_(lemke_.capacity()),
      squeeze_q_(lemke_.capacity()),
      first_(max_contacts + 1),
      sigma_(max_contacts),
      modes_(max_contacts) {
  require(dimension >= 1 && dimension <= 3, "contacts have 1, 2 or 3 components, not {}", dimension);
  require(options.directions >= 4 && options.directions % 2 == 0,
          "a friction pyramid has an even number of directions, at least 4, not {}", options.directions);
}

// Order of the unknowns: p_n and beta's of all contacts, then the sigma's of those that have one.
void ContactLcpSolver::number_unknowns(std::span<const FrictionContact> contacts) {
  columns_ = 0;
  for (std::size_t k = 0; k < c_; ++k) {
    first_[k] = columns_;
    const bool pyramid = dimension_ > 1 && !contacts[k].sliding && contacts[k].mu > 0;
    columns_ += pyramid ? unknowns_per_contact(dimension_, options_.directions) - 1 : 1;
    sigma_[k] = pyramid ? 1 : 0;
  }
  first_[c_] = size_ = columns_;
  for (std::size_t k = 0; k < c_; ++k) sigma_[k] = sigma_[k] ? size_++ : lemke_.capacity();
}

void ContactLcpSolver::form_directions(std::span<const FrictionContact> contacts) {
  const MatrixView g = g_.packed(dimension_ * c_, columns_);
  std::fill_n(g.data, dimension_ * c_ * columns_, 0.0);
  for (std::size_t k = 0; k < c_; ++k) {
    const std::size_t row = dimension_ * k, first = first_[k];
    g(row, first) = 1;
    if (dimension_ == 1) continue;
    if (contacts[k].sliding) {
      for (std::size_t t = 1; t < dimension_; ++t) g(row + t, first) = -contacts[k].mu * contacts[k].direction[t - 1];
      continue;
    }
    const std::size_t count = first_[k + 1] - first - 1;
    for (std::size_t j = 0; j < count; ++j) {
      // Opposite directions are exact negatives of each other, so that symmetric problems stay symmetric.
      const std::size_t half = count / 2;
      const double sign = j < half ? 1 : -1;
      const double angle = std::numbers::pi * static_cast<double>(j % half) / static_cast<double>(half);
      g(row + 1, first + 1 + j) = sign * std::cos(angle);
      if (dimension_ == 3) g(row + 2, first + 1 + j) = sign * std::sin(angle);
    }
  }
}

// Rows: v_n of a contact is row `row` of W G z + v0; d_j . v_t is row of beta_j; mu p_n - sum beta is the row of sigma.
void ContactLcpSolver::form_problem(ConstMatrixView w, std::span<const double> v0,
                                    std::span<const FrictionContact> contacts) {
  const std::size_t rows = dimension_ * c_;
  const ConstMatrixView g = g_.packed(rows, columns_);
  const MatrixView wg = wg_.packed(rows, columns_), m = m_.packed(size_, size_);
  std::fill_n(wg.data, rows * columns_, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t l = 0; l < rows; ++l) add_scaled(wg.row(i), w(i, l), g.row(l), columns_);
  }
  std::fill_n(m.data, size_ * size_, 0.0);
  std::fill_n(q_.begin(), size_, 0.0);
  for (std::size_t k = 0; k < c_; ++k) {
    const std::size_t row = dimension_ * k, first = first_[k];
    std::copy_n(wg.row(row), columns_, m.row(first));
    q_[first] = v0[row];
    if (sigma_[k] == lemke_.capacity()) continue;
    for (std::size_t j = first + 1; j < first_[k + 1]; ++j) {
      for (std::size_t t = 1; t < dimension_; ++t) {
        add_scaled(m.row(j), g(row + t, j), wg.row(row + t), columns_);
        q_[j] += g(row + t, j) * v0[row + t];
      }
      m(j, sigma_[k]) = 1;
      m(sigma_[k], j) = -1;
    }
    m(sigma_[k], first) = contacts[k].mu;
  }
}

void ContactLcpSolver::read_forces(std::span<const double> z, std::span<double> p) const {
  const ConstMatrixView g = g_.packed(dimension_ * c_, columns_);
  for (std::size_t i = 0; i < g.rows; ++i) p[i] = dot(g.row(i), z.data(), columns_);
}

void ContactLcpSolver::read_motion(ConstMatrixView w, std::span<const double> v0, std::span<const double> p,
                                   std::span<double> v) const {
  for (std::size_t i = 0; i < dimension_ * c_; ++i) v[i] = v0[i] + dot(w.row(i), p.data(), dimension_ * c_);
}

void ContactLcpSolver::classify(std::span<const FrictionContact> contacts, std::span<const double> p) {
  double force = 0, motion = 0;
  for (std::size_t i = 0; i < dimension_ * c_; ++i) {
    force = std::max(force, std::abs(p[i]));
    motion = std::max(motion, std::abs(v_[i]));
  }
  for (std::size_t k = 0; k < c_; ++k) {
    const std::size_t row = dimension_ * k;
    if (!(p[row] > 1e-12 * force)) {
      modes_[k] = ContactMode::Separate;
      continue;
    }
    const bool has_sigma = sigma_[k] != lemke_.capacity();
    const double speed = has_sigma ? z_[sigma_[k]] : 0;
    const bool slides = dimension_ > 1 && (contacts[k].sliding || contacts[k].mu <= 0 || speed > 1e-10 * motion);
    modes_[k] = slides ? ContactMode::Slide : ContactMode::Stick;
  }
}

void ContactLcpSolver::choose_cover(int variant) {
  for (std::size_t i = 0; i < size_; ++i) {
    const double rank = static_cast<double>(variant % 2 == 0 ? i : size_ - 1 - i);
    cover_[i] = variant < 2 ? 1 + rank : std::exp2(-std::min(rank, 40.0));
  }
}

/// A ray from one direction is no proof when friction makes the matrix unsymmetric: other directions are tried.
LcpReport ContactLcpSolver::solve_somehow() {
  const MatrixView m = m_.packed(size_, size_);
  const std::span<double> z{z_.data(), size_};
  LcpReport report = lemke_.solve(m, {q_.data(), size_}, z);
  for (int variant = 0; variant < kCovers && !report.ok() && report.status != LcpStatus::NotFinite; ++variant) {
    choose_cover(variant);
    const LcpReport other = lemke_.solve(m, {q_.data(), size_}, z, {cover_.data(), size_});
    if (other.ok()) report = other;
  }
  return report;
}

// A self-stress is z >= 0 within the friction pyramids with W G z = 0 and sum p_n > 0. With Q = G^T W G and C z >= 0 the
// pyramids, it exists if and only if 1/2 z^T Q z - sum p_n is unbounded below over C z >= 0, z >= 0; the conditions of
// optimality of that are the complementarity problem (Q, -C^T; C, 0), (-a, 0), whose matrix is copositive-plus, so that
// Lemke's method ends on a ray exactly then.
bool ContactLcpSolver::find_self_stress() {
  const std::size_t rows = dimension_ * c_;
  const ConstMatrixView g = g_.packed(rows, columns_), wg = wg_.packed(rows, columns_), m = m_.packed(size_, size_);
  const MatrixView s = squeeze_.packed(size_, size_);
  std::fill_n(s.data, size_ * size_, 0.0);
  std::fill_n(squeeze_q_.begin(), size_, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns_; ++j) add_scaled(s.row(j), g(i, j), wg.row(i), columns_);
  }
  for (std::size_t k = 0; k < c_; ++k) {
    squeeze_q_[first_[k]] = -1;
    if (sigma_[k] == lemke_.capacity()) continue;
    for (std::size_t j = first_[k]; j < first_[k + 1]; ++j) {
      s(sigma_[k], j) = m(sigma_[k], j);
      s(j, sigma_[k]) = -m(sigma_[k], j);
    }
  }
  return lemke_.solve(s, {squeeze_q_.data(), size_}, {other_z_.data(), size_}).status == LcpStatus::Ray;
}

/// Solved if the forces of other_z_ are p, otherwise in which way they differ.
ContactStatus ContactLcpSolver::compare(ConstMatrixView w, std::span<const double> v0, std::span<const double> p) {
  const std::size_t rows = dimension_ * c_;
  const std::span<double> other_p{other_p_.data(), rows}, other_v{other_v_.data(), rows}, v{v_.data(), rows};
  read_forces({other_z_.data(), size_}, other_p);
  read_motion(w, v0, other_p, other_v);
  if (differ(other_v, v, std::max({max_abs(v0), max_abs(v), max_abs(other_v)}))) return ContactStatus::MotionNotUnique;
  const bool same = !differ(other_p, p, std::max(max_abs(other_p), max_abs(p)));
  return same ? ContactStatus::Solved : ContactStatus::ForcesNotUnique;
}

ContactStatus ContactLcpSolver::look_for_others(ConstMatrixView w, std::span<const double> v0,
                                                std::span<const double> p) {
  const ConstMatrixView m = m_.packed(size_, size_);
  const std::span<double> other{other_z_.data(), size_};
  const bool all = size_ <= kEnumerated;
  const int count = all ? enumerator_.find_all(m, {q_.data(), size_}) : kCovers;
  ContactStatus status = ContactStatus::Solved;
  for (int k = 0; k < count; ++k) {
    if (all) {
      std::ranges::copy(enumerator_.solution(at(k)), other.begin());
    } else {
      choose_cover(k);
      if (!lemke_.solve(m, {q_.data(), size_}, other, {cover_.data(), size_}).ok()) continue;
    }
    const ContactStatus verdict = compare(w, v0, p);
    if (verdict == ContactStatus::MotionNotUnique) return verdict;
    if (verdict != ContactStatus::Solved) status = verdict;
  }
  return status;
}

ContactReport ContactLcpSolver::solve(ConstMatrixView w, std::span<const double> v0,
                                      std::span<const FrictionContact> contacts, std::span<double> p) {
  c_ = contacts.size();
  const std::size_t rows = dimension_ * c_;
  ensure(c_ <= max_contacts_ && w.rows == rows && w.columns == rows && v0.size() == rows && p.size() == rows,
         "{} contacts do not fit", c_);
  ContactReport report;
  if (c_ == 0) return report;
  number_unknowns(contacts);
  form_directions(contacts);
  form_problem(w, v0, contacts);
  const LcpReport lcp = solve_somehow();
  report.pivots = lcp.pivots;
  report.residual = lcp.residual;
  if (!lcp.ok()) {
    report.status = lcp.status == LcpStatus::Ray ? ContactStatus::NoSolution : ContactStatus::Inaccurate;
    return report;
  }
  read_forces({z_.data(), size_}, p);
  read_motion(w, v0, p, {v_.data(), rows});
  classify(contacts, p);
  if (!options_.check_unique) return report;
  report.status = look_for_others(w, v0, p);
  report.self_stress = find_self_stress();
  if (report.self_stress && report.status == ContactStatus::Solved) report.status = ContactStatus::ForcesNotUnique;
  return report;
}

}  // namespace kane
