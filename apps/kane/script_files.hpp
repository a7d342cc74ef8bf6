#pragma once
// Files that a script requests, written inside the present folder.

#include <string>
#include <vector>

#include "apps/kane/output_guard.hpp"
#include "kane/formats/autolev/script_system.hpp"

namespace kane {

/// The name of a script's system: that of its file.
[[nodiscard]] std::string script_name(const std::string& file);

/// Writes the files that the guard allows, making folders where the names have them; returns the names.
std::vector<std::string> write_script_files(const std::vector<autolev::WrittenFile>& files, OutputGuard& guard);

}  // namespace kane
