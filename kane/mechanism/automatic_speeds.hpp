#pragma once
// `speeds: auto`: the motion variables that give the shortest program.
//
// Candidates, group by group: joint rates; the body-fixed components of the angular velocity of the last body of three
// (or two) rotations in a row whose intermediate bodies have no inertia (gimbals, and the spherical wrist of Mitiguy and
// Kane); absolute angular velocities along parallel axes in a row; body-fixed components of the velocity of a body's mass
// centre or origin for three translations in a row. A group keeps a candidate only if the whole program gets shorter, so
// the result is never longer than with joint rates.

#include <map>
#include <string>
#include <vector>

#include "kane/expr/count.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct SpeedChoice {
  std::string group;      ///< the joints concerned
  std::string speeds;     ///< what was chosen, in words
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

}  // namespace kane
