#include "apps/kane/run_output.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kane {

namespace {

/// "; impulse floor 1.2 N s".
std::string impulses_of(const SwitchRecord& record) {
  std::string text;
  for (const auto& [row, impulse] : record.impulses)
    if (impulse != 0) text += fmt::format("{}{} {:.6g}", text.empty() ? "; impulse " : ", ", row, impulse);
  return text;
}

}  // namespace

void print_events(std::FILE* to, const RunReport& report, bool impulses) {
  constexpr std::size_t kShown = 12;
  fmt::print(to, "  {:<12} {}; {:.6g} J lost in impacts\n", "events", report.event_count, report.energy_lost);
  for (std::size_t i = 0; i < std::min(kShown, report.events.size()); ++i)
    fmt::print(to, "    t = {:<14.9g} {}{}\n", report.events[i].t, describe(report.events[i]),
               impulses ? impulses_of(report.events[i]) : std::string());
  if (report.events.size() > kShown) fmt::print(to, "    ... (all of them with --json)\n");
}

void print_energy(std::FILE* to, const EnergyReport& energy) {
  if (!energy.known) return;
  if (energy.conservative)
    fmt::print(to, "  {:<12} {:.9g} J, conserved up to {:.2e} ({:.2e} of the energy exchanged)\n", "energy",
               energy.start, energy.largest_drift, energy.relative_drift());
  else
    fmt::print(to, "  {:<12} {:.9g} J at the start, {:.9g} J at the end (loads or moving constraints do work)\n",
               "energy", energy.start, energy.end);
}

}  // namespace kane
