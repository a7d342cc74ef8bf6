#pragma once
// The state that a simulation advances.

#include <vector>

namespace kane {

struct State {
  double t = 0;
  std::vector<double> q;  ///< coordinates, in the order of EquationsOfMotion::q
  std::vector<double> u;  ///< speeds, likewise

  friend bool operator==(const State&, const State&) = default;
};

}  // namespace kane
