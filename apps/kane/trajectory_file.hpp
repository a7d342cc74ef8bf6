#pragma once
// Output files for trajectories: FILE.csv line by line, or FILE.h5 (HDF5) and FILE.mat (MATLAB) with one array per name.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/array_files/array_files.hpp"
#include "kane/simulate/record/csv_writer.hpp"

namespace kane {

class TrajectoryFile {
 public:
  /// Throws ModelError if the file cannot be written, or its format is unknown.
  TrajectoryFile(std::string file, std::vector<std::string> names);

  void write(std::span<const double> row);
  /// Completes the file. Throws RunFailed if it cannot be written.
  void finish();

 private:
  std::string file_;
  std::optional<CsvWriter> csv_;
  ArrayColumns columns_;                ///< for formats that are written at the end
  WriteArrays write_arrays_ = nullptr;  ///< function of the module that writes them
};

}  // namespace kane
