#pragma once
// Runs the kane command as a user would, and keeps its output.

#include <functional>
#include <string>
#include <vector>

namespace kane::test {

/// The folder of the project's models, with a slash at its end.
inline const std::string kModels = KANE_SOURCE_DIR "/models/";

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// Runs `kane arguments...` with `input` as its standard input.
[[nodiscard]] CommandResult run_kane(const std::vector<std::string>& arguments, const std::string& input = {});

/// The same after `in_child` has run in the new process: limits, closed descriptors.
[[nodiscard]] CommandResult run_kane_after(const std::function<void()>& in_child,
                                           const std::vector<std::string>& arguments);

/// The bytes of a file; empty if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& file);

}  // namespace kane::test
