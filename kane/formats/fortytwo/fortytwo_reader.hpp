#pragma once
// Reads spacecraft files of 42 (Stoneking's simulation of spacecraft) into a Mechanism. docs/fortytwo.md describes the
// translation.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/fortytwo/fortytwo_file.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct FortyTwoOptions {
  /// Bodies with flexible modes are rigid, and a body may lack a line; Mechanism::notes says so.
  bool lenient = false;
  FortyTwoLimits limits = {};
};

/// Reads and checks a file. Throws ModelError with file, line and column; Mechanism::notes lists parts that have no meaning here.
[[nodiscard]] Mechanism read_fortytwo(const std::filesystem::path& file, const FortyTwoOptions& options = {});
/// The same for a text, which has no parameter files of joints.
[[nodiscard]] Mechanism read_fortytwo_text(std::string_view text, const std::string& file_name = "SC_model.txt",
                                           const FortyTwoOptions& options = {});

}  // namespace kane
