#pragma once
// Whether two mechanisms have the same equations of motion: same names, same values at random states.

#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane::test {

/// Reports what differs as test failures. `tolerance` is relative to the largest entry.
void expect_same_equations(const Mechanism& a, const Mechanism& b, double tolerance = 1e-12);

}  // namespace kane::test
