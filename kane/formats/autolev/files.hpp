#pragma once
// Internal to AUTOLEV: the files that scripts name. They are read and written beneath one folder only.

#include <filesystem>
#include <optional>
#include <string>

#include "kane/base/error.hpp"

namespace kane::autolev {

/// The text of a script. Throws ModelError if it cannot be read, LimitError if it is too long.
[[nodiscard]] std::string read_script(const std::filesystem::path& file, std::size_t max_bytes);

/// A file that RUN names, looked for beside the script and then in `root`. Throws ModelError unless it lies beneath `root`.
[[nodiscard]] std::filesystem::path file_beneath(const std::filesystem::path& root, const std::filesystem::path& folder,
                                                 const std::string& name, const Where& where);

/// name.a beside the script, if there is one.
[[nodiscard]] std::optional<std::filesystem::path> find_user_command(const std::filesystem::path& root,
                                                                     const std::filesystem::path& folder,
                                                                     const std::string& name);

/// The name under which a file is written, beneath the folder that is written to: a path that leads elsewhere loses its
/// folders.
[[nodiscard]] std::string output_name(const std::string& given, const Where& where);

}  // namespace kane::autolev
