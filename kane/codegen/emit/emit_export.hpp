#pragma once
// A complete folder: the program in one language, a small driver that simulates it, and a README.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kane/codegen/emit/emit_source.hpp"
#include "kane/program/program.hpp"

namespace kane {

/// A program that computes the rates of its state, and the values to start from.
struct ExportModel {
  /// The first outputs are the derivatives of the state, in the order of the state; more outputs may follow.
  Program program;
  std::vector<double> parameters;
  std::vector<double> inputs;       ///< constant during the simulation, except time
  std::vector<double> state;        ///< at the start
  std::optional<std::string> time;  ///< the input that is the time, if any
  double start = 0;
  double duration = 10;
  double step = 1e-3;       ///< step of the classical Runge-Kutta method
  int print_every = 10;     ///< steps
  std::string description;  ///< a sentence or more for the README
};

/// Throws ModelError if the number of values does not match the program.
void check_export_model(const ExportModel& model);

/// The files, not written anywhere. The driver prints a line of names and then lines of numbers: t, the state, and
/// the outputs that are not rates.
[[nodiscard]] std::vector<SourceFile> emit_export(const ExportModel& model, Language language,
                                                  const EmitOptions& options = {});

/// Writes the files into `directory`, which is created if it does not exist. Files of the same names are replaced. Returns the
/// paths.
std::vector<std::filesystem::path> emit_export(const ExportModel& model, Language language,
                                               const std::filesystem::path& directory, const EmitOptions& options = {});

}  // namespace kane
