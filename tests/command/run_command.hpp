#pragma once
// Runs the kane command as a user would, and keeps what it said.

#include <string>
#include <vector>

namespace kane::test {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// Runs `kane arguments...` with `input` as its standard input.
[[nodiscard]] CommandResult run_kane(const std::vector<std::string>& arguments, const std::string& input = {});

}  // namespace kane::test
