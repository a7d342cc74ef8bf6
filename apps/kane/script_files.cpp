#include "apps/kane/script_files.hpp"

#include <filesystem>

#include "kane/base/output_file.hpp"

namespace kane {

std::string script_name(const std::string& file) {
  if (file == "-" || file.empty()) return "script";
  return std::filesystem::path(file).stem().string();
}

std::vector<std::string> write_script_files(const std::vector<autolev::WrittenFile>& files, OutputGuard& guard) {
  std::vector<std::string> names;
  for (const auto& f : files) guard.claim(f.name);
  for (const auto& f : files) {
    const std::filesystem::path folder = std::filesystem::path(f.name).parent_path();
    if (!folder.empty()) make_folder(folder.string());
    write_file(f.name, f.text);
    names.push_back(f.name);
  }
  return names;
}

}  // namespace kane
