#pragma once
// Other programs: finding them, running them, and folders for the files they work on.

#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// Removed with everything in it at the end of its life.
class TemporaryFolder {
 public:
  /// The name begins with `label`. Throws ModelError if no folder can be made.
  explicit TemporaryFolder(std::string_view label);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The program as PATH gives it; "" if there is none.
[[nodiscard]] std::string find_program(const std::string& name);

/// Runs a program to its end without a shell, so that file names are taken literally. Its output goes to `log`. Returns
/// its exit code, 128 + signal if it was killed, -1 if it could not be started.
[[nodiscard]] int run_program(const std::string& program, std::vector<std::string> arguments, const std::string& log);

/// All bytes; empty if it cannot be read.
[[nodiscard]] std::string read_whole_file(const std::string& file);

}  // namespace kane
