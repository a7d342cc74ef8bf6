#pragma once
// Contacts and dry friction together, as one complementarity problem: contacts with any number of frictions each
// (sliding, rolling, spinning), frictions with limits of their own (joints), and frictions that already slide. More
// general than ContactLcpSolver, which has the same three components for every contact.
//
// Rows: first the normals of c contacts, then the rows of the frictions, one or two each. With W = J M^-1 J^T and v0
// the speeds (accelerations) of the rows without forces, v = W p + v0. Unknown are the normal p_n, for a friction that
// may hold, the coefficients beta_j >= 0 of d directions d_j (p_t = sum beta_j d_j) and, roughly, the sliding speed
// sigma:
//
//     0 <= v_n                               _|_  p_n    >= 0
//     0 <= d_j . v_t + sigma                 _|_  beta_j >= 0
//     0 <= mu p_n + limit - sum beta_j       _|_  sigma  >= 0
//
// A friction that slides already has p_t = -(mu p_n + limit) s with its direction s.
//
// The cone of two rows is round; the pyramid of the directions d_j is inscribed in it, with its d edges on the surface.
// It is turned until each friction that begins to slide lies on an edge, opposite to its speed; then the solution is
// that of the cone: with w the largest eigenvalue of its block of W, the first edge is turned along p_t - v_t / w,
// which is where the cone's own force lies if nothing else gives way (the projection of De Saxce and Feng 1998), and
// the problem is solved again. Where nothing can move along one of two rows (shapes in a plane mechanism), two
// directions along the other are enough.

#include <array>
#include <span>
#include <vector>

#include "kane/solve/contact_lcp.hpp"

namespace kane {

struct FrictionTerm {
  std::size_t first = 0;  ///< first row
  std::size_t rows = 1;   ///< 1 or 2
  int contact = -1;       ///< the contact whose p_n presses; -1: none
  double mu = 0;          ///< coefficient of p_n
  double limit = 0;       ///< additional limit of the force (impulse)
  bool sliding = false;
  std::array<double, 2> direction = {0, 0};  ///< direction of sliding, a unit vector
};

class FrictionLcp {
 public:
  static constexpr std::size_t kDirections = 8;  ///< edges of the pyramid for two rows

  /// `turns`: how often pyramids may be turned.
  FrictionLcp(std::size_t max_contacts, std::size_t max_frictions, int turns = 60);

  /// W: (all rows)^2. p: one number per row. Does not allocate.
  ContactReport solve(std::size_t contacts, ConstMatrixView w, std::span<const double> v0,
                      std::span<const FrictionTerm> frictions, std::span<double> p, bool check_unique = false);
  /// v = W p + v0 of the last solution.
  [[nodiscard]] std::span<const double> v() const { return {v_.data(), rows_}; }

 private:
  using Direction = std::array<double, 2>;
  void place_pyramids(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions);
  [[nodiscard]] bool turn_pyramids(ConstMatrixView w, std::span<const double> v0,
                                   std::span<const FrictionTerm> frictions, std::span<const double> p);
  [[nodiscard]] bool solve_pyramids(ConstMatrixView w, std::span<const double> v0,
                                    std::span<const FrictionTerm> frictions, std::span<double> p, LcpReport& report);
  [[nodiscard]] std::size_t direction_count(std::span<const FrictionTerm> frictions, std::size_t f) const;
  [[nodiscard]] Direction pyramid(std::size_t f, std::size_t j) const;
  void form_response(ConstMatrixView w, std::span<const FrictionTerm> frictions, MatrixView wg) const;
  void form(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions);
  void read(std::span<const double> z, std::span<double> p) const;
  void calc_v(ConstMatrixView w, std::span<const double> v0, std::span<const double> p, std::span<double> v) const;
  [[nodiscard]] bool solve_from(int variant, LcpReport& report, std::span<double> z);

  int turns_;
  double operations_ = 0;
  std::size_t capacity_, contacts_ = 0, rows_ = 0, forces_ = 0, size_ = 0;
  LemkeSolver lemke_;
  Matrix g_, wg_, m_;  ///< p = G (p_n, beta) + p0
  std::vector<double> q_, z_, other_, p0_, v_, other_p_, other_v_, cover_;
  std::vector<Direction> edges_, last_edges_;  ///< the first edge of each pyramid
  std::vector<char> lines_;                    ///< those with only the first edge and the opposite one
};

}  // namespace kane
