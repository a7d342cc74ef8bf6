#pragma once
// Trajectories as comma-separated values: a line of names, then one line per sample with 17 digits, so that numbers come
// back bit for bit. The file on the disk ends after a whole line at any time, and is at most a second or two behind.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "kane/base/output_file.hpp"

namespace kane {

class CsvWriter {
 public:
  /// "-": standard output. Throws ModelError if the file cannot be written.
  CsvWriter(const std::string& file, const std::vector<std::string>& names);
  /// Without finish(): rows already written stay in FILE.part.
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  /// Throws OutputError if the disk is full.
  void write(std::span<const double> row);
  /// Completes the file and gives it its name. Throws OutputError if that is impossible.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void write_buffer();

  OutputFile file_;
  std::string buffer_;
  Clock::time_point written_ = Clock::now();
};

}  // namespace kane
