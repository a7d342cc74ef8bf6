#pragma once
// `speeds: auto`: the motion variables that give the shortest program.
//
// Candidates, group by group: joint rates; the body-fixed components of the angular velocity of the last body of three
// (or two) rotations in a row whose intermediate bodies have no inertia (gimbals, and the spherical wrist of Mitiguy and
// Kane); absolute angular velocities along parallel axes in a row; body-fixed components of the velocity of a body's mass
// centre or origin for three translations in a row. A group keeps a candidate only if the whole program gets shorter, so
// the result is never longer than with joint rates, and only if it stays regular: the new speeds u = Y q' must determine the
// rates wherever the mass matrix M of the joint rates is regular. (M = Y^T M' Y: a gimbal of massless rings is singular in
// its rates as well where three rotations lose an axis; two rotations of a universal joint are not.)

#include <map>
#include <string>
#include <vector>

#include "kane/expr/count.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct SpeedChoice {
  std::string group;      ///< the joints concerned
  std::string speeds;     ///< the speeds chosen, in words
  OperationCount before;  ///< of the whole program with what stood there before
  OperationCount after;
  std::map<std::string, std::string> definitions;  ///< speed -> text
};

struct AutomaticSpeeds {
  Mechanism mechanism;   ///< with speeds set (initial values translated) and automatic_speeds off
  OperationCount rates;  ///< operations with joint rates
  OperationCount chosen;
  std::vector<SpeedChoice> choices;

  /// The choice and the operations it saves, as a sentence.
  [[nodiscard]] std::string summary() const;
};

[[nodiscard]] AutomaticSpeeds choose_speeds(const Mechanism& mechanism);

/// Gives the initial values of `rates` (coordinates, and speeds that are rates of the joints) to `chosen`, as the same motion
/// in its speeds. With `all`, every coordinate and speed gets its value, zeros too: for a motion that satisfies the
/// constraints.
void translate_initial(const Mechanism& rates, Mechanism& chosen, bool all = false);

}  // namespace kane
