#pragma once
// Sweeps over contacts converge by a constant factor each, slowly where contacts share a body that turns. D. Anderson's method
// (J. ACM 12 (1965); H. Walker, P. Ni, SIAM J. Numer. Anal. 49 (2011)) takes the last few sweeps p -> g(p) together: with
// f = g(p) - p, and the differences dF, dG of successive f and g as columns,
//
//     c = argmin |f - dF c|,      next p = g - dG c
//
// Where contacts do not change their states sweeps are linear, and this is the method of minimal residuals. Speeds w are linear
// in p and follow with the same c. The next sweep puts p back into the cones.

#include <cstddef>
#include <span>
#include <vector>

namespace kane {

class SweepAcceleration {
 public:
  /// Forgets all. `rows`: numbers of p; `speeds`: of w.
  void begin(std::size_t rows, std::size_t speeds);
  /// After a sweep: `f` are its changes of p, each times the root of its diagonal; `g` is p after it, then w. Replaces g.
  void extrapolate(std::span<const double> f, std::span<double> g);

 private:
  static constexpr std::size_t kWindow = 6;  ///< sweeps that are taken together
  void forget() { count_ = 0, has_last_ = false; }

  std::size_t rows_ = 0, size_ = 0, count_ = 0, next_ = 0;
  bool has_last_ = false;
  double last_square_ = 0;
  std::vector<double> df_, dg_, last_f_, last_g_;
  double products_[kWindow][kWindow] = {};  ///< dF^T dF
};

}  // namespace kane
