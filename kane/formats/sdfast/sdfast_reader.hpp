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

}  // namespace kane
