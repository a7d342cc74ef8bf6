#pragma once
// An impact followed through its phases, compression and restitution, while friction follows the sliding, which may stop, turn
// or reverse in between (E. J. Routh, Advanced Rigid Dynamics (1905), sections 192-198; W. J. Stronge, Impact Mechanics (2000),
// chapters 3 and 4). Configurations do not change; with W = J M^-1 J^T, the speeds of the rows and increments of impulses,
//
//     dv = W dp,      dp_t = -mu dp_n v_t/|v_t| while it slides, within the disc of radius mu dp_n while it holds
//
// The compression of a contact ends when v_n = 0, its restitution at one of
//
//     Newton:  v_n = -e v_n(0)        Poisson:  p_r = e p_c        Stronge:  integral v_n dp_n = e^2 times what was taken in
//
// For one contact v is a function of p_n, and how p_n grows in time does not matter. For several it does: each has a spring of
// the same stiffness along its normal, so that impulses pass on from body to body, one after the other in Newton's cradle.

#include <span>
#include <vector>

#include "kane/solve/friction_lcp.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

struct ImpactLaw {
  enum class Ratio : unsigned char { Speeds, Impulses, Work } ratio = Ratio::Speeds;
  double restitution = 0;
};

class ImpactPhases {
 public:
  ImpactPhases(std::size_t max_contacts, std::size_t max_frictions);

  /// Rows as in FrictionLcp: normals first, one law for each, then those of the frictions. p: one number per row. False: the
  /// impact does not come to its end. Does not allocate.
  [[nodiscard]] bool solve(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionTerm> frictions,
                           std::span<const ImpactLaw> laws, std::span<double> p);

 private:
  enum class Phase : unsigned char { Free, Compression, Restitution };
  struct Contact {
    Phase phase = Phase::Free;
    double depth = 0;              ///< of its spring
    double approach = 0;           ///< speed at the begin of the compression
    double work = 0, impulse = 0;  ///< of the compression
    double strongest = 0;          ///< force
    double total = 0, left = 0;    ///< of the restitution: what its law counts
    double force = 0;
  };

  void begin_step(double dt, double still);
  /// Impulses of the step and the speeds after it.
  void make_step(ConstMatrixView w, std::span<const FrictionTerm> frictions);
  void add_friction(ConstMatrixView w, const FrictionTerm& friction);
  void turn_friction(ConstMatrixView w, const FrictionTerm& friction);
  void change(ConstMatrixView w, std::size_t row, double by);
  [[nodiscard]] double end_of(const Contact& contact, const ImpactLaw& law, double v0, double v1, double dp) const;
  void finish_step(std::span<const ImpactLaw> laws);

  std::vector<Contact> contacts_;
  std::vector<double> v_, next_, step_;  ///< speeds before and after a step; its impulses
  std::vector<char> ended_;
};

}  // namespace kane
