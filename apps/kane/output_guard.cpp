#include "apps/kane/output_guard.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {

namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& file) { return !file.empty() && file != "-"; }

/// The same file, or the same name of a file that does not exist yet.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return !fs::is_character_file(a, ignored);  // /dev/null may be named twice
  const auto full = [&](const std::string& file) { return fs::weakly_canonical(fs::absolute(file, ignored), ignored); };
  return !fs::exists(a, ignored) && full(a) == full(b);
}

}  // namespace

void add_force_option(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace files that Kane did not write, or that were changed since");
}

void OutputGuard::claim(const std::string& file, const char* option) {
  if (!is_file(file)) return;
  for (const auto& input : inputs_)
    require(!is_file(input) || !same_file(file, input), "'{}' is {}; write to another file{}", file,
            &input == &inputs_.front() ? "the model itself" : "an input of this command",
            option == nullptr ? "" : fmt::format(" with {}", option));
  for (const auto& output : outputs_)
    require(!same_file(file, output), "'{}' is named for two results; give each its own file", file);
  refuse_foreign(file, option);
  outputs_.push_back(file);
}

void OutputGuard::claim_folder(const std::string& folder, const std::string& stem) {
  if (folder.empty()) return;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(stem)) refuse_foreign(entry.path().string(), nullptr);
}

void OutputGuard::refuse_foreign(const std::string& file, const char* option) const {
  require(force_ || may_replace(file),
          "'{}' exists, and Kane did not write it, or it was changed since; {}, or replace it with --force", file,
          option == nullptr ? "choose another name" : fmt::format("choose another name with {}", option));
}

}  // namespace kane
