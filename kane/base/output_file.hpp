#pragma once
// Writing files: the one way in which results reach the disk.
//
// A file appears under its name only when it is whole: bytes go to FILE.part in the same folder, which is renamed at the
// end. Every write, flush and close is checked. What is written gets a mark (output_mark.hpp), so that later commands know
// it from the files of others. Devices and pipes are written as they are.

#include <cstdint>
#include <string>
#include <string_view>

#include "kane/base/error.hpp"

namespace kane {

/// The input was right, but a result could not be written completely: the disk is full, or a program that writes it failed.
class OutputError : public ModelError {
 public:
  explicit OutputError(std::string message, int code = 0) : ModelError(std::move(message)), code_(code) {}
  /// The system's error code (errno); 0: none.
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_ = 0;
};

/// The ending of files that are not whole yet.
inline constexpr std::string_view kPartEnding = ".part";

class OutputFile {
 public:
  /// "-": standard output. Throws ModelError if the file cannot be written, or another program is writing it now.
  explicit OutputFile(std::string file, std::string_view part_ending = kPartEnding);
  /// Removes a file that was not committed, unless keep() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws OutputError if not all bytes could be written; the file then ends after the last whole line.
  void write(std::string_view bytes);
  /// Gives the file its name. Throws OutputError if that is impossible.
  void commit();
  /// Without commit() the part stays where it is, for the user to look at.
  void keep() { keep_ = true; }
  /// Where the bytes are until commit().
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  void open_part(std::string_view ending);
  [[noreturn]] void fail(int code);

  std::string file_;   ///< as the caller calls it
  std::string final_;  ///< without links
  std::string place_;
  int descriptor_ = -1;
  std::uintmax_t size_ = 0;
  bool regular_ = true;  ///< not a device, a pipe or standard output
  bool keep_ = false;
};

/// Throws ModelError if the file cannot be opened for writing. An existing file keeps its content; no new one is left.
void check_writable(const std::string& file);

/// Replaces the file. Throws ModelError if it cannot be opened, OutputError if it cannot be written completely.
void write_file(const std::string& file, std::string_view content);

/// Makes the folder and those above it. Throws ModelError if that is impossible.
void make_folder(const std::string& folder);

}  // namespace kane
