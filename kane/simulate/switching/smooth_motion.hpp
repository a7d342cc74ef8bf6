#pragma once
// The motion in one set of states of contacts and frictions, where everything is smooth. Closed contacts and frictions that
// hold are constraints like any other, embedded in the equations (Gillespie, section 4, figure 2): true sticking, no creep.
// Sliding friction is a force,
//
//     M udot = rhs + A^T lambda - sum mu lambda_n d^T T,      A udot = gamma
//
// with T the rows of sliding speeds and d the direction of sliding. The normal forces lambda_n it depends on are part of
// the solution: udot = udot_0 + sum lambda_k z_k, where udot_0 is the motion without friction and z_k the answer to the
// friction of one unit of normal force at contact k; then lambda_k = lambda_k0 + sum_j zeta_kj lambda_j is a system of the
// size of the number of sliding contacts.

#include <algorithm>
#include <span>
#include <vector>

#include "kane/simulate/switching/contact_set.hpp"
#include "kane/solve/dense.hpp"

namespace kane {

class SmoothMotion {
 public:
  SmoothMotion(ContactSet& set, SwitchingWork& work);

  /// At the evaluator's time and inputs, in the present states.
  [[nodiscard]] MotionReport calc(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                  std::span<double> udot);
  /// Forces of all rows in the last calc().
  [[nodiscard]] std::span<const double> forces() const { return lambda_; }
  void set_forces(std::span<const double> forces) { std::ranges::copy(forces, lambda_.begin()); }
  void clear_forces() { std::fill(lambda_.begin(), lambda_.end(), 0.0); }

  // forces along rows that are applied from outside
  /// Another force along a row than the last calc() has found, where it is not unique.
  void set_force(std::size_t row, double force) { lambda_[row] = force; }
  void set_applied(std::size_t row, double force);
  void add_applied(std::span<double> force) const;
  [[nodiscard]] const std::vector<double>& applied() const { return applied_; }
  [[nodiscard]] const std::vector<std::size_t>& applied_rows() const { return applied_rows_; }
  void copy_applied(const std::vector<double>& applied, const std::vector<std::size_t>& rows) {
    applied_ = applied, applied_rows_ = rows;
  }

 private:
  void add_known_forces(std::span<const double> u);
  [[nodiscard]] MotionReport solve_smooth(std::span<double> udot);
  [[nodiscard]] MotionReport add_sliding(std::span<double> udot);

  ContactSet& set_;
  SwitchingWork& work_;
  std::vector<double> applied_;
  std::vector<std::size_t> applied_rows_;
  std::vector<double> force_, lambda_, active_lambda_, zeros_;
  MassFactors factors_;
  // contacts that slide
  Matrix sliding_z_, sliding_lambda_;
  std::vector<std::size_t> sliding_;
  Lu sliding_lu_;
  std::vector<double> sliding_force_, sliding_rhs_;
};

}  // namespace kane
