#pragma once
// The folder whose models a server shows. Nothing outside it is read or written, whatever the path: links are
// resolved first, and then the path must be inside the folder.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kane {

struct ServedModel {
  std::string path;         ///< relative to the folder
  std::string description;  ///< description of the file; "" if it has none
};

class ServedFolder {
 public:
  /// Throws ModelError if it is not a folder.
  ServedFolder(const std::string& folder, bool writable);

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] bool writable() const { return writable_; }
  /// Model files inside the folder, in order; at most kMostFiles of them.
  [[nodiscard]] std::vector<ServedModel> list() const;
  /// The file behind a relative path, without links. Throws ModelError unless it is an existing model file in the folder.
  [[nodiscard]] std::filesystem::path find(const std::string& path) const;
  /// Its text. Throws ModelError if it is too long.
  [[nodiscard]] static std::string read(const std::filesystem::path& file);
  /// Time of its last change, ns.
  [[nodiscard]] static std::int64_t changed(const std::filesystem::path& file);
  /// Writes a model file, new or not; all of it or nothing. `seen`: the time of the file when the user read it (0: not at
  /// all); a file that changed since is not replaced unless `force`. Throws ModelError if it may not be written.
  /// Returns the time of the new file.
  std::int64_t save(const std::string& path, const std::string& text, std::int64_t seen, bool force) const;

  static constexpr std::size_t kMostFiles = 500, kMostBytes = 1'000'000;

 private:
  [[nodiscard]] bool contains(const std::filesystem::path& file) const;

  std::filesystem::path root_;
  bool writable_;
};

}  // namespace kane
