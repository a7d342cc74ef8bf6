#pragma once
// What commands that run a motion print of it.

#include <cstdio>

#include "kane/simulate/motion/run_report.hpp"

namespace kane {

/// The events of a switched run and what impacts have cost, the first dozen described.
void print_events(std::FILE* to, const RunReport& report);

/// Energy: conserved, or at the start and the end.
void print_energy(std::FILE* to, const EnergyReport& energy);

}  // namespace kane
