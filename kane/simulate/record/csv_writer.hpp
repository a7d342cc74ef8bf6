#pragma once
// Trajectories as comma-separated values: a line of names, then one line per sample with 17 digits, so that numbers come
// back bit for bit.

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kane {

class CsvWriter {
 public:
  /// "-": standard output. Throws ModelError if the file cannot be written.
  CsvWriter(const std::string& file, const std::vector<std::string>& names);

  void write(std::span<const double> row);
  /// Hands everything to the system. False if that failed (a full disk).
  [[nodiscard]] bool flush();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  void write_buffer();

  File file_;
  std::string buffer_;
  bool failed_ = false;
};

}  // namespace kane
