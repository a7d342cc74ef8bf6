#include "kane/formats/autolev/files.hpp"

#include <algorithm>
#include <fstream>

#include "kane/formats/autolev/syntax.hpp"

namespace kane::autolev {

namespace fs = std::filesystem;

namespace {

/// Backslashes of DOS, and quotes around the name.
std::string plain_name(std::string name) {
  std::replace(name.begin(), name.end(), '\\', '/');
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front())
    name = name.substr(1, name.size() - 2);
  return name;
}

bool lies_beneath(const fs::path& root, const fs::path& file) {
  std::error_code none;
  const fs::path base = fs::weakly_canonical(root.empty() ? fs::path(".") : root, none);
  const fs::path full = fs::weakly_canonical(file, none);
  const auto relative = full.lexically_relative(base);
  return !relative.empty() && *relative.begin() != "..";
}

/// A file of this name, whatever its capitals: scripts come from systems that do not care.
std::optional<fs::path> find_file(const fs::path& folder, const fs::path& name) {
  std::error_code none;
  const fs::path exact = folder / name;
  if (fs::is_regular_file(exact, none)) return exact;
  const std::string wanted = folded(name.filename().string());
  std::size_t looked = 0;
  for (const auto& entry : fs::directory_iterator(exact.parent_path(), none)) {
    if (++looked > 10'000) break;
    if (folded(entry.path().filename().string()) == wanted && entry.is_regular_file(none)) return entry.path();
  }
  return std::nullopt;
}

}  // namespace

std::string read_script(const fs::path& file, std::size_t max_bytes) {
  std::error_code none;
  if (fs::is_directory(file, none)) throw ModelError(fmt::format("'{}' is a folder, not a script", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw ModelError(fmt::format("the file '{}' cannot be opened", file.string()));
  std::string text;
  std::string piece(1 << 16, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_bytes)
      throw LimitError(fmt::format("the script '{}' has more than {} bytes", file.string(), max_bytes));
  }
  return text;
}

fs::path file_beneath(const fs::path& root, const fs::path& folder, const std::string& given, const Where& where) {
  const fs::path name = plain_name(given);
  for (const fs::path& base : {folder, root}) {
    for (const char* ending : {"", ".al"}) {
      const auto full = find_file(base.empty() ? fs::path(".") : base, name.string() + ending);
      if (!full) continue;
      if (name.is_absolute() || !lies_beneath(root, *full))
        throw ModelError(where,
                         fmt::format("'{}' lies outside the script's folder; only files beneath it are run", given));
      return *full;
    }
  }
  throw ModelError(where, fmt::format("there is no script '{}' beside this one", given));
}

std::optional<fs::path> find_user_command(const fs::path& root, const fs::path& folder, const std::string& name) {
  for (const fs::path& base : {folder, root}) {
    const auto file = find_file(base.empty() ? fs::path(".") : base, name + ".a");
    if (file && lies_beneath(root, *file)) return file;
  }
  return std::nullopt;
}

std::string output_name(const std::string& given, const Where& where) {
  std::string text = plain_name(given);
  if (text.size() > 1 && text[1] == ':') text = text.substr(2);
  const fs::path name = fs::path(text).lexically_normal();
  if (name.filename().empty() || name.filename() == "." || name.filename() == "..")
    throw ModelError(where, fmt::format("'{}' is no name for a file", given));
  const bool climbs = name.is_absolute() || *name.begin() == "..";
  return (climbs ? name.filename() : name).string();
}

}  // namespace kane::autolev
