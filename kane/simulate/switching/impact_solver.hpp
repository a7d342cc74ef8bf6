#pragma once
// Impacts.
//
// An impact happens where something that touches approaches. With v = J u the speeds of rows, W = J M^-1 J^T in the set of
// bilateral constraints, and p the impulses:
//
//     v+ = v- + W p,   0 <= v_n+ + e v_n-  _|_  p_n >= 0   (Newton),   friction by the cone
//     Poisson: a compression with e = 0 that gives p_c, then a restitution with impulses of at least e p_c
//
// All contacts that approach at an instant are solved together; those that only touch wait until the impact has reached
// them. So a row of balls passes an impact on from one to the next, and a block that lands flat does not turn. If
// nothing rebounds at all, everything that touches is solved at once.
//
// With friction, or with several coefficients, Newton's law may create energy (Kane and Levinson 1985). The result is
// then moved towards the impact without rebound, which never does, just as far as needed; on the way there all contacts
// keep separating and all impulses stay in their cones, since both sets are convex.

#include <span>
#include <vector>

#include "kane/simulate/switching/contact_problem.hpp"
#include "kane/simulate/switching/contact_set.hpp"
#include "kane/solve/impact_phases.hpp"

namespace kane {

/// The outcome of a transition.
struct TransitionReport {
  ContactStatus status = ContactStatus::Solved;
  bool finite = true;
  bool impact = false;  ///< speeds have jumped
  bool shock = false;   ///< though nothing collided: finite forces did not exist (Painleve)
  int rounds = 0;
  int massless = -1;  ///< a speed that no mass resists, if that is why it failed
  double kinetic_before = 0, kinetic_after = 0;

  [[nodiscard]] bool ok() const {
    return finite && status != ContactStatus::NoSolution && status != ContactStatus::Inaccurate;
  }
};

class ImpactSolver {
 public:
  ImpactSolver(ContactSet& set, ContactProblem& problem, SwitchingWork& work);

  /// Before the first round at an instant: how fast things approach, and whether anything rebounds.
  void note_approach(std::span<const double> u);
  /// One round of impacts, impulses added to `impulse` by row. False: nothing approaches any more, or it failed.
  [[nodiscard]] bool round(std::span<double> u, std::span<double> impulse, TransitionReport& report);
  /// From now on everything that touches takes part at once.
  void set_simultaneous() { simultaneous_ = true; }
  /// `udot_free`: accelerations without contact forces.
  [[nodiscard]] bool shock(std::span<double> u, std::span<const double> udot_free, std::span<double> impulse);

 private:
  [[nodiscard]] ContactStatus solve(std::span<const double> u, std::span<double> p, bool elastic);
  [[nodiscard]] ContactStatus follow_phases(std::span<const double> u, std::span<double> p);
  /// Contact `k` asks for an impact that is followed through its phases.
  [[nodiscard]] bool phased(std::size_t k) const;
  void limit_energy(std::span<const double> u_before, std::span<double> u);

  ContactSet& set_;
  ContactProblem& problem_;
  SwitchingWork& work_;
  std::vector<double> p_compression_, u_elastic_, u_inelastic_, u_start_;
  bool simultaneous_ = false;
  ImpactPhases phases_;
  std::vector<ImpactLaw> laws_;  ///< of the contacts involved
};

}  // namespace kane
