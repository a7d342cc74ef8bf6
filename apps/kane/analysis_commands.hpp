#pragma once
// The sub-commands of the analyses, each in its own file (command.hpp explains sub-commands).

#include <CLI/CLI.hpp>

namespace kane {

void add_equilibrium_command(CLI::App& app);  // equilibrium_command.cpp
void add_forces_command(CLI::App& app);       // forces_command.cpp
void add_fit_command(CLI::App& app);          // fit_command.cpp
void add_frequency_command(CLI::App& app);    // frequency_command.cpp
void add_inverse_command(CLI::App& app);      // inverse_command.cpp
void add_jacobian_command(CLI::App& app);     // jacobian_command.cpp
void add_reach_command(CLI::App& app);        // reach_command.cpp
void add_sensitivity_command(CLI::App& app);  // sensitivity_command.cpp
void add_results_command(CLI::App& app);      // results_command.cpp
void add_sweep_command(CLI::App& app);        // sweep_command.cpp

inline void add_analysis_commands(CLI::App& app) {
  add_equilibrium_command(app);
  add_frequency_command(app);
  add_inverse_command(app);
  add_forces_command(app);
  add_jacobian_command(app);
  add_reach_command(app);
  add_sensitivity_command(app);
  add_fit_command(app);
  add_sweep_command(app);
  add_results_command(app);
}

}  // namespace kane
