#pragma once
// Reads the system descriptions of SD/FAST (.sd) into a Mechanism. docs/sdfast.md describes the translation.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/sdfast/sdfast_file.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct SdfastOptions {
  SdfastLimits limits = {};
};

/// Throws ModelError with file, line and column; Mechanism::notes lists what has no meaning here.
[[nodiscard]] Mechanism read_sdfast_text(std::string_view text, const std::string& file_name = "model.sd",
                                         const SdfastOptions& options = {});

/// What a file says about the code that SD/FAST writes.
struct SdfastProgram {
  std::string prefix = "sd";                  ///< of its functions
  std::vector<std::string> user_constraints;  ///< that the program itself contains
};
[[nodiscard]] SdfastProgram read_sdfast_program(std::string_view text, const std::string& file_name = "model.sd",
                                                const SdfastLimits& limits = {});

}  // namespace kane
