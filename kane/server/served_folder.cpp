#include "kane/server/served_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"

namespace kane {

namespace {

namespace files = std::filesystem;

bool is_model_file(const files::path& file) {
  static constexpr std::string_view kEndings[] = {".yaml", ".yml", ".kane", ".urdf", ".mjcf", ".sd", ".al"};
  const std::string ending = file.extension().string();
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

/// The line "description: ..." of a model file.
std::string description_of(const files::path& file) {
  std::ifstream in(file);
  constexpr int kMostLines = 60;
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(in, line); ++i)
    if (constexpr std::string_view kKey = "description: "; line.starts_with(kKey)) return line.substr(kKey.size(), 200);
  return "";
}

}  // namespace

ServedFolder::ServedFolder(const std::string& folder, bool writable) : writable_(writable) {
  std::error_code error;
  root_ = files::canonical(folder, error);
  require(!error && files::is_directory(root_, error), "'{}' is not a folder", folder);
}

bool ServedFolder::contains(const files::path& file) const {
  const auto [end, rest] = std::mismatch(root_.begin(), root_.end(), file.begin(), file.end());
  return end == root_.end() && rest != file.end();
}

std::vector<ServedModel> ServedFolder::list() const {
  std::vector<ServedModel> models;
  std::error_code error;
  constexpr int kMostDepth = 4, kMostEntries = 20'000;
  int entries = 0;
  for (files::recursive_directory_iterator at(root_, files::directory_options::skip_permission_denied, error), end;
       !error && at != end && models.size() < kMostFiles && ++entries < kMostEntries; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || at.depth() >= kMostDepth) at.disable_recursion_pending();
    std::error_code unreadable;
    if (name.starts_with('.') || !is_model_file(at->path()) || !at->is_regular_file(unreadable)) continue;
    const files::path real = files::canonical(at->path(), unreadable);
    if (unreadable || !contains(real)) continue;
    models.push_back({at->path().lexically_relative(root_).string(), description_of(real)});
  }
  std::sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return models;
}

files::path ServedFolder::find(const std::string& path) const {
  std::error_code error;
  require(!path.empty() && path.find('\0') == std::string::npos && files::path(path).is_relative(),
          "'{}' is not a path in the served folder", path);
  const files::path file = files::canonical(root_ / path, error);
  // The same words whether it exists or not: nothing outside the folder is disclosed.
  require(!error && contains(file) && is_model_file(file) && files::is_regular_file(file, error),
          "there is no model file '{}' in the served folder", path);
  return file;
}

std::string ServedFolder::read(const files::path& file) {
  std::error_code error;
  const auto size = files::file_size(file, error);
  require(!error && size <= kMostBytes, "'{}' cannot be read, or is longer than {} bytes", file.filename().string(),
          kMostBytes);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::int64_t ServedFolder::changed(const files::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::int64_t ServedFolder::save(const std::string& path, const std::string& text, std::int64_t seen, bool force) const {
  require(writable_, "this server does not write; start it with --write to allow that");
  require(text.size() <= kMostBytes, "the text is longer than {} bytes", kMostBytes);
  const files::path asked(path);
  require(!path.empty() && path.find('\0') == std::string::npos && asked.is_relative() && is_model_file(asked),
          "'{}' cannot be written: choose a name in the served folder that ends in .yaml", path);
  std::error_code error;
  files::path file = files::weakly_canonical(root_ / asked, error);
  require(!error && contains(file) && files::is_directory(file.parent_path(), error) &&
              contains(files::canonical(file.parent_path(), error) / "x"),
          "'{}' cannot be written: it is not in the served folder", path);
  if (files::exists(file, error)) {
    require(files::is_regular_file(file, error), "'{}' is not a regular file", path);
    require(force || changed(file) == seen, "'{}' has changed on disk since it was opened", path);
  }
  write_file(file.string(), text);
  return changed(file);
}

}  // namespace kane
