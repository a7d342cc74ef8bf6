#pragma once
// Shared by the commands that analyse one state: the model, the state to begin at, notes and warnings.

#include <string>
#include <vector>

#include "apps/kane/model_source.hpp"
#include "kane/analysis/operating_point.hpp"
#include "kane/model/model.hpp"

namespace kane {

/// Values that are held, as options give them: "name" or "name=value".
struct HeldValues {
  std::vector<std::string> names;
  std::vector<std::string> settings;  ///< those with a value

  void add(const std::vector<std::string>& texts, const std::string& option);
  /// A value given by an option overrides that of a state file.
  void take_precedence(StartState& state) const;
};

/// With laws that a controller samples acting continuously, and the held values set.
[[nodiscard]] Model load_continuous(const ModelSource& source, const HeldValues& held = {});

/// Prints notes of the analysis on the model, and warnings, to standard error.
void print_remarks(const Model& model, const PointSummary& summary, const std::vector<std::string>& warnings);
inline void print_remarks(const Model& model, const PointSummary& summary) {
  print_remarks(model, summary, summary.warnings);
}

/// "closed loop: laws of F" on a separate line, if any input has a law.
void print_loop(const ControlLoop& loop);

}  // namespace kane
