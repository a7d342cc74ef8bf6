#pragma once
// Where a trajectory goes: FILE.csv line by line, or FILE.h5 (HDF5) and FILE.mat (MATLAB) with one array per name.

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
  /// Throws ModelError if the file cannot be written, or its kind is not known.
  TrajectoryFile(std::string file, std::vector<std::string> names);

  void write(std::span<const double> row);
  /// What was written is complete and readable afterwards. Throws RunFailed if the disk refuses it.
  void finish();

 private:
  std::string file_;
  std::optional<CsvWriter> csv_;
  ArrayColumns columns_;                ///< of the kinds that are written at the end
  WriteArrays write_arrays_ = nullptr;  ///< of the module that writes them
};

}  // namespace kane
