#pragma once
// Output files for trajectories: FILE.csv line by line, or FILE.h5 (HDF5) and FILE.mat (MATLAB) with one array per name.
//
// The file gets its name when it is whole. Until then FILE.part can be read at any time, also after the program was killed:
// a table ends after a whole line; arrays are rewritten every few seconds, each time as a complete file.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/array_files/array_files.hpp"
#include "apps/kane/interrupt.hpp"
#include "kane/simulate/record/csv_writer.hpp"

namespace kane {

class TrajectoryFile {
 public:
  /// Throws ModelError if the file cannot be written, or its format is unknown. `model`: its name, and `units`: those of the
  /// columns, for formats with room for them.
  TrajectoryFile(std::string file, std::vector<std::string> names, const std::string& model = {},
                 std::vector<std::string> units = {});

  /// Throws OutputError if the disk is full.
  void write(std::span<const double> row);
  /// Completes the file. Throws OutputError if it cannot be written.
  void finish();
  /// The same, with a message that the run was interrupted.
  void finish_interrupted();

 private:
  using Clock = std::chrono::steady_clock;
  void write_arrays(const std::string& file);
  void write_part();
  [[nodiscard]] bool fits_without_part() const;
  [[nodiscard]] std::string part() const { return file_ + std::string(kPartEnding); }

  std::string file_;
  std::optional<CsvWriter> csv_;
  ArrayColumns columns_;                                    ///< for formats that are written as a whole
  FormArrays form_hdf5_ = nullptr;                          ///< function of the module; else MATLAB
  Clock::time_point next_part_{};                           ///< when to write it again
  Clock::duration pause_ = std::chrono::milliseconds(100);  ///< until then
  bool has_part_ = false;
  long rows_ = 0;
};

/// Runs `work`, which writes rows and then calls throw_if_interrupted(). An interruption leaves a whole file with the rows so
/// far.
template <class Work>
auto with_rows(TrajectoryFile& file, Work work) -> decltype(work()) {
  const InterruptScope scope;
  try {
    return work();
  } catch (const Interrupted&) {
    file.finish_interrupted();
    throw;
  }
}

}  // namespace kane
