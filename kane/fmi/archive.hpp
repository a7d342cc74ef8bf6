#pragma once
// ZIP archives, as FMI requires them: stored or deflated entries, names with '/', the same bytes for the same content.

#include <cstddef>
#include <string>
#include <vector>

namespace kane {

struct ArchiveFile {
  std::string name;  ///< path in the archive
  std::string content;
};

/// Replaces the file. Throws ModelError or OutputError.
void write_archive(const std::string& file, const std::vector<ArchiveFile>& entries);

struct ArchiveLimits {
  std::size_t entries = 20'000;
  std::size_t bytes = std::size_t{1} << 30;  ///< total size of all entries, unpacked
};

/// The entries that are files. Throws ModelError for a file that is not an archive, names that lead out of it, links, and more than the limits
/// allow.
[[nodiscard]] std::vector<ArchiveFile> read_archive(const std::string& file, const ArchiveLimits& limits = {});

/// Whether a path in an archive stays inside the folder it is unpacked to.
[[nodiscard]] bool stays_inside(const std::string& name);

}  // namespace kane
