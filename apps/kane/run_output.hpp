#pragma once
// Output shared by commands that run a motion.

#include <cstdio>

#include "kane/simulate/motion/run_report.hpp"

namespace kane {

/// The events of a switched run and the energy lost in impacts; the first dozen events are described.
void print_events(std::FILE* to, const RunReport& report, bool impulses = false);

/// Energy: conserved, or at the start and the end.
void print_energy(std::FILE* to, const EnergyReport& energy);

}  // namespace kane
