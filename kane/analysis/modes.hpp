#pragma once
// Eigenvalues of linear equations as modes: frequency, damping, participating states; and a verdict on stability.
//
// With A V = V diag(s) and W = V^-1, the participation of state k in mode i is |V_ki W_ik|, normalised to sum to one over
// the states (Perez-Arriaga, Verghese, Schweppe, IEEE Trans. PAS-101, 1982): it does not depend on units. It is the diagonal
// of the projector onto the mode, which also defines it if eigenvalues are equal or eigenvectors are missing: all modes of
// such a group (the two zeros of a body that drifts) share the diagonal of the projector onto their common subspace.

#include <complex>
#include <string>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

/// A real eigenvalue, or a conjugate pair (represented by the one with positive imaginary part).
struct Mode {
  std::complex<double> eigenvalue;          ///< s, in 1/s
  bool oscillates = false;                  ///< has a conjugate
  double frequency = 0;                     ///< Hz, of the damped oscillation
  double natural_frequency = 0;             ///< rad/s, |s|
  double damping = 0;                       ///< -Re s / |s|; 0 for s = 0
  double time_constant = 0;                 ///< s, 1 / |Re s|; infinite for Re s = 0
  std::vector<std::complex<double>> shape;  ///< one per state; the largest is 1
  std::vector<double> participation;        ///< one per state
};

/// Stability of small motions, from the eigenvalues.
enum class Stability { Asymptotic, Marginal, Unstable };

/// The modes of a linear system.
struct ModeReport {
  std::vector<std::complex<double>> eigenvalues;  ///< by real part, then by imaginary part
  std::vector<Mode> modes;                        ///< slowest first
  Stability stability = Stability::Asymptotic;    ///< as the eigenvalues show
  int growing = 0;                                ///< eigenvalues with a positive real part
  int zero = 0;                                   ///< eigenvalues that vanish
  int oscillating = 0;                            ///< eigenvalues on the imaginary axis, except those that vanish
  double tolerance = 0;                           ///< real parts below this count as zero
};

/// Calculates the modes. Throws ModelError if A has entries that are not finite. Participations take most of the time.
[[nodiscard]] ModeReport calc_modes(ConstMatrixView a, bool with_participation = true);

/// A sentence: "unstable: 1 of 4 eigenvalues grows, the fastest doubles in 0.12 s".
[[nodiscard]] std::string describe_stability(const ModeReport& report);

}  // namespace kane
