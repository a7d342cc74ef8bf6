#pragma once
// A copy of a mechanism in its own graph. Equal expressions are one node, so two formulations of the same equations in one
// graph would share their results; each is derived in its own copy.

#include "kane/mechanism/mechanism.hpp"

namespace kane {

[[nodiscard]] Mechanism copy_mechanism(const Mechanism& mechanism);

}  // namespace kane
