#pragma once
// The step of an exported driver. Its method has a fixed step, so the step has to be chosen in advance: it is
// small enough when half of it gives the same motion.

#include <vector>

#include "kane/codegen/emit/emit_export.hpp"

namespace kane {

/// The lines the driver would print, computed here: t and the state, one row for each line.
[[nodiscard]] std::vector<std::vector<double>> simulate_export(const ExportModel& model);

struct ExportStep {
  /// Largest change of a state when the step is halved, relative to its size (at least 1); infinite or NaN if the
  /// motion could not be computed.
  double change = 0;
  bool accurate = false;  ///< the change is within the tolerance
};

/// Halves model.step (and doubles model.print_every, so that the same lines are printed) until halving it once more
/// changes the states by at most `tolerance`, or the run would have more than `max_steps` steps. Does nothing for a
/// program that calls functions which the driver's user provides.
ExportStep choose_export_step(ExportModel& model, double tolerance = 1e-6, long max_steps = 200'000);

}  // namespace kane
